package coordinator

import (
	"context"
	"slices"

	"go.uber.org/zap"

	"github.com/hubbench/hubbench/internal/machine/gauge"
	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// gauges are what is read during a phase, from just before its release until its workers have gone. Nothing waits for
// them except the phase's end, and that not for long.
type gauges struct {
	found   chan []gauge.Source // gets one value
	sources []gauge.Source
	sampler *gauge.Sampler // from the release on
	events  chan []trace.Event
	over    chan struct{} // closed: nobody takes events any more
	opts    gauge.Options
}

// waiting is how many readings may wait for the journal: more than there are sources.
const waiting = 256

// findGauges looks for what can be read of the phase's disks, beside the workers' getting ready. Of a simulated disk that
// is nothing, and then nothing of the host either: its time is the model's.
func (p *phaseRun) findGauges(ctx context.Context) *gauges {
	g := &gauges{found: make(chan []gauge.Source, 1), events: make(chan []trace.Event, waiting), over: make(chan struct{})}
	hidden := map[string]bool{}
	var disks []gauge.Disk
	for _, job := range p.phase.Jobs {
		disk := p.opts.Plan.Disk(job.Disk)
		if disk.Simulated() || p.opts.Gauges == nil {
			return g
		}
		disks = append(disks, gauge.Disk{Name: disk.Name, Path: disk.Path})
		hidden[disk.Name] = readsBack(&job.IO, job.Role)
	}
	go func() { g.found <- p.opts.Gauges(ctx, disks) }()
	g.opts = gauge.Options{
		Now: clock.Now,
		Take: func(atNS int64, reads []gauge.Reading) {
			var events []trace.Event
			// What one reads back its device counts for all disks on it.
			back := slices.ContainsFunc(reads, func(r gauge.Reading) bool { return hidden[r.Disk] })
			for _, r := range reads {
				if r.Name == trace.DeviceRead && back {
					continue
				}
				events = append(events, trace.Event{Type: trace.GaugeType, Phase: p.phase.Name, Disk: r.Disk, TNS: atNS, Name: r.Name, Value: r.Value})
			}
			select {
			case g.events <- events:
			case <-g.over:
			}
		},
		Fail: func(source string, err error) {
			p.opts.Log.Warn("gauge stopped: it keeps failing", zap.String("source", source), zap.String("phase", p.phase.Name), zap.Error(err))
		},
	}
	return g
}

// readsBack reports whether a job reads more than its trace counts, to compare it with what it wrote: then the device's
// count of reads says nothing of others.
func readsBack(io *scenario.IO, role trace.Role) bool {
	return io.Verify == scenario.VerifyFull || io.Verify == scenario.VerifyStamps && io.Mode == scenario.ModeApp && role == trace.Read
}

// begin reads for the first time, once there is something to read and a release to count from.
func (g *gauges) begin(releaseNS int64) {
	if releaseNS == 0 || len(g.sources) == 0 || g.sampler != nil {
		return
	}
	opts := g.opts
	opts.Now = func() int64 { return clock.Now() - releaseNS }
	g.sampler = gauge.Start(g.sources, opts)
}

// recordLastGauges reads the counters once more, now that nothing is moved any more, and records what was read.
func (p *phaseRun) recordLastGauges() {
	g := p.gauges
	if g.sampler == nil {
		return
	}
	stopped := make(chan struct{})
	go func() {
		g.sampler.Stop()
		close(stopped)
	}()
	for {
		select {
		case events := <-g.events:
			p.record(events...)
		case <-stopped:
			for {
				select {
				case events := <-g.events:
					p.record(events...)
				default:
					return
				}
			}
		}
	}
}

// end releases sources that hang.
func (g *gauges) end() { close(g.over) }
