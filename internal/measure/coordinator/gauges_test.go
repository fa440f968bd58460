package coordinator

import (
	"context"
	"maps"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/machine/gauge"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// realPlan is a plan of one phase in which one disk writes and another reads, both real.
func realPlan(verify string) *scenario.Plan {
	p := plan(1, 1e9)
	p.Hub = nil
	for i := range p.Disks {
		p.Disks[i].Profile, p.Disks[i].Path = "", "/nowhere/"+p.Disks[i].Name
		p.Phases[0].Jobs[i].IO.Verify = verify
	}
	return p
}

// both reads two counters of each disk, and the host.
func both(_ context.Context, disks []gauge.Disk) []gauge.Source {
	return []gauge.Source{{Name: "all", Every: time.Second, Total: true, Read: func(context.Context) ([]gauge.Reading, error) {
		reads := []gauge.Reading{{Name: trace.CPU, Value: 5}}
		for _, d := range disks {
			reads = append(reads, gauge.Reading{Disk: d.Name, Name: trace.DeviceRead, Value: 1}, gauge.Reading{Disk: d.Name, Name: trace.DeviceWrite, Value: 2})
		}
		return reads, nil
	}}}
}

// Gauges are read just before the release and once more at the end, and stand in the journal before the phase's end.
// Those that hang hold up nothing for long.
func TestGauges(t *testing.T) {
	loose := make(chan struct{})
	defer close(loose)
	hangs := func(context.Context) ([]gauge.Reading, error) { <-loose; return nil, nil }
	backOnOne := realPlan(scenario.VerifyOff)
	backOnOne.Phases[0].Jobs[0].IO.Verify = scenario.VerifyFull
	writes := map[string]int{" cpu_percent": 2, "one device_write_bytes": 2, "two device_write_bytes": 2}
	all := map[string]int{"one device_read_bytes": 2, "two device_read_bytes": 2}
	maps.Copy(all, writes)
	for _, tt := range []struct {
		name, worker string
		plan         *scenario.Plan
		find         func(context.Context, []gauge.Disk) []gauge.Source
		want         map[string]int
	}{
		{"all", "quick", realPlan(scenario.VerifyOff), both, all},
		// A job that reads back what it wrote makes the device's count of reads say nothing: it is left out.
		{"read back", "quick", realPlan(scenario.VerifyFull), both, writes},
		// The other disk on the same device does not read back, and yet its device's count of reads says nothing either.
		{"read back on one", "quick", backOnOne, both, writes},
		{"finding hangs", "quick", realPlan(scenario.VerifyOff), func(context.Context, []gauge.Disk) []gauge.Source {
			<-loose
			return nil
		}, map[string]int{}},
		{"reading hangs", "quick", realPlan(scenario.VerifyOff), func(context.Context, []gauge.Disk) []gauge.Source {
			return []gauge.Source{{Name: "x", Every: time.Second, Total: true, Read: hangs}}
		}, map[string]int{}},
		{"simulated disks", "good", plan(1, 1e6), both, map[string]int{}},
	} {
		out, seen := record(t, t.Context(), tt.plan, func(o *Options) { o.Gauges = tt.find }, tt.worker)
		if out.Status != trace.Complete {
			t.Errorf("%s: %v", tt.name, out.Failures)
		}
		got, ended := map[string]int{}, false
		for _, e := range seen.events {
			ended = ended || e.Type == trace.PhaseEndType
			if e.Type != trace.GaugeType {
				continue
			}
			got[e.Disk+" "+e.Name]++
			if ended || e.Phase != "WW-1" || e.TNS < -int64(time.Second) || e.TNS > int64(time.Minute) {
				t.Errorf("%s: gauge %+v: after the phase's end, or far from its release", tt.name, e)
			}
		}
		if !maps.Equal(got, tt.want) {
			t.Errorf("%s: read %v, want %v", tt.name, got, tt.want)
		}
	}
}
