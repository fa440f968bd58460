package hub

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	yaml "github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Bounds that a fit keeps to as well; the tags of Profile have them too.
const (
	MaxStaying = 64  // entries of a list of lags
	MaxNoise   = 0.5 // relative, from file to file
	MinFactor  = 0.01
)

// profileKeys are the keys of a profile file: strictyaml.Of has the tags.
type profileKeys struct {
	Version int `yaml:"version,required" is:"1" doc:"the version of this format"`
	Profile `yaml:",inline"`

	Capacity capacityKeys `yaml:"capacity,required" doc:"what the hub carries in total"`
	Weights  struct {
		Read  float64 `yaml:"read" is:"0.001 to 1000" default:"1" doc:"of reads"`
		Write float64 `yaml:"write" is:"0.001 to 1000" default:"1" doc:"of writes"`
	} `yaml:"weights" doc:"how much of capacity.both each direction gets while both are busy"`
	Sharing  ignored `yaml:"sharing" doc:"read and ignored: hubs share by weight; fit the runs again"`
	Observed struct {
		Rates []Observation `yaml:"rates" doc:"rates of disks that worked together, or alone"`
		Lags  ignored       `yaml:"lags" doc:"times of recovery; fit wrote them once, and they are ignored"`
		Noise ignored       `yaml:"noise" doc:"how much files differ; fit wrote it once, and it is ignored"`
	} `yaml:"observed" doc:"what was measured: with it, predictions have intervals; fit writes it"`
}

type capacityKeys struct {
	Capacity  `yaml:",inline"`
	PerDisk   ignored `yaml:"per_disk" doc:"read and ignored: hubs share by weight; fit the runs again"`
	ReadLoss  ignored `yaml:"read_loss" doc:"read and ignored: hubs share by weight; fit the runs again"`
	WriteLoss ignored `yaml:"write_loss" doc:"read and ignored: hubs share by weight; fit the runs again"`
}

// ignored reports whether there is a key that may have any value.
type ignored bool

// Value is anything.
func (i *ignored) Value() yaml.Value {
	return yaml.Value{Schema: yaml.Schema{}, Read: func(yaml.Node) { *i = true }}
}

// Load reads a hub profile from YAML. name is the file's, for errors; each names the line, the
// column and the reason.
func Load(name string, data []byte) (*Profile, error) {
	doc, err := yaml.Parse(name, data)
	if err != nil {
		return nil, err
	}
	k := &profileKeys{Profile: Profile{Link: math.Inf(1), Lane: math.Inf(1)}}
	yaml.Of(k).Read(doc.Root())
	if err := doc.Err(); err != nil {
		return nil, err
	}
	p := &k.Profile
	p.Capacity = k.Capacity.Capacity
	p.Evidence.Rates = k.Observed.Rates
	p.Capacity.ReadWeight = k.Weights.Read
	p.Capacity.WriteWeight = k.Weights.Write
	p.Withdrawn = bool(k.Sharing || k.Capacity.PerDisk || k.Capacity.ReadLoss ||
		k.Capacity.WriteLoss)
	p.checkCapacity(doc.Root().Find("capacity"))
	for i := range p.Disks {
		p.checkDisk(i, doc.Root().Find("disks", i))
	}
	for i := range p.Evidence.Rates {
		p.checkObservation(&p.Evidence.Rates[i], doc.Root().Find("observed", "rates", i))
	}
	return p, doc.Err()
}

// Schema returns the JSON Schema of profiles, made of the keys that Load reads.
func Schema() yaml.Schema { return yaml.Of(&profileKeys{}).Schema }

// checkCapacity compares what the hub carries with its link, and fills in the sum of both ways.
func (p *Profile) checkCapacity(n yaml.Node) {
	c := &p.Capacity
	const ofLink = "the link's %s; a port cannot carry more than its link"
	atMost(n, "read", c.Read, p.Link, ofLink)
	atMost(n, "write", c.Write, p.Link, ofLink)
	atMost(n, "both", c.Both, c.Read+c.Write,
		"read and write together (%s); lower it, or leave it out for no joint limit")
	c.Both = cmp.Or(c.Both, c.Read+c.Write)
}

