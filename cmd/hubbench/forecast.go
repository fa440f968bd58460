package main

import (
	"slices"
	"time"

	"github.com/hubbench/hubbench/internal/device"
	"github.com/hubbench/hubbench/internal/report"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/trace"
)

// forecast is what a phase is expected to come to.
type forecast struct {
	report.Forecast                  // without Writes, which are summed up last
	writes          map[string]int64 // each disk's wear: with what is written before the release
	limit           int64            // of the writes of all disks together, if their sum is more than their links carry; 0: none
}

// plus is both together, one after the other.
func (f forecast) plus(other forecast) forecast {
	sum := forecast{report.Forecast{
		Moves: f.Moves + other.Moves, MoveBound: f.MoveBound.With(other.MoveBound), WriteBound: f.WriteBound.With(other.WriteBound),
		Min: f.Min + other.Min, Max: f.Max + other.Max, Open: f.Open || other.Open,
	}, map[string]int64{}, f.written() + other.written()}
	for _, writes := range []map[string]int64{f.writes, other.writes} {
		for disk, bytes := range writes {
			sum.writes[disk] += bytes
		}
	}
	return sum
}

// written is what all disks write.
func (f forecast) written() int64 {
	var sum int64
	for _, bytes := range f.writes {
		sum += bytes
	}
	if f.limit > 0 {
		return min(sum, f.limit)
	}
	return sum
}

// before adds what is written to a disk before the release.
func (f *forecast) before(disk string, bytes int64) {
	f.writes[disk] += bytes
	if f.limit > 0 {
		f.limit += bytes
	}
}

// report is the forecast as it is told.
func (f forecast) report() report.Forecast {
	f.Writes = f.written()
	return f.Forecast
}

// forecasts are what the model says if disks are simulated; of real ones, what the plan says, as fast as their links
// allow.
func (r *prepared) forecasts() ([]forecast, error) {
	all := make([]forecast, len(r.plan.Phases))
	for i, phase := range r.plan.Phases {
		f := &all[i]
		f.writes = map[string]int64{}
		for _, job := range phase.Jobs {
			moves, bound := phase.Moves(job)
			f.Moves += moves
			f.MoveBound = f.MoveBound.With(bound)
			if writes := job.Writes(); writes > 0 {
				f.writes[job.Disk] += int64(float64(moves) * writes)
				f.WriteBound = f.WriteBound.With(bound)
			}
		}
		f.Min, f.Max, f.Open = phase.Time()
		if phase.AtMost() {
			write, read := phase.Carried(trace.Write)*phase.Limit.Seconds(), phase.Carried(trace.Read)*phase.Limit.Seconds()
			f.Moves, f.limit = min(f.Moves, int64(write+read)), int64(write)
		}
		if phase.Search != nil {
			f.search(search.New(&phase).AtMost())
		}
	}
	if r.profile != nil {
		if err := r.simulated(all); err != nil {
			return nil, err
		}
	}
	for _, disk := range r.plan.Disks {
		for i, stock := range r.plan.Stock(disk.Name) {
			all[i].before(disk.Name, stock.Before)
		}
		for i, bytes := range r.fillings(disk) {
			all[i].before(disk.Name, bytes)
		}
	}
	return all, nil
}

// fillings is what a disk's volume is filled with before each phase; none if it is not known how full it is.
func (r *prepared) fillings(disk scenario.Disk) []int64 {
	if disk.Simulated() || !slices.ContainsFunc(r.plan.Phases, func(p scenario.Phase) bool { return p.Precondition > 0 }) {
		return nil
	}
	place, err := device.Inspect(disk.Path)
	if err != nil {
		return nil // a check says why
	}
	return r.plan.Fillings(disk.Name, scenario.Volume{Size: place.Size, Used: place.Used, Free: place.Free})
}

// search makes a forecast of one try that of a search of so many tries at most.
func (f *forecast) search(tries int) {
	f.Tries = tries
	f.Moves *= int64(tries)
	f.limit *= int64(tries)
	f.Max *= time.Duration(tries)
	for disk := range f.writes {
		f.writes[disk] *= int64(tries)
	}
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
	var took time.Duration    // by the phase, or by a try of its search
	closePhase := func() {
		for disk, bytes := range open {
			all[i].add(disk, r.plan.Phases[i].Roles[disk], bytes)
		}
		if i >= 0 {
			all[i].Min += took
			all[i].Max = all[i].Min
		}
	}
	err := hub.Simulate(r.plan, r.profile, func(e *trace.Event) error {
		switch e.Type {
		case trace.PhaseType:
			closePhase()
			if e.Search == nil || i < 0 || e.Search.Search != r.plan.Phases[i].Name {
				i++
				all[i] = forecast{writes: map[string]int64{}}
			}
			open, took = map[string]int64{}, r.plan.Phases[i].Limit
			if r.plan.Phases[i].Steady > 0 {
				took = 0 // that is only the latest
			}
			if e.Search != nil {
				all[i].Tries++
			}
		case trace.ProgressType:
			open[e.Disk] = e.Bytes
			took = max(took, time.Duration(e.TNS))
		case trace.FileType:
			open[e.Disk] = 0
			all[i].add(e.Disk, e.Op, e.Bytes)
			took = max(took, time.Duration(e.EndNS))
		}
		return nil
	})
	closePhase()
	return err
}
