package hub

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	yaml "github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Bounds of what a profile may say; values outside them are typing errors.
const (
	minRate, maxRate     = 1e3, 1e12 // bytes per second
	minWeight, maxWeight = 1e-3, 1e3
	longestLag           = time.Hour
	maxLanes             = 64
	MinFactor            = 0.01
	maxPerFile           = time.Minute
	maxBytes             = 1e15

	minErr, maxErr = 1e-6, 1.0 // relative errors of a rate: none is known better, and more says nothing
)

// Bounds that a fit keeps to as well.
const (
	MaxStaying = 64  // entries of a list of lags
	MaxNoise   = 0.5 // relative, from file to file
)

const noRate = "%s needs a rate; write hub: (through the hub), direct: (on a port of its own) or both"

// Load reads a hub profile from YAML. name is the file's, for errors; each names the line, the
// column and the reason.
func Load(name string, data []byte) (*Profile, error) {
	doc, err := yaml.Parse(name, data)
	if err != nil {
		return nil, err
	}
	p := &Profile{Link: math.Inf(1), Lane: math.Inf(1),
		Capacity: Capacity{ReadWeight: 1, WriteWeight: 1}}
	p.value().Read(doc.Root())
	return p, doc.Err()
}

// Schema is the JSON Schema of profiles, made of the keys that Load reads.
func Schema() yaml.Schema { return new(Profile).value().Schema() }

// value is the format of a profile, for Load and for Schema.
func (p *Profile) value() yaml.Value {
	c, e := &p.Capacity, &p.Evidence
	var recovery []yaml.Key
	does := map[trace.Role]string{trace.Read: "reader", trace.Write: "writer"}
	for _, list := range p.Lags.Lists() {
		lag := func(to *time.Duration) yaml.Value { return yaml.Duration(to, 0, longestLag) }
		lags := yaml.Items[time.Duration]{To: list.Lags, Item: lag}.Value().Then(func(n yaml.Node) {
			if items := n.Items(); len(items) > MaxStaying {
				items[MaxStaying].Errorf("%s has more than %d entries; the last stands for all that follow", list.Key, MaxStaying)
			}
		})
		about := fmt.Sprintf("of %ss, after a %s has ended: if one disk stays, if two stay, and so on",
			does[list.Stays], does[list.Left])
		recovery = append(recovery, yaml.Optional(list.Key, lags, about))
	}
	const noDisks = "disks is empty; describe at least one"
	version := 1
	old := ignored().Then(func(yaml.Node) { p.Withdrawn = true })
	return yaml.Object{Keys: []yaml.Key{
		yaml.Required("version", yaml.Int(&version, 1, 1), "the version of this format"),
		yaml.Required("name", yaml.String(&p.Name), "the hub, in one word"),
		yaml.Optional("about", yaml.String(&p.About), "what it is, in one line"),
		yaml.Optional("source", yaml.OneOf(&p.Source, string(Measured), string(Specified),
			string(Fitted)),
			"where the figures are from: measured, specifications (data sheets) or fitted (to runs)"),
		yaml.Optional("link", yaml.Rate(&p.Link, minRate, maxRate),
			"what the link to the computer can carry one way; no limit by default"),
		yaml.Optional("lane", yaml.Rate(&p.Lane, minRate, maxRate),
			"what one PCIe lane of an enclosure can carry; no limit by default"),
		yaml.Optional("noise", yaml.Float(&p.Noise, 0, MaxNoise),
			"relative standard deviation of a file's rate from file to file"),
		yaml.Required("capacity", capacityValue(c, &p.Link, old), "what the hub carries in total"),
		yaml.Optional("weights", yaml.Object{Keys: []yaml.Key{
			yaml.Optional("read", yaml.Float(&c.ReadWeight, minWeight, maxWeight), "of reads"),
			yaml.Optional("write", yaml.Float(&c.WriteWeight, minWeight, maxWeight), "of writes"),
		}}.Value(), "how much of `both` each direction gets while both are busy"),
		yaml.Optional("sharing", old, withdrawn),
		yaml.Optional("recovery", yaml.Object{Keys: recovery}.Value(),
			"how long the disks that stay keep their old rate after another has ended"),
		yaml.Required("disks", yaml.Items[Disk]{To: &p.Disks, Item: p.diskValue,
			Empty: noDisks}.Value(),
			"the disks"),
		yaml.Optional("observed", yaml.Object{Keys: []yaml.Key{
			yaml.Optional("rates", yaml.Items[Observation]{To: &e.Rates,
				Item: p.observationValue}.Value(),
				"rates of disks that worked together, or alone"),
			yaml.Optional("lags", ignored(),
				"times of recovery; fit wrote them once, and they are ignored"),
			yaml.Optional("noise", ignored(),
				"how much files differ; fit wrote it once, and it is ignored"),
		}}.Value(), "what was measured: with it, predictions have intervals; fit writes it"),
	}}.Value()
}

