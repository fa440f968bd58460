package compare

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
)

// Method is how a run was made, beyond what its trace says.
type Method struct {
	Tool      string // hubbench's version
	Host      string
	System    string                                // operating system, processor
	Plan      *scenario.Plan                        // never nil
	Effective map[string]map[string]trace.Effective // by phase and disk
	// On a hub model in virtual time, even if the plan's disks are real.
	Simulated bool
}

// Difference is something that differed between the two runs. It may be what they are meant to
// compare, or make the comparison unfair.
type Difference struct {
	What  string `json:"what"`
	Where string `json:"where,omitempty"` // phases and disks; empty: everywhere
	Base  string `json:"base"`
	New   string `json:"new"`

	Cause string `json:"-"` // what a change may be due to, because of it
}

// The causes that a difference may be, in the order in which differences are listed. A run's seed,
// paths, version and length are none.
const (
	ofDisks      = "disks"
	ofHub        = "hub"
	ofConnection = "connection"
	ofHost       = "host"
	ofWork       = "work"
	ofNothing    = "~"
)

// fact is one value of a run's record: of a phase, a disk, a disk in a phase, or of the run.
type fact struct{ cause, what, where string }

// record is how a run was made, value by value. What is not known is not in it.
type record map[fact]string

// add notes values of one place, each after its name.
func (r record) add(cause, where string, pairs ...string) {
	for pair := range slices.Chunk(pairs, 2) {
		if pair[1] != "" {
			r[fact{cause, pair[0], where}] = pair[1]
		}
	}
}

// yesOrNo is empty for what is not known.
func yesOrNo(known *bool) string {
	if known == nil {
		return ""
	}
	return map[bool]string{true: "yes", false: "no"}[*known]
}

// recordOf returns what is known about how a run was made, in the given phases.
func recordOf(r, other *matchedRun, phases []PhasePair) record {
	out := record{}
	out.add(ofDisks, "", "disks",
		map[bool]string{true: "simulated", false: "real"}[r.simulated()])
	if setup := r.Trace.Hardware; setup != nil {
		out.add(ofConnection, "", "port", setup.Port)
		out.add(ofHub, "", "hub about", setup.About)
		if host := setup.Host; host != nil {
			out.add(ofHost, "", "host model", host.Model, "host os", host.OS, "host cpu", host.CPU,
				"host power", string(host.Power))
		}
		if hub := setup.Hub; hub != nil {
			out.add(ofHub, "", "hub", hub.Product(), "hub firmware", hub.Firmware,
				"hub protocol", hub.Protocol)
		}
		for name, disk := range setup.Disks {
			out.addDisk(name, disk)
		}
	}
	if m := r.Method; m != nil {
		out.add(ofHost, "", "system", m.System)
		out.add(ofNothing, "", "hubbench", m.Tool, "seed", fmt.Sprint(m.Plan.Seed))
		if hub := m.Plan.Hub; hub != nil {
			out.add(ofHub, "", "hub model", cmp.Or(hub.Profile, hub.Name))
		}
	}
	for _, d := range r.Trace.Disks {
		out.add(ofDisks, d.Name, "profile", d.Profile)
	}
	for _, phase := range phases {
		out.addPhase(r, other, phase.Name)
	}
	return out
}

func (r record) addDisk(name string, disk hardware.Unit) {
	r.add(ofConnection, name, "links", disk.Path.String(), "bus", string(disk.Bus),
		"uasp", yesOrNo(disk.UASP))
	r.add(ofDisks, name, "model", disk.Model, "firmware", disk.Firmware, "about", disk.About,
		"enclosure", disk.Enclosure, "raid", disk.RAID, "trim", yesOrNo(disk.Trim),
		"write cache", yesOrNo(disk.WriteCache))
	if v := disk.Volume; v != nil && v.Filesystem != "" {
		// A disk that is nearly full may have few blocks left that it can write to without
		// erasing.
		full := map[bool]string{true: "over 90% full", false: "at most 90% full"}[v.Fill() > 0.9]
		r.add(ofDisks, name, "fill level", full, "file system", v.Filesystem,
			"encrypted", yesOrNo(v.Encrypted), "compressed", yesOrNo(v.Compressed),
			"mounted", cmp.Or(strings.Join(v.Options, ", "), "by default"))
	}
}

