package scenario

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	yaml "github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Limit is what a run must hold: a measure of a phase and a disk, or of all, within its bounds.
type Limit struct {
	Phase   string // empty: every phase that has the measure
	Disk    string // empty: every disk
	Measure *Measure
	Min     *float64
	Max     *float64
	At      string // where it stands: "hubbench.yaml:12:5"

	phaseAt, diskAt yaml.Pos
}

// Measure is something that limits are given for.
type Measure struct {
	Name   string
	About  string
	Phases bool // It measures all disks of a phase together, not each.
	Format func(float64) string

	value func(*float64) yaml.Value
}

// Measures are all, in the order in which people read them.
func Measures() []*Measure {
	share := func(to *float64) yaml.Value { return yaml.Percent(to, 0, 1) }
	kept := func(to *float64) yaml.Value { return yaml.Percent(to, 0, 10) }
	return []*Measure{
		{"rate", "a disk's in the overlap", false, unit.FormatRate, rateBound},
		{"together", "the rate of all disks in the overlap", true, unit.FormatRate, rateBound},
		{"share", "a disk's, of the overlap's bytes", false, unit.FormatPercent, share},
		{"kept", "what a disk kept of its rate without the others", false,
			unit.FormatPercent, kept},
		{"p99", "the time that 99 % of a disk's requests took at most", false,
			unit.FormatSeconds, timeBound},
		{"recovery", "how long a disk took to recover after another ended", false,
			unit.FormatSeconds, timeBound},
		{"late_frames", "of all streams of a disk", false, formatWhole, wholeBound},
	}
}

func timeBound(to *float64) yaml.Value {
	var d time.Duration
	return yaml.Duration(&d, 0, time.Hour).Then(func(yaml.Node) { *to = d.Seconds() })
}

func wholeBound(to *float64) yaml.Value {
	var n int64
	return yaml.Int(&n, 0, 1e9).Then(func(yaml.Node) { *to = float64(n) })
}

func formatWhole(v float64) string { return strconv.FormatFloat(v, 'f', 0, 64) }

// rateBound requires a unit, which other rates do not: 1.2 would be 1.2 B/s, which every disk
// reaches.
func rateBound(to *float64) yaml.Value {
	rate := yaml.Rate(to, 0, 1e12)
	schema := yaml.Schema{"type": "string", "pattern": unit.RatePattern,
		"allOf": []yaml.Schema{{"pattern": "[Bb]\\s*/s"}}}
	return yaml.Read(schema, func(n yaml.Node) {
		number := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(n.Raw()), "/s"))
		if _, err := strconv.ParseFloat(number, 64); err == nil {
			n.Errorf("%s: rate %s: the unit is missing; try a number with KB/s, MB/s or GB/s, such as 1.2 GB/s", n.Label(), yaml.Quote(n.Raw()))
			return
		}
		rate.Read(n)
	})
}

// limits is a list of mappings, each with bounds of one or more measures.
type limits []Limit

// Value is the list.
func (l *limits) Value() yaml.Value {
	var each [][]Limit
	return yaml.Items[[]Limit]{
		To: &each, Item: limit,
		Empty: "there are no limits; add some, such as {phase: WWW, rate: {min: 1.2 GB/s}}",
	}.Value().Then(func(yaml.Node) { *l = slices.Concat(each...) })
}

func limit(to *[]Limit) yaml.Value {
	var of Limit
	keys := []yaml.Key{
		yaml.Optional("phase", yaml.Name(&of.Phase),
			"the phase, and its repeats; every phase if it is left out"),
		yaml.Optional("disk", yaml.Name(&of.Disk), "the disk; every disk if it is left out"),
	}
	var names []string
	for _, measure := range Measures() {
		names = append(names, measure.Name)
		keys = append(keys, yaml.Optional(measure.Name, measure.bounds(to), measure.About))
	}
	return yaml.Object{
		Keys: keys,
		Among: []yaml.Among{{Keys: names,
			Neither: "the limit bounds nothing; add one, such as rate: {min: 1.2 GB/s}"}},
		Check: func(m *yaml.Mapping) {
			for i := range *to {
				l := &(*to)[i]
				n, _ := m.Get(l.Measure.Name)
				if l.Measure.Phases && of.Disk != "" {
					n.Errorf("%s is of all disks; delete disk: %s", n.Label(), of.Disk)
				}
				l.Phase, l.Disk, l.At = of.Phase, of.Disk, n.Pos().String()
				l.phaseAt, l.diskAt = m.PosOf("phase"), m.PosOf("disk")
			}
		},
	}.Value()
}

