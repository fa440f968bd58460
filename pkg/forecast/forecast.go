// Package forecast says what a plan moves, writes and takes, before it runs: by the hub model if
// the disks are simulated, and if they are real by what the plan says, as fast as their links
// allow.
package forecast

import (
	"time"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Forecast is what a phase is expected to come to.
type Forecast struct {
	Moves      int64            // measured, of all disks, filler included
	Writes     map[string]int64 // each disk's wear: with what is written before the release
	MoveBound  scenario.Bound   // bound of Moves
	WriteBound scenario.Bound
	Min        time.Duration
	Max        time.Duration
	Open       bool // the maximum is not known
	Tries      int  // maximum number of tries of a search; for simulated disks the number it takes

	// Limit of all writes together, if their sum exceeds what their links carry; 0: none.
	limit int64
}

// Total returns all phases, one after the other.
func Total(phases []Forecast) Forecast {
	sum := Forecast{Writes: map[string]int64{}}
	for _, f := range phases {
		sum.limit = sum.Written() + f.Written()
		sum.Moves += f.Moves
		sum.MoveBound, sum.WriteBound = sum.MoveBound.With(f.MoveBound),
			sum.WriteBound.With(f.WriteBound)
		sum.Min, sum.Max, sum.Open = sum.Min+f.Min, sum.Max+f.Max, sum.Open || f.Open
		for disk, bytes := range f.Writes {
			sum.Writes[disk] += bytes
		}
	}
	return sum
}

// Written returns what all disks write.
func (f Forecast) Written() int64 {
	var sum int64
	for _, bytes := range f.Writes {
		sum += bytes
	}
	if f.limit > 0 {
		return min(sum, f.limit)
	}
	return sum
}

// Of returns the forecasts of a plan's phases. The profile is that of the simulated hub, nil if the
// disks are real; volumes are those of real disks, as far as they are known.
func Of(plan *scenario.Plan, profile *hub.Profile, volumes map[string]scenario.Volume) ([]Forecast,
	error) {
	all := make([]Forecast, len(plan.Phases))
	for i, phase := range plan.Phases {
		f := &all[i]
		f.Writes = map[string]int64{}
		for _, job := range phase.Jobs {
			moves, bound := phase.Moves(job)
			f.Moves += moves
			f.MoveBound = f.MoveBound.With(bound)
			if writes := job.Writes(); writes > 0 {
				f.Writes[job.Disk] += int64(float64(moves) * writes)
				f.WriteBound = f.WriteBound.With(bound)
			}
		}
		f.Min, f.Max, f.Open = phase.Time()
		if phase.AtMost() {
			write, read := phase.Carried(trace.Write)*phase.Limit.Seconds(),
				phase.Carried(trace.Read)*phase.Limit.Seconds()
			f.Moves = min(f.Moves, int64(write+read))
			f.limit = int64(write)
		}
		if phase.Search != nil {
			f.Tries = search.New(&phase).MaxTries() // The forecast so far is that of one try.
			f.Moves, f.limit, f.Max = f.Moves*int64(f.Tries), f.limit*int64(f.Tries),
				f.Max*time.Duration(f.Tries)
			for disk := range f.Writes {
				f.Writes[disk] *= int64(f.Tries)
			}
		}
	}
	if profile != nil {
		if err := simulated(plan, profile, all); err != nil {
			return nil, err
		}
	}
	for _, disk := range plan.Disks {
		fillings := plan.Fillings(disk.Name, volumes[disk.Name])
		for i, stock := range plan.Stock(disk.Name) {
			before := stock.Before + fillings[i]
			all[i].Writes[disk.Name] += before
			if all[i].limit > 0 {
				all[i].limit += before
			}
		}
	}
	return all, nil
}

// Space returns what test files, and what fills a volume, take up on a disk at one time.
func Space(plan *scenario.Plan, disk string, volumes map[string]scenario.Volume) int64 {
	fillings := plan.Fillings(disk, volumes[disk])
	var most, filled int64
	for i, stock := range plan.Stock(disk) {
		filled += fillings[i]
		most = max(most, stock.Space+filled)
		if !plan.KeepsFilling(i) {
			filled = 0
		}
	}
	return most
}

func (f *Forecast) add(disk string, role trace.Role, bytes int64) {
	f.Moves += bytes
	if role == trace.Write {
		f.Writes[disk] += bytes
	}
}

// simulated replaces forecasts by what the model says.
func simulated(plan *scenario.Plan, profile *hub.Profile, all []Forecast) error {
	i := -1
	var open map[string]int64 // bytes of the file that each disk has in transfer
	var took time.Duration    // by the phase, or by a try of its search
	closePhase := func() {
		if i < 0 {
			return
		}
		for disk, bytes := range open {
			all[i].add(disk, plan.Phases[i].Roles[disk], bytes)
		}
		all[i].Min += took
		all[i].Max = all[i].Min
	}
	err := hub.Simulate(plan, profile, func(e *trace.Event) error {
		switch e.Type {
		case trace.PhaseType:
			closePhase()
			if e.Search == nil || i < 0 || e.Search.Search != plan.Phases[i].Name {
				i++
				all[i] = Forecast{Writes: map[string]int64{}}
			}
			open = map[string]int64{}
			took = plan.Phases[i].Limit
			if plan.Phases[i].Steady > 0 {
				took = 0 // It would only be the latest.
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