func (p *Profile) checkDisk(i int, n yaml.Node) {
	d := &p.Disks[i]
	if p.Disk(d.Name) != d {
		n.Find("name").Errorf("disk %s is listed twice; rename one", yaml.Quote(d.Name))
	}
	lanes := math.Inf(1) // what the enclosure carries
	switch {
	case d.Lanes > 0 && math.IsInf(p.Lane, 1):
		n.Find("lanes").Errorf("lanes say nothing without a rate for each; " +
			"add lane: at the top, such as lane: 0.75 GB/s")
	case d.Lanes > 0:
		lanes = float64(d.Lanes) * p.Lane
	}
	d.Read.check(n.Find("read"), p.Capacity.Read, lanes)
	d.Write.check(n.Find("write"), p.Capacity.Write, lanes)
	if d.Cache != nil {
		atMost(n.Find("cache"), "after", d.Cache.After, max(d.Write.Hub, d.Write.Direct),
			"the %s that the disk writes at its best; a spent cache does not make it faster")
	}
}

// check checks one direction of a disk: what the hub carries in it, and the disk's lanes, bound it.
// Of hub and direct one may be missing: a disk known only on a port of its own is taken to reach
// the same through the hub, as far as the hub can carry it, and the other way round. If both are
// missing, the lanes are all that is known.
func (s *Side) check(n yaml.Node, carries, lanes float64) {
	const ofLanes = "the %s of the disk's lanes; nothing passes them faster"
	atMost(n, "hub", s.Hub, lanes, ofLanes)
	atMost(n, "direct", s.Direct, lanes, ofLanes)
	atMost(n, "hub", s.Hub, carries,
		"the %s that the hub carries in that direction; nothing passes it faster")
	if s.Hub == 0 && s.Direct == 0 {
		if s.Direct = lanes; math.IsInf(lanes, 1) {
			n.Errorf("%s needs a rate; "+
				"write hub: (through the hub), direct: (on a port of its own) or both", n.Label())
		}
	}
	s.Hub = cmp.Or(s.Hub, min(s.Direct, carries))
	s.Direct = cmp.Or(s.Direct, s.Hub)
}

// checkObservation checks what was observed of some disks, each of which must be the profile's.
func (p *Profile) checkObservation(o *Observation, n yaml.Node) {
	if o.Direct && len(o.Disks) > 1 {
		n.Find("direct").Errorf("%d disks together are no direct observation; "+
			"write one for each", len(o.Disks))
	}
	for i := range o.Disks {
		d := &o.Disks[i]
		at := n.Find("disks", i, "disk")
		switch {
		case p.Disk(d.Disk) == nil:
			at.Errorf("the profile has no disk %s; try %s", yaml.Quote(d.Disk),
				yaml.Suggest(d.Disk, p.Names()))
		case o.Of(d.Disk) != d:
			at.Errorf("disk %s is listed twice in the observation; delete one",
				yaml.Quote(d.Disk))
		}
	}
}

// atMost reports a rate at a key above a limit, which the text names.
func atMost(n yaml.Node, key string, rate, limit float64, what string) {
	if rate > limit {
		n.Find(key).Errorf("%s is %s, above "+what, key, unit.FormatRate(rate),
			unit.FormatRate(limit))
	}
}

// YAML writes the profile as Load reads it, and as a comment the note of each parameter that has
// one, by its keys in the profile: capacity.read, A.write.weight, recovery.write_after_write[2].
func (p *Profile) YAML(notes map[string]string) []byte {
	w := &yamlWriter{notes: notes}
	w.line("version: 1\nname: %q\nabout: %q", p.Name, p.About)
	if p.Source != "" {
		w.line("source: %s", p.Source)
	}
	if !math.IsInf(p.Link, 1) {
		w.line("link: %s", rate(p.Link))
	}
	if !math.IsInf(p.Lane, 1) {
		w.line("lane: %s", rate(p.Lane))
	}
	w.value("noise", "", number(p.Noise))
	c := &p.Capacity
	w.line("\ncapacity:")
	w.value("capacity.read", "  ", rate(c.Read))
	w.value("capacity.write", "  ", rate(c.Write))
	// Else there is no joint limit, and rounding must not make it one too high.
	if c.Both < (c.Read+c.Write)*(1-1e-5) {
		w.value("capacity.both", "  ", rate(c.Both))
	}
	if c.Pair > 0 {
		w.value("capacity.pair", "  ", number(c.Pair))
	}
	if c.TwoWriters > 0 {
		w.value("capacity.two_writers", "  ", number(c.TwoWriters))
	}
	w.line("weights:")
	w.value("weights.read", "  ", number(c.ReadWeight))
	w.value("weights.write", "  ", number(c.WriteWeight))
	w.lags(&p.Lags)
	w.line("\ndisks:")
	for i := range p.Disks {
		w.disk(&p.Disks[i])
	}
	w.evidence(p.Evidence.Pooled())
	return w.Bytes()
}