// bounds reads the measure's bounds, and appends them to the limits.
func (m *Measure) bounds(to *[]Limit) yaml.Value {
	l := Limit{Measure: m, Min: new(float64), Max: new(float64)}
	return yaml.Object{
		Keys: []yaml.Key{
			yaml.Optional("min", m.value(l.Min), "at least this"),
			yaml.Optional("max", m.value(l.Max), "at most this"),
		},
		Among: []yaml.Among{{Keys: []string{"min", "max"},
			Neither: m.Name + " has no bound; add min: or max:"}},
		Check: func(at *yaml.Mapping) {
			if at.Has("min") && at.Has("max") && *l.Min > *l.Max {
				at.Errorf("%s: min is larger than max; swap them", m.Name)
			}
			if !at.Has("min") {
				l.Min = nil
			}
			if !at.Has("max") {
				l.Max = nil
			}
			*to = append(*to, l)
		},
	}.Value()
}

// checkExpect rejects limits on phases and disks that the plan lacks. The names of a search's tries
// are not known in advance.
func (s *Scenario) checkExpect(plan *Plan) error {
	var mistakes yaml.Doc
	var phases []string
	searches := false
	works := map[[2]string]bool{}
	for _, p := range plan.Phases {
		searches = searches || p.Search != nil
		for _, name := range []string{trace.Unnumbered(p.Name), p.Name} {
			if !slices.Contains(phases, name) {
				phases = append(phases, name)
			}
			for _, j := range p.Jobs {
				works[[2]string{name, j.Disk}] = true
			}
		}
	}
	for _, l := range s.Expect {
		switch {
		case l.Phase != "" && !slices.Contains(phases, l.Phase) && !searches:
			mistakes.Report(l.phaseAt.Errorf("no phase is called %s; try %s", yaml.Quote(l.Phase),
				yaml.Suggest(l.Phase, phases)))
		case l.Disk != "" && !s.hasDisk(l.Disk):
			mistakes.Report(l.diskAt.Errorf("no disk is called %s; try %s", yaml.Quote(l.Disk),
				yaml.Suggest(l.Disk, s.diskNames())))
		case slices.Contains(phases, l.Phase) && l.Disk != "" && !works[[2]string{l.Phase, l.Disk}]:
			mistakes.Report(l.diskAt.Errorf("%s does nothing in %s; name another disk or phase",
				l.Disk, yaml.Quote(l.Phase)))
		}
	}
	return mistakes.Err()
}

// LoadLimits reads a file of limits: a mapping with nothing but version and expect. A whole
// scenario is read as one.
func LoadLimits(name string, data []byte) ([]Limit, error) {
	doc, err := yaml.Parse(name, data)
	if err != nil {
		return nil, err
	}
	if doc.Root().Mapping().Has("disks") {
		s, err := Load(name, data)
		if err != nil {
			return nil, err
		}
		return s.Expect, nil
	}
	f := struct {
		Version int    `yaml:"version" is:"1 to 1" doc:"the version of this format"`
		Expect  limits `yaml:"expect,required" doc:"what a run must hold"`
	}{}
	yaml.Of(&f).Read(doc.Root())
	return f.Expect, doc.Err()
}

// WriteLimits writes limits as LoadLimits reads them, those of a phase and disk on one line.
func WriteLimits(list []Limit) string {
	var out strings.Builder
	out.WriteString("version: 1\nexpect:\n")
	for len(list) > 0 {
		first := list[0]
		n := 1
		for n < len(list) && list[n].Phase == first.Phase && list[n].Disk == first.Disk {
			n++
		}
		var parts []string
		for _, key := range [][2]string{{"phase", first.Phase}, {"disk", first.Disk}} {
			if key[1] != "" {
				parts = append(parts, fmt.Sprintf("%s: %q", key[0], key[1]))
			}
		}
		for _, l := range list[:n] {
			parts = append(parts, fmt.Sprintf("%s: {%s}", l.Measure.Name,
				l.bounds("min: ", "max: ")))
		}
		fmt.Fprintf(&out, "  - {%s}\n", strings.Join(parts, ", "))
		list = list[n:]
	}
	return out.String()
}

// Bounds says what the limit allows: "at least 1.2 GB/s".
func (l *Limit) Bounds() string { return l.bounds("at least ", "at most ") }

func (l *Limit) bounds(atLeast, atMost string) string {
	var parts []string
	if l.Min != nil {
		parts = append(parts, atLeast+l.Measure.Format(*l.Min))
	}
	if l.Max != nil {
		parts = append(parts, atMost+l.Measure.Format(*l.Max))
	}
	return strings.Join(parts, ", ")
}

// Holds compares a value, of which an interval says what it may be, with the bounds: 1 if it is
// within them, -1 if it is outside, and 0 if the interval leaves that open.
func (l *Limit) Holds(low, high float64) int {
	least, most := math.Inf(-1), math.Inf(1)
	if l.Min != nil {
		least = *l.Min
	}
	if l.Max != nil {
		most = *l.Max
	}
	switch {
	case high < least || low > most:
		return -1
	case low >= least && high <= most:
		return 1
	default:
		return 0
	}
}
