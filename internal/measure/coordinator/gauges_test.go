package coordinator

import (
	"context"
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

// reading has a run's gauges read.
func reading(find func(context.Context, []gauge.Disk) []gauge.Source) func(*Options) {
	return func(o *Options) { o.Gauges = find }
}

func gaugesOf(seen *memory) map[string]int {
	got := map[string]int{}
	for _, e := range seen.events {
		if e.Type == trace.GaugeType {
			got[e.Disk+" "+e.Name]++
		}
	}
	return got
}

// Gauges are read just before the release and once more at the end, and stand in the journal before the phase's end.
func TestGaugesAreJournaled(t *testing.T) {
	out, seen := record(t, t.Context(), realPlan(scenario.VerifyOff), reading(both), "quick")
	if out.Status != trace.Complete {
		t.Fatal(out.Failures)
	}
	got := gaugesOf(seen)
	for _, name := range []string{" cpu_percent", "one device_read_bytes", "one device_write_bytes", "two device_read_bytes"} {
		if got[name] != 2 {
			t.Errorf("%q was read %d times, want twice: %v", name, got[name], got)
		}
	}
	ended := false
	for _, e := range seen.events {
		ended = ended || e.Type == trace.PhaseEndType
		if e.Type == trace.GaugeType && (ended || e.Phase != "WW-1" || e.TNS < -int64(time.Second) || e.TNS > int64(time.Minute)) {
			t.Errorf("gauge %+v: after the phase's end, or far from its release", e)
		}
	}
}

// A job that reads back what it wrote makes the device's count of reads say nothing: it is left out.
func TestGaugesOfVerifiedJobs(t *testing.T) {
	_, seen := record(t, t.Context(), realPlan(scenario.VerifyFull), reading(both), "quick")
	if got := gaugesOf(seen); got["one device_read_bytes"] != 0 || got["one device_write_bytes"] != 2 {
		t.Errorf("got %v, want no counts of reads", got)
	}
	// The other disk on the same device does not read back, and yet its device's count of reads says nothing either.
	p := realPlan(scenario.VerifyOff)
	p.Phases[0].Jobs[0].IO.Verify = scenario.VerifyFull
	_, seen = record(t, t.Context(), p, reading(both), "quick")
	if got := gaugesOf(seen); got["one device_read_bytes"]+got["two device_read_bytes"] != 0 || got["two device_write_bytes"] != 2 {
		t.Errorf("got %v of two disks on one device, want no counts of reads", got)
	}
}

// Gauges that hang hold up nothing for long; simulated disks have none.
func TestGaugesHoldNothingUp(t *testing.T) {
	loose := make(chan struct{})
	defer close(loose)
	for name, find := range map[string]func(context.Context, []gauge.Disk) []gauge.Source{
		"finding hangs": func(context.Context, []gauge.Disk) []gauge.Source { <-loose; return nil },
		"reading hangs": func(context.Context, []gauge.Disk) []gauge.Source {
			return []gauge.Source{{Name: "x", Every: time.Second, Total: true, Read: func(context.Context) ([]gauge.Reading, error) { <-loose; return nil, nil }}}
		},
	} {
		out, seen := record(t, t.Context(), realPlan(scenario.VerifyOff), reading(find), "quick")
		if out.Status != trace.Complete || seen.count(trace.GaugeType) != 0 {
			t.Errorf("%s: %s, %v", name, out.Status, gaugesOf(seen))
		}
	}
	_, seen := record(t, t.Context(), plan(1, 1e6), reading(both), "good")
	if got := gaugesOf(seen); len(got) > 0 {
		t.Errorf("simulated: %v", got)
	}
}