// withdrawn is said of keys that fit wrote before there was one law of sharing.
const withdrawn = "read and ignored: hubs share by weight; fit the runs again"

func capacityValue(c *Capacity, link *float64, old yaml.Value) yaml.Value {
	read := func(key string, to *float64) yaml.Value {
		return yaml.Rate(to, minRate, maxRate).Then(func(n yaml.Node) {
			atMost(n, key, *to, *link, "the link's %s; a port cannot carry more than its link")
		})
	}
	return yaml.Object{Keys: []yaml.Key{
		yaml.Required("read", read("read", &c.Read), "of reads"),
		yaml.Required("write", read("write", &c.Write), "of writes"),
		yaml.Optional("both", yaml.Rate(&c.Both, minRate, maxRate).Then(func(n yaml.Node) {
			if c.Read > 0 && c.Write > 0 {
				atMost(n, "both", c.Both, c.Read+c.Write,
					"read and write together (%s); lower it, or leave it out for no joint limit")
			}
		}), "of reads and writes together; the sum of both by default"),
		yaml.Optional("pair", yaml.Float(&c.Pair, MinFactor, 1),
			"factor of `read`, and of `write`, while two disks share that direction"),
		yaml.Optional("two_writers", yaml.Float(&c.TwoWriters, MinFactor, 1),
			"factor of `both` while more than one disk writes"),
		yaml.Optional("per_disk", old, withdrawn),
		yaml.Optional("read_loss", old, withdrawn),
		yaml.Optional("write_loss", old, withdrawn),
	}}.Value().Then(func(yaml.Node) {
		if c.Both == 0 {
			c.Both = c.Read + c.Write
		}
	})
}

func (p *Profile) diskValue(d *Disk) yaml.Value {
	lanes := math.Inf(1) // what the enclosure carries
	cache := &Cache{}
	return yaml.Object{
		Keys: []yaml.Key{
			yaml.Required("name", yaml.FileName(&d.Name).Then(func(n yaml.Node) {
				if d.Name != "" && p.Disk(d.Name) != nil {
					n.Errorf("disk %s is listed twice; rename one", yaml.Quote(d.Name))
				}
			}), "the disk's name; scenarios use it"),
			yaml.Optional("about", yaml.String(&d.About), "what it is, in one line"),
			yaml.Optional("lanes", yaml.Int(&d.Lanes, 1, maxLanes).Then(func(n yaml.Node) {
				if d.Lanes > 0 && math.IsInf(p.Lane, 1) {
					n.Errorf("lanes say nothing without a rate for each; add lane: at the top, such as lane: 0.75 GB/s")
				} else if d.Lanes > 0 {
					lanes = float64(d.Lanes) * p.Lane
				}
			}), "PCIe lanes of its enclosure, each of which carries `lane`"),
			yaml.Optional("read", sideValue(&d.Read, "read", &p.Capacity.Read, &lanes),
				"its rates of reading"),
			yaml.Optional("write", sideValue(&d.Write, "write", &p.Capacity.Write, &lanes),
				"its rates of writing"),
			yaml.Optional("cache", yaml.Object{Keys: []yaml.Key{
				yaml.Required("bytes", yaml.Bytes(&cache.Bytes, 1, maxBytes),
					"how much it takes at full speed after a rest"),
				yaml.Required("after",
					yaml.Rate(&cache.After, minRate, maxRate).Then(func(n yaml.Node) {
						if fastest := max(d.Write.Hub, d.Write.Direct); fastest > 0 {
							atMost(n, "after", cache.After, fastest,
								"the %s that the disk writes at its best; a spent cache does not make it faster")
						}
					}), "the rate when it is full"),
				yaml.Optional("refill", yaml.Rate(&cache.Refill, 0, maxRate),
					"how fast it is regained while the disk does not write"),
			}}.Value().Then(func(yaml.Node) { d.Cache = cache }), "its fast cache for writing"),
		},
		Among: []yaml.Among{
			{Keys: []string{"read"}, Neither: fmt.Sprintf(noRate, "read")},
			{Keys: []string{"write"}, Neither: fmt.Sprintf(noRate, "write")},
		},
	}.Value()
}