// addPhase notes what the disks did in a phase, and how they were really driven if both runs say
// so.
func (r record) addPhase(run, other *matchedRun, name string) {
	p := run.part(name)
	does := map[string]work.Work{}
	for _, d := range p.traced.Disks {
		w := p.works[d.Name]
		does[d.Name] = work.Work{Op: d.Op}
		where := d.Name + " in " + name
		r.add(ofConnection, where, "connection", p.connections[d.Name])
		for _, key := range work.Ways() {
			if w.Declared() {
				r.add(ofWork, where, string(key), w.Value(key))
			}
		}
		mode := run.effective(p, d.Name)
		if there := other.effective(other.part(name), d.Name); mode == nil || there == nil {
			continue
		}
		r.add(ofWork, where, "engine", mode.Engine, "cache", mode.Cache,
			"small writes", mode.SmallWrites, "flush", mode.Flush, "flush reaches",
			mode.FlushReaches, "priority", mode.Priority, "space", mode.Space)
		if mode.Depth > 0 {
			r.add(ofWork, where, "block", unit.FormatBlock(mode.Block),
				"depth", fmt.Sprint(mode.Depth))
		}
	}
	if run.Method != nil {
		for i := range run.Method.Plan.Phases {
			if planned := &run.Method.Plan.Phases[i]; planned.Name == p.traced.Name {
				r.add(ofNothing, name, "cooldown",
					unit.FormatSeconds(planned.Cooldown.Seconds()))
			}
		}
	}
	r.add(ofWork, name, "roles", work.Who(run.Analysis.Order, does),
		"test", cmp.Or(p.traced.Test, "none"))
	r.add(ofNothing, name, "stop", cmp.Or(p.traced.Stop, scenario.StopRace))
}

// effective returns how a disk was really driven; nil if that is not known.
func (r *matchedRun) effective(p *matchedPhase, disk string) *trace.Effective {
	if r.Method == nil {
		return nil
	}
	if mode, known := r.Method.Effective[p.traced.Name][disk]; known {
		return &mode
	}
	return nil
}

// simulated reports whether the run was simulated on a model, even if its disks are real.
func (r *matchedRun) simulated() bool {
	if r.Method != nil && r.Method.Simulated {
		return true
	}
	for _, d := range r.Trace.Disks {
		if d.Profile == "" {
			return false
		}
	}
	return len(r.Trace.Disks) > 0
}

// differences lists the values that both records have and that differ, possible causes of a change
// first. What differs in the same way in several places is listed once.
func differences(base, other *matchedRun, phases []PhasePair) []Difference {
	before, after := recordOf(base, other, phases), recordOf(other, base, phases)
	causes := []string{ofDisks, ofConnection, ofHub, ofHost, ofWork, ofNothing}
	facts := slices.SortedFunc(maps.Keys(before), func(a, b fact) int {
		return cmp.Or(
			slices.Index(causes, a.cause)-slices.Index(causes, b.cause),
			cmp.Compare(a.what, b.what),
			cmp.Compare(a.where, b.where),
		)
	})
	list := []Difference{}
	places := map[Difference][]string{}
	all := map[string]int{}
	for _, f := range facts {
		now, known := after[f]
		if !known {
			continue
		}
		if all[f.what]++; now == before[f] {
			continue
		}
		d := Difference{What: f.what, Base: before[f], New: now, Cause: f.cause}
		if places[d] == nil {
			list = append(list, d)
		}
		places[d] = append(places[d], f.where)
	}
	for i, d := range list {
		if len(places[d]) < all[d.What] {
			list[i].Where = shortList(places[d], ", ")
		}
	}
	if base.Method != nil && other.Method != nil && base.Method.Host != other.Method.Host {
		// Pages that people show to others name no computer.
		list = append(list, Difference{What: "host", Base: "one computer", New: "another",
			Cause: ofHost})
	}
	return list
}

// shortList lists names, after the third only how many more there are.
func shortList(names []string, separator string) string {
	if more := len(names) - 3; more > 1 {
		names = append(slices.Clone(names[:3]), fmt.Sprintf("%d more", more))
	}
	return strings.Join(names, separator)
}

// explain fills in what differs between two runs and may so be the cause of a change.
func (p *Pair) explain(base, other *matchedRun) {
	var details []string
	p.Differs = []string{}
	list := slices.Clone(p.Method)
	for _, phase := range p.Phases {
		for _, d := range phase.Unlike {
			d.Where += " in " + phase.Title
			d.Cause = ofWork
			list = append(list, d)
		}
	}
	for _, d := range list {
		if d.Cause == ofNothing || slices.Contains(p.Differs, d.Cause) {
			continue
		}
		if d.What == "hub model" && !slices.Contains(p.Differs, ofDisks) {
			p.Differs = append(p.Differs, ofDisks) // which has the speeds of its disks
		}
		p.Differs = append(p.Differs, d.Cause)
		details = append(details, strings.TrimSpace(d.What+" "+d.Where)+": "+d.Base+" → "+d.New)
	}
	known := base.Trace.Hardware != nil && other.Trace.Hardware != nil ||
		base.simulated() && other.simulated() && base.Method != nil && other.Method != nil
	what := fmt.Sprintf("%s (%s)", unit.List(p.Differs), strings.Join(details, "; "))
	switch n := len(p.Differs); {
	case n == 0 && !known:
		p.Headline = "What the runs were made on is not recorded in both, so nothing tells what " +
			"a change is due to."
	case n == 0:
		p.Headline = "Same disks, hub and work, as far as recorded, so a change would be " +
			"run-to-run variation."
	case n > 1:
		p.Headline = "Different " + what + ": any of them may be the cause."
	case !known:
		p.Headline = "Different " + what + "; what else differs is not recorded in both."
	default:
		p.Headline = "Different " + what + ", which may be the cause."
	}
}