type yamlWriter struct {
	bytes.Buffer
	notes map[string]string
}

func (w *yamlWriter) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// value writes the last key of a parameter, its value and its note.
func (w *yamlWriter) value(parameter, indent, value string) {
	w.line("%s%s: %s%s", indent, parameter[strings.LastIndexByte(parameter, '.')+1:], value,
		w.note(parameter))
}

func (w *yamlWriter) note(parameter string) string {
	if note := w.notes[parameter]; note != "" {
		return "    # " + note
	}
	return ""
}

func (w *yamlWriter) lags(l *Lags) {
	head := "\nrecovery:\n"
	for _, list := range l.Lists() {
		if len(*list.Lags) == 0 {
			continue
		}
		w.line("%s  %s: [%s]", head, list.Key, seconds(*list.Lags...))
		head = ""
		for i := range *list.Lags {
			if note := w.note(fmt.Sprintf("recovery.%s[%d]", list.Key, i+1)); note != "" {
				w.line("  # %d staying:%s", i+1, note)
			}
		}
	}
}

func (w *yamlWriter) disk(d *DiskModel) {
	w.line("  - name: %q\n    about: %q", d.Name, d.About)
	if d.Lanes > 0 {
		w.line("    lanes: %d", d.Lanes)
	}
	for i, s := range []*Side{&d.Read, &d.Write} {
		key := []string{"read", "write"}[i]
		w.line("    %s:", key)
		w.value(d.Name+"."+key+".hub", "      ", rate(s.Hub))
		w.value(d.Name+"."+key+".direct", "      ", rate(s.Direct))
		w.value(d.Name+"."+key+".weight", "      ", number(s.Weight))
		if s.PerFile > 0 {
			w.line("      per_file: %s", seconds(s.PerFile))
		}
		if s.Knee.AboveBytes > 0 {
			w.line("      knee: {above: %d, factor: %s}", s.Knee.AboveBytes, number(s.Knee.Factor))
		}
	}
	if c := d.Cache; c != nil {
		w.line("    cache: {bytes: %d, after: %s, refill: %s}", c.Bytes, rate(c.After),
			rate(c.Refill))
	}
}

func (w *yamlWriter) evidence(e *Evidence) {
	if len(e.Rates) == 0 {
		return
	}
	w.line("\n# What was observed: in each entry, the disks active together. " +
		"`error` is a rate's standard\n# error, relative.\nobserved:\n  rates:")
	for _, o := range e.Rates {
		w.line("    - phase: %q", o.Phase)
		if o.Direct {
			w.line("      direct: true")
		}
		w.line("      disks:")
		for _, d := range o.Disks {
			w.line("        - {disk: %q, op: %s, rate: %s, error: %s}", d.Disk, d.Op, rate(d.Rate),
				number(d.Error))
		}
	}
}

// rate and number write values with six significant figures, which no measurement here exceeds.
func rate(bytesPerSecond float64) string { return number(bytesPerSecond/1e9) + " GB/s" }

func number(v float64) string {
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 6, 64), 64)
	if err != nil {
		rounded = v // not a number: Load will refuse it
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

func seconds(times ...time.Duration) string {
	list := make([]string, len(times))
	for i, t := range times {
		list[i] = strconv.FormatFloat(t.Seconds(), 'f', -1, 64) + " s"
	}
	return strings.Join(list, ", ")
}
