package report

import (
	"fmt"
	"slices"

	"github.com/hubbench/hubbench/pkg/compare"
)

// flow returns the loads of most disks, and the one of the headline, on the hubs of both runs; nil
// if no load has several disks.
func (c comparison) flow(rows *Rows) *Flow {
	h := &Flow{Unit: c.Unit, PerUnit: c.Size, Rows: rows,
		Runs: []LegendKey{c.base, c.runs[0].key}}
	keys := newKeys(c.disks)
	loads := c.phaseLoads()
	most := 0
	for _, l := range loads {
		most = max(most, len(l.Phase.Disks()))
	}
	lead := c.headlineChange()
	for i, l := range loads {
		leads := lead != nil && lead.Phase == l.Phase
		if len(l.Phase.Disks()) < most && !leads || len(h.States) == maxChoices {
			continue
		}
		if s := c.flowState(keys, l); len(s.Disks) > 1 || leads {
			s.ID = fmt.Sprintf("load-%d", i+1)
			h.States = append(h.States, s)
		}
	}
	if most < 2 || len(h.States) == 0 {
		return nil
	}
	return h
}

// flowState returns a load on both hubs, with the disks that have a rate on each.
func (c comparison) flowState(keys []LegendKey, l loadPair) FlowState {
	change := func(r *compare.Rate) Cell {
		cell := changeCell(*r.Change)
		cell.Tone = pick(r.Verdict == compare.Slower, Bad, Unsigned)
		return cell
	}
	s := FlowState{Title: l.title, Choice: true}
	if l.Disk == "" { // else the sum has no rate of its own
		s.Change = change(l.Rate)
		s.Total.Text = c.Rate(*l.Base)
		s.Then.Text = c.Rate(*l.New)
	}
	for _, r := range inBoth(l.Phase) {
		if r.Disk == "" {
			continue
		}
		changed := r.Verdict == compare.Slower || r.Verdict == compare.Faster
		d := FlowDisk{LegendKey: keys[slices.Index(c.disks, r.Disk)],
			Verb: l.Phase.Work[r.Disk].Does().One, Rate: *r.Base, ThenRate: *r.New,
			Value: c.rateCell(*r.Base), Then: c.rateCell(*r.New), Keeps: change(r),
			Named: len(l.Phase.Disks()) < manyDisks || changed}
		d.Value.Strong = true
		s.Disks = append(s.Disks, d)
	}
	return s
}