// sideValue is one direction of a disk: what the hub carries in it, and the disk's lanes, bound it.
// Of hub and direct one may be missing: a disk known only on a port of its own is taken to reach
// the same through the hub, as far as the hub can carry it, and the other way round. If both are
// missing, the lanes are all that is known.
func sideValue(s *Side, direction string, carries, lanes *float64) yaml.Value {
	s.Weight = 1
	ofSide := func(key string, to *float64) yaml.Value {
		return yaml.Rate(to, minRate, maxRate).Then(func(n yaml.Node) {
			atMost(n, key, *to, *lanes, "the %s of the disk's lanes; nothing passes them faster")
			if key == "hub" && *carries > 0 {
				atMost(n, key, *to, *carries,
					"the %s that the hub carries in that direction; nothing passes it faster")
			}
		})
	}
	return yaml.Object{
		Keys: []yaml.Key{
			yaml.Optional("hub", ofSide("hub", &s.Hub),
				"alone, through the hub; as `direct` by default, as far as the hub carries it"),
			yaml.Optional("direct", ofSide("direct", &s.Direct),
				"on a port of its own; as `hub` by default"),
			yaml.Optional("weight", yaml.Float(&s.Weight, minWeight, maxWeight),
				"how strongly it pulls on a direction that is full, against the others"),
			yaml.Optional("per_file", yaml.Duration(&s.PerFile, 0, maxPerFile),
				"the time that each file takes beyond its bytes"),
			yaml.Optional("knee", yaml.Object{Keys: []yaml.Key{
				yaml.Required("above", yaml.Bytes(&s.Knee.AboveBytes, 1, maxBytes), "that size"),
				yaml.Required("factor", yaml.Float(&s.Knee.Factor, MinFactor, 1),
					"of the rate, for larger files"),
			}}.Value(), "a size of file above which it is slower"),
		},
		Check: func(m *yaml.Mapping) {
			hub, direct := m.Has("hub"), m.Has("direct")
			switch {
			case !hub && !direct && math.IsInf(*lanes, 1):
				m.Errorf(noRate, direction)
			case !hub && !direct:
				s.Hub, s.Direct = min(*lanes, *carries), *lanes
			case !hub:
				s.Hub = min(s.Direct, *carries)
			case !direct:
				s.Direct = s.Hub
			}
		},
	}.Value()
}

// observationValue is what was observed of some disks, each of which must be the profile's.
func (p *Profile) observationValue(o *Observation) yaml.Value {
	disk := func(d *Observed) yaml.Value {
		return yaml.Object{Keys: []yaml.Key{
			yaml.Required("disk", yaml.String(&d.Disk).Then(func(n yaml.Node) {
				switch {
				case p.Disk(d.Disk) == nil:
					n.Errorf("the profile has no disk %s; try %s", yaml.Quote(d.Disk),
						yaml.Suggest(d.Disk, p.Names()))
				case o.Of(d.Disk) != nil:
					n.Errorf("disk %s is listed twice in the observation; delete one",
						yaml.Quote(d.Disk))
				}
			}), "the disk's name"),
			yaml.Required("op", role(&d.Op), "read or write"),
			yaml.Required("rate", yaml.Rate(&d.Rate, minRate, maxRate), "its rate"),
			yaml.Required("error", yaml.Float(&d.Error, minErr, maxErr),
				"relative standard error of the rate"),
		}}.Value()
	}
	const noDisks = "disks is empty; say which were active, or delete the observation"
	return yaml.Object{
		Keys: []yaml.Key{
			yaml.Optional("phase", yaml.String(&o.Phase), "where it was seen"),
			yaml.Optional("direct", yaml.Bool(&o.Direct), "its one disk was on a port of its own"),
			yaml.Required("disks", yaml.Items[Observed]{To: &o.Disks, Item: disk,
				Empty: noDisks}.Value(),
				"which disks worked, and how fast"),
		},
		Check: func(m *yaml.Mapping) {
			if n, _ := m.Get("direct"); o.Direct && len(o.Disks) > 1 {
				n.Errorf("%d disks together are no direct observation; write one for each",
					len(o.Disks))
			}
		},
	}.Value()
}

// ignored reads anything.
func ignored() yaml.Value { return yaml.Read(yaml.Schema{}, func(yaml.Node) {}) }

func role(to *trace.Role) yaml.Value {
	return yaml.OneOf(to, string(trace.Read), string(trace.Write))
}

// atMost reports a rate above a limit, of which the text says what it is.
func atMost(n yaml.Node, key string, rate, limit float64, what string) {
	if rate > limit {
		n.Errorf("%s is %s, above "+what, key, unit.FormatRate(rate), unit.FormatRate(limit))
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

func (w *yamlWriter) disk(d *Disk) {
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
