package compare

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

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
type fact struct{ cause, what, phase, disk string }

// record is how a run was made, value by value. What is not known is not in it.
type record map[fact]string

func (r record) add(f fact, value string) {
	if value != "" {
		r[f] = value
	}
}

// walk adds all values of an object as JSON has them, each by its key after the fact's words.
func (r record) walk(of fact, object any) {
	values := map[string]any{}
	text, err := json.Marshal(object)
	if err != nil || json.Unmarshal(text, &values) != nil {
		return
	}
	// These tell a thing from others like it, say how it is at the moment, or are added in words of
	// their own.
	unlike := "about connections container device errors free_bytes hub id label link mount " +
		"mounts name options path pause port retries roles serial upstream vendor warnings"
	for key, value := range values {
		f := of
		f.what = strings.TrimSpace(of.what + " " + strings.ReplaceAll(key, "_", " "))
		number, isNumber := value.(float64)
		inner, isObject := value.(map[string]any)
		_, isList := value.([]any)
		switch {
		case isList || slices.Contains(strings.Fields(unlike), key):
		case isObject:
			r.walk(f, inner)
		case isNumber && number == 0:
		case isNumber && strings.HasSuffix(key, "_ns"):
			f.what = strings.TrimSuffix(f.what, " ns")
			r.add(f, unit.FormatSeconds(number/1e9))
		case isNumber && (strings.HasSuffix(key, "bytes") || key == "block"):
			r.add(f, unit.FormatBlock(int64(number)))
		default:
			r.add(f, fmt.Sprint(value))
		}
	}
}

// recordOf is what is known about how a run was made, in the given phases.
func recordOf(r, other *matchedRun, phases []PhasePair) record {
	out := record{}
	out.add(
		fact{cause: ofDisks, what: "disks"},
		map[bool]string{true: "simulated", false: "real"}[r.simulated()],
	)
	if setup := r.Trace.Hardware; setup != nil {
		out.add(fact{cause: ofConnection, what: "port"}, setup.Port)
		out.add(fact{cause: ofHub, what: "hub about"}, setup.About)
		out.walk(fact{cause: ofHost, what: "host"}, setup.Host)
		if setup.Hub != nil {
			out.add(fact{cause: ofHub, what: "hub"}, setup.Hub.Product())
			out.walk(fact{cause: ofHub, what: "hub"}, setup.Hub)
		}
		for name, disk := range setup.Disks {
			out.walk(fact{cause: ofDisks, disk: name}, disk)
			out.add(fact{ofDisks, "about", "", name}, disk.About)
			out.add(fact{ofConnection, "links", "", name}, disk.Path.String())
			if v := disk.Volume; v != nil && v.Filesystem != "" {
				out.add(fact{ofDisks, "mounted", "", name},
					cmp.Or(strings.Join(v.Options, ", "), "by default"))
				// A disk that is nearly full may have few blocks left that it can write to without
				// erasing.
				full := map[bool]string{true: "over 90% full",
					false: "at most 90% full"}[v.Fill() > 0.9]
				out.add(fact{ofDisks, "fill level", "", name}, full)
			}
		}
	}
	if m := r.Method; m != nil {
		out.add(fact{cause: ofHost, what: "system"}, m.System)
		out.add(fact{cause: ofNothing, what: "hubbench"}, m.Tool)
		out.add(fact{cause: ofNothing, what: "seed"}, fmt.Sprint(m.Plan.Seed))
		if hub := m.Plan.Hub; hub != nil {
			out.add(fact{cause: ofHub, what: "hub model"}, cmp.Or(hub.Profile, hub.Name))
		}
	}
	for _, d := range r.Trace.Disks {
		out.add(fact{ofNothing, "path", "", d.Name}, d.Path)
		out.add(fact{ofDisks, "profile", "", d.Name}, d.Profile)
	}
	for _, phase := range phases {
		out.phase(r, other, phase.Name)
	}
	return out
}

// phase notes what the disks did in a phase, and how they were really driven if both runs say so.
func (r record) phase(run, other *matchedRun, name string) {
	p := run.part(name)
	does := map[string]work.Work{}
	for _, d := range p.traced.Disks {
		w := p.works[d.Name]
		does[d.Name] = work.Work{Op: d.Op}
		r.add(fact{ofConnection, "connection", name, d.Name}, p.connections[d.Name])
		for _, key := range work.Ways() {
			if w.Declared() {
				r.add(fact{ofWork, string(key), name, d.Name}, w.Value(key))
			}
		}
		if mode, known := run.effective(p, d.Name); known {
			if _, both := other.effective(other.part(name), d.Name); both {
				r.walk(fact{ofWork, "", name, d.Name}, mode)
			}
		}
		if p.traced.Stop != scenario.StopTime {
			r.add(fact{ofNothing, "files", name, d.Name}, filesOf(d))
		}
	}
	if run.Method != nil {
		for i := range run.Method.Plan.Phases {
			if planned := &run.Method.Plan.Phases[i]; planned.Name == p.traced.Name {
				r.walk(fact{cause: ofNothing, phase: name}, planned)
			}
		}
	}
	r.add(fact{ofWork, "roles", name, ""}, work.Who(run.Analysis.Order, does))
	r.add(fact{ofWork, "test", name, ""}, cmp.Or(p.traced.Test, "none"))
	r.add(fact{ofNothing, "stop", name, ""}, cmp.Or(p.traced.Stop, scenario.StopRace))
}

func (r *matchedRun) effective(p *matchedPhase, disk string) (mode trace.Effective, known bool) {
	if r.Method != nil {
		mode, known = r.Method.Effective[p.traced.Name][disk]
	}
	return mode, known
}

// filesOf is how much a disk moved that counts.
func filesOf(d *trace.DiskRecord) string {
	n := 0
	bytes := int64(0)
	for i := range d.Files {
		if f := &d.Files[i]; !f.Filler {
			n++
			bytes += f.Bytes
		}
	}
	return fmt.Sprintf("%d, %s in total", n, unit.FormatBytes(bytes))
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
	rank := func(cause string) int {
		return slices.Index([]string{ofDisks, ofConnection, ofHub, ofHost, ofWork, ofNothing},
			cause)
	}
	facts := slices.SortedFunc(maps.Keys(before), func(a, b fact) int {
		return cmp.Or(
			rank(a.cause)-rank(b.cause),
			cmp.Compare(a.what, b.what),
			cmp.Compare(a.phase, b.phase),
			cmp.Compare(a.disk, b.disk),
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
		place := f.disk + f.phase
		if f.disk != "" && f.phase != "" {
			place = f.disk + " in " + f.phase
		}
		places[d] = append(places[d], place)
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
	list := p.Method
	for _, phase := range p.Phases {
		for _, d := range phase.Unlike {
			list = append(
				slices.Clone(list),
				Difference{d.What, d.Where + " in " + phase.Title, d.Base, d.New, ofWork},
			)
		}
	}
	for _, d := range list {
		if d.Cause == ofNothing || slices.Contains(p.Differs, d.Cause) {
			continue
		}
		if d.What == "hub model" &&
			!slices.Contains(p.Differs, ofDisks) { // It has the speeds of its disks.
			p.Differs = append(p.Differs, ofDisks)
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
