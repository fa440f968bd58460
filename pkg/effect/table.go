package effect

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
)

// setting is the states of phases that repeat one another. Those in which no other disk had a part
// count alone if there are any.
type setting []*State

// Table is what all disks of a run cost one another, as far as that was measured.
type Table struct {
	Effects []Effect // of one neighbour each

	states   []*State
	settings []setting
	repeats  stats.Prior // by how much repeats differ
}

// Compare compares each disk of each setting with itself without each of the others.
func Compare(states []*State) *Table {
	t := &Table{Effects: []Effect{}, states: states, settings: settingsOf(states)}
	t.repeats = repeatsDiffer(t.settings)
	var chances []float64
	for _, set := range t.settings {
		for _, neighbour := range set[0].Parts {
			for _, victim := range set[0].Parts {
				if victim == neighbour {
					continue
				}
				if e := t.effect(set, victim.Disk, neighbour.Disk); e != nil {
					t.Effects = append(t.Effects, *e)
					chances = append(chances, e.pair.LossChance())
				}
			}
		}
	}
	corrected, _ := stats.Holm(chances, nil, FalseClaimRate)
	for i, p := range corrected {
		e := &t.Effects[i]
		e.Sure = p <= FalseClaimRate && e.CI != nil && e.Loss >= MinLoss
	}
	return t
}

// settingsOf puts the states together that are of the same work, those of whole phases first.
func settingsOf(states []*State) []setting {
	var all []setting
	for _, whole := range []bool{true, false} {
		for _, s := range states {
			if s.Whole != whole {
				continue
			}
			i := 0
			for i < len(all) && !sameActors(all[i][0].actors(), s.actors()) {
				i++
			}
			switch {
			case i == len(all):
				all = append(all, setting{s})
			case whole || !all[i][0].Whole:
				all[i] = append(all[i], s)
			}
		}
	}
	return all
}

// effect compares the setting's states, pooled, with all that was measured without some neighbours,
// pooled too. It is nil if no state has such a baseline.
func (t *Table) effect(set setting, victim string, missing ...string) *Effect {
	disk := set[0].Part(victim)
	e := &Effect{
		Victim: victim, VictimOp: disk.Op, Others: []string{},
		victim: disk.Actor, all: set[0].actors(),
	}
	for _, o := range set[0].Parts {
		switch {
		case o == disk:
		case slices.Contains(missing, o.Disk):
			e.Neighbour, e.NeighbourOp = o.Disk, o.Op
			e.missing = append(e.missing, o.Actor)
		default:
			e.Others = append(e.Others, o.Disk)
		}
	}
	var with, without []*Rate
	for _, state := range set {
		b := t.Baseline(state, victim, missing...)
		if b == nil {
			continue
		}
		here, _ := state.Part(victim).rate()
		with = append(with, here)
		for _, r := range b.of {
			if !slices.Contains(without, r) { // A baseline of two repeats counts once.
				without = append(without, r)
			}
		}
		e.Phases = append(e.Phases, state.Phase)
		e.From = b.From
		e.WithoutPhases = b.Phases
	}
	if len(with) == 0 {
		return nil
	}
	e.pair = Pair{t.pool(with), t.pool(without)}
	e.Rate, e.Without, e.Loss = e.pair.With.Mean, e.pair.Without.Mean, 1-e.pair.Kept()
	if kept := e.pair.KeptCI(); kept != nil {
		e.CI = &stats.Interval{1 - kept[1], 1 - kept[0]}
	}
	return e
}

// Missing returns the neighbours without which the effect was measured too.
func (e *Effect) Missing() (names []string) {
	for _, a := range e.missing {
		names = append(names, a.Disk)
	}
	return names
}

// Actors returns all disks that worked with the neighbour.
func (e *Effect) Actors() []Actor { return e.all }

// Pair returns the rates behind the effect.
func (e *Effect) Pair() *Pair { return &e.pair }

// IsOf reports whether the effect is what a neighbour costs a victim, beside whomever.
func (e *Effect) IsOf(neighbour, victim Actor) bool {
	return e.victim.Same(victim) && e.missing[0].Same(neighbour)
}

// Of returns what a neighbour costs a disk where some disks work: beside all of these, or else
// beside as many as were measured; nil if that was not measured at all.
func (t *Table) Of(neighbour, victim Actor, working []Actor) (best *Effect) {
	for i := range t.Effects {
		e := &t.Effects[i]
		closer := best == nil || len(e.Others) > len(best.Others)
		if closer && e.IsOf(neighbour, victim) && Among(e.all, working) {
			best = e
		}
	}
	return best
}

