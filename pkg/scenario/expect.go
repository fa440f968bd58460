package scenario

import (
	"fmt"
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
	Phases bool // It measures all disks of a phase together, not each.
	Format func(float64) string

	bounds func(*limitKeys) bounded
}

// Measures are all, in the order in which people read them.
func Measures() []*Measure {
	return []*Measure{
		{"rate", false, unit.FormatRate, func(k *limitKeys) bounded { return &k.Rate }},
		{"together", true, unit.FormatRate, func(k *limitKeys) bounded { return &k.Together }},
		{"share", false, unit.FormatPercent, func(k *limitKeys) bounded { return &k.Share }},
		{"kept", false, unit.FormatPercent, func(k *limitKeys) bounded { return &k.Kept }},
		{"p99", false, unit.FormatSeconds, func(k *limitKeys) bounded { return &k.P99 }},
		{"recovery", false, unit.FormatSeconds, func(k *limitKeys) bounded { return &k.Recovery }},
		{"late_frames", false, formatWhole, func(k *limitKeys) bounded { return &k.LateFrames }},
	}
}

func formatWhole(v float64) string { return strconv.FormatFloat(v, 'f', 0, 64) }

// limitKeys are the keys of limits of a phase and disk.
type limitKeys struct {
	At *yaml.Mapping
	_  yaml.Among `keys:"rate together share kept p99 recovery late_frames" neither:"the limit bounds nothing; add one, such as rate: {min: 1.2 GB/s}"`

	Phase      string                `yaml:"phase" is:"name" doc:"the phase, and its repeats; every phase if it is left out"`
	Disk       string                `yaml:"disk" is:"name" doc:"the disk; every disk if it is left out"`
	Rate       bounds[rateBound]     `yaml:"rate" doc:"a disk's in the overlap"`
	Together   bounds[rateBound]     `yaml:"together" doc:"the rate of all disks in the overlap"`
	Share      bounds[float64]       `yaml:"share" is:"0% to 100%" doc:"a disk's, of the overlap's bytes"`
	Kept       bounds[float64]       `yaml:"kept" is:"0% to 1000%" doc:"what a disk kept of its rate without the others"`
	P99        bounds[time.Duration] `yaml:"p99" is:"0 s to 1 h" doc:"the time that 99% of a disk's requests took at most"`
	Recovery   bounds[time.Duration] `yaml:"recovery" is:"0 s to 1 h" doc:"how long a disk took to recover after another ended"`
	LateFrames bounds[int]           `yaml:"late_frames" is:"0 to 1000000000" doc:"of all streams of a disk"`
}

// bounds are the ends of a measure's range, each nil if it is open.
type bounds[T rateBound | float64 | time.Duration | int] struct {
	_ yaml.Among `keys:"min max" neither:"%s has no bound; add min: or max:"`

	Min *T `yaml:"min" doc:"at least this"`
	Max *T `yaml:"max" doc:"at most this"`
}

// Check compares the ends.
func (b *bounds[T]) Check(m *yaml.Mapping) {
	if b.Min != nil && b.Max != nil && *b.Min > *b.Max {
		m.Errorf("%s: min is larger than max; swap them", m.Path())
	}
}

// bounded are bounds of any measure.
type bounded interface {
	ends() (from, to *float64)
}

func (b *bounds[T]) ends() (from, to *float64) { return asFloat(b.Min), asFloat(b.Max) }

// asFloat returns a bound in the unit of its measure; times are in seconds.
func asFloat[T rateBound | float64 | time.Duration | int](bound *T) *float64 {
	if bound == nil {
		return nil
	}
	if span, ok := any(*bound).(time.Duration); ok {
		return new(span.Seconds())
	}
	return new(float64(*bound))
}

// rateBound is a rate with a unit, which other rates do not require: 1.2 would be 1.2 B/s, which
// every disk reaches.
type rateBound float64

// Value returns the rate.
func (r *rateBound) Value() yaml.Value {
	rate := yaml.Tagged((*float64)(r), `is:"0 B/s to 1 TB/s"`)
	schema := yaml.Schema{"type": "string", "pattern": unit.RatePattern,
		"allOf": []yaml.Schema{{"pattern": "[Bb]\\s*/s"}}}
	return yaml.Value{Schema: schema, Read: func(n yaml.Node) {
		number := strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(n.Raw()), "/s"))
		if _, err := strconv.ParseFloat(number, 64); err == nil {
			n.Errorf("%s: rate %s: the unit is missing; "+
				"try a number with KB/s, MB/s or GB/s, such as 1.2 GB/s",
				n.Label(), yaml.Quote(n.Raw()))
			return
		}
		rate.Read(n)
	}}
}

// limits returns the limits that a file's entries say, each a bound of one measure.
func limits(entries []limitKeys) (all []Limit) {
	for i := range entries {
		k := &entries[i]
		for _, measure := range Measures() {
			n, ok := k.At.Get(measure.Name)
			if !ok {
				continue
			}
			if measure.Phases && k.Disk != "" {
				n.Errorf("%s is of all disks; delete disk: %s", n.Label(), k.Disk)
			}
			l := Limit{Phase: k.Phase, Disk: k.Disk, Measure: measure, At: n.Pos().String(),
				phaseAt: k.At.PosOf("phase"), diskAt: k.At.PosOf("disk")}
			l.Min, l.Max = measure.bounds(k).ends()
			all = append(all, l)
		}
	}
	return all
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
		Version int         `yaml:"version" is:"1" doc:"the version of this format"`
		Expect  []limitKeys `yaml:"expect,required" empty:"there are no limits; add some, such as {phase: WWW, rate: {min: 1.2 GB/s}}" doc:"what a run must hold"`
	}{}
	yaml.Of(&f).Read(doc.Root())
	list := limits(f.Expect)
	return list, doc.Err()
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

// Holds reports whether a value is within the bounds.
func (l *Limit) Holds(value float64) bool {
	return (l.Min == nil || value >= *l.Min) && (l.Max == nil || value <= *l.Max)
}
