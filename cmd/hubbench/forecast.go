package main

import (
	"time"

	"github.com/hubbench/hubbench/internal/report"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// forecast is what a phase is expected to come to.
type forecast struct {
	report.Forecast                  // but for the writes of all disks, which are summed up at last
	writes          map[string]int64 // each disk's wear: with what is written before the release
}

// plus is both together, one after the other.
func (f forecast) plus(other forecast) forecast {
	sum := forecast{report.Forecast{
		Moves: f.Moves + other.Moves, MoveBound: f.MoveBound.With(other.MoveBound), WriteBound: f.WriteBound.With(other.WriteBound),
		Least: f.Least + other.Least, Most: f.Most + other.Most, Open: f.Open || other.Open,
	}, map[string]int64{}}
	for _, writes := range []map[string]int64{f.writes, other.writes} {
		for disk, bytes := range writes {
			sum.writes[disk] += bytes
		}
	}
	return sum
}

// report is the forecast as it is told.
func (f forecast) report() report.Forecast {
	for _, bytes := range f.writes {
		f.Writes += bytes
	}
	return f.Forecast
}

// forecasts expects what the model says where disks are simulated; of real ones, what the plan says, as fast as
// one link allows.
func (r *prepared) forecasts() ([]forecast, error) {
	all := make([]forecast, len(r.plan.Phases))
	for i, phase := range r.plan.Phases {
		f := &all[i]
		f.writes = map[string]int64{}
		for _, job := range phase.Jobs {
			moves, bound := phase.Moves(job)
			f.add(job.Disk, job.Role, moves)
			f.MoveBound = f.MoveBound.With(bound)
			if job.Role == trace.Write {
				f.WriteBound = f.WriteBound.With(bound)
			}
		}
		f.Least, f.Most, f.Open = linkTime(phase)
	}
	if r.profile != nil {
		if err := r.simulated(all); err != nil {
			return nil, err
		}
	}
	for _, disk := range r.plan.Disks {
		for i, stock := range r.plan.Stock(disk.Name) {
			all[i].writes[disk.Name] += stock.Before
		}
	}
	return all, nil
}

// add counts what a disk moves.
func (f *forecast) add(disk string, role trace.Role, bytes int64) {
	f.Moves += bytes
	if role == trace.Write {
		f.writes[disk] += bytes
	}
}

// simulated replaces forecasts by what the model says.
func (r *prepared) simulated(all []forecast) error {
	i := -1
	var open map[string]int64 // bytes of the file that each disk has in transfer
	closePhase := func() {
		for disk, bytes := range open {
			all[i].add(disk, r.plan.Phases[i].Roles[disk], bytes)
		}
		if i >= 0 {
			all[i].Most = all[i].Least
		}
	}
	err := hub.Simulate(r.plan, r.profile, func(e *trace.Event) error {
		switch e.Type {
		case trace.PhaseType:
			closePhase()
			i++
			all[i] = forecast{report.Forecast{Least: r.plan.Phases[i].Limit}, map[string]int64{}}
			open = map[string]int64{}
		case trace.ProgressType:
			open[e.Disk] = e.Bytes
			all[i].Least = max(all[i].Least, time.Duration(e.TNS))
		case trace.FileType:
			open[e.Disk] = 0
			all[i].add(e.Disk, e.Op, e.Bytes)
			all[i].Least = max(all[i].Least, time.Duration(e.EndNS))
		}
		return nil
	})
	closePhase()
	return err
}

// linkTime is how long a phase takes at the least, where all its disks share one link and nothing else holds them
// up; and at most, unless that is open, as it is where files have no cap.
func linkTime(phase scenario.Phase) (least, most time.Duration, open bool) {
	if timed := max(phase.Limit, phase.Target); timed > 0 {
		return timed, timed, false
	}
	var together time.Duration // were they to take turns
	for _, job := range phase.Jobs {
		last := len(job.Sizes) - 1
		moving, gaps := atLink(job.Bytes()), time.Duration(last)*job.IO.Rest
		capped := time.Duration(last+1) * job.IO.Cap
		together += moving
		if job.IO.Step > 0 { // from start to start: only the last file counts by itself
			moving, gaps = atLink(job.Sizes[last]), time.Duration(last)*job.IO.Step
			capped = job.IO.Cap
		}
		least, most = max(least, gaps+moving), max(most, gaps+capped)
		open = open || capped == 0
	}
	least = max(least, together)
	if !open {
		least = min(least, most)
	}
	return least, most, open
}

// atLink is how long one link takes for so many bytes.
func atLink(bytes int64) time.Duration {
	return time.Duration(float64(bytes) / scenario.LinkRate * float64(time.Second))
}