// Against returns the effect by which a disk of a state is judged: that of all others together, or
// else that of the one neighbour without which it has most; nil if neither was measured.
func (t *Table) Against(s *State, victim string) (best *Effect) {
	var set setting
	for _, one := range t.settings {
		if slices.Contains(one, s) {
			set = one
		}
	}
	var others []string
	for _, p := range s.Parts {
		if p.Disk != victim {
			others = append(others, p.Disk)
		}
	}
	if set == nil || len(others) == 0 {
		return nil
	}
	if alone := t.effect(set, victim, others...); alone != nil {
		return alone
	}
	for _, o := range others {
		if e := t.effect(set, victim, o); e != nil && (best == nil || e.Without > best.Without) {
			best = e
		}
	}
	return best
}

// Where the rate without a neighbour is from.
const (
	FromPhases = "phases"
	FromStart  = "start"
	FromEnd    = "end"
)

// Baseline is a disk's rate with fewer others.
type Baseline struct {
	Rate
	From   string   // phases, start or end
	Phases []string // sources
	After  string   // last disk that had ended

	of []*Rate // rates that it is the mean of
}

// Baseline looks for a disk's rate without some of the others: in phases that these have no part
// in, and in the state's phase before they had started or after they had ended. If these differ,
// the lower one counts: the disk was in another state, or what made it slow was not the others.
// There is none if the disk lost more as the others started than these can take.
func (t *Table) Baseline(s *State, victim string, without ...string) (best *Baseline) {
	disk := s.Part(victim)
	here, fell := disk.rate()
	if here == nil {
		return nil
	}
	left := s.without(without)
	for _, set := range t.settings {
		if set[0].Whole && sameActors(set[0].actors(), left) {
			best = t.typical(set, disk.Actor, fell, here.Mean)
			break
		}
	}
	for _, o := range t.states {
		if o.Phase != s.Phase || o.Whole || !sameActors(o.actors(), left) {
			continue
		}
		b, possible := s.within(o, disk, without)
		if !possible {
			return nil
		}
		if b != nil && (best == nil || math.Log(best.Mean/b.Mean) > sameReference) {
			best = b
		}
	}
	return best
}

// within compares a disk of the state with another state of the same phase, in which some have not
// started yet or have ended. It is nil if its rate changed by itself between both, and not possible
// if it lost more as they started than they can take.
func (s *State) within(o *State, disk *Part, without []string) (b *Baseline, possible bool) {
	here, fell := disk.rate()
	there := o.Part(disk.Disk).at(fell)
	if there == nil {
		return nil, true
	}
	b = &Baseline{Rate: *there, From: FromEnd, of: []*Rate{there}}
	var last *Part // last is the missing disk that ended last.
	var moved float64
	for _, name := range without {
		p := s.Part(name)
		moved += p.Moved
		if last == nil || p.EndNS > last.EndNS {
			last = p
		}
	}
	b.After = last.Disk
	from, to := here, there
	if o.In[0].StartNS < s.In[0].StartNS {
		b.From = FromStart
		from, to = there, here
		if there.Mean-here.Mean > maxWaste*moved {
			return nil, false
		}
	}
	between := overlap.Between(from.In[len(from.In)-1].EndNS-CloseNS, to.In[0].StartNS+CloseNS)
	for _, at := range disk.Cuts {
		if between.StartNS <= at && at <= between.EndNS {
			return nil, true
		}
	}
	return b, true
}

// typical returns the disk's mean rate over all states; nil if none has one. A disk that fell in
// them but not here may have been low here from the start: then it is compared with the rate that
// is closer to the one here.
func (t *Table) typical(set setting, disk Actor, fell bool, here float64) (best *Baseline) {
	for _, fallen := range []bool{false, true} {
		if fell && !fallen {
			continue
		}
		var all []*Rate
		var phases []string
		for _, state := range set {
			if p := state.Part(disk.Disk); p.at(fallen) != nil {
				all = append(all, p.at(fallen))
				phases = append(phases, state.Phase)
			}
		}
		if len(all) == 0 {
			continue
		}
		mean := t.pool(all)
		if best == nil || math.Abs(math.Log(mean.Mean/here)) < math.Abs(math.Log(best.Mean/here)) {
			best = &Baseline{Rate: mean, of: all, From: FromPhases, Phases: phases}
		}
	}
	return best
}
