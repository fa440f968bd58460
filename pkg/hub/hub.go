// Package hub is a hub as a model: what each disk gets when several work at once, and how long the
// others take to recover when one stops.
//
// It is a fluid model: bytes flow at rates that stay constant between events, so a simulation is
// exact and has no time step. It knows nothing of packets, of queues or of the processes that
// measure; its time is its own, in nanoseconds since a phase's release. Start at Profile (the
// parameters), Share (who gets what at one instant) and Sim (who gets what over time). Package
// model makes profiles from runs, and predicts.
package hub

import (
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/trace"
)

// Profile is a hub and the disks known on it. All rates are in bytes per second.
type Profile struct {
	Name     string      `yaml:"name,required" is:"text" doc:"the hub, in one word"`
	About    string      `yaml:"about" is:"text" doc:"what it is, in one line"`
	Source   Source      `yaml:"source" is:"measured | specifications | fitted" doc:"where the figures are from: measured, specifications (data sheets) or fitted (to runs)"`
	Link     float64     `yaml:"link" is:"1 KB/s to 1 TB/s" doc:"what the link to the computer can carry one way; no limit by default"` // infinite if not said
	Lane     float64     `yaml:"lane" is:"1 KB/s to 1 TB/s" doc:"what one PCIe lane of an enclosure can carry; no limit by default"`    // infinite if not said
	Noise    float64     `yaml:"noise" is:"0 to 0.5" doc:"relative standard deviation of a file's rate from file to file"`
	Capacity Capacity    // what the hub carries
	Lags     Lags        `yaml:"recovery" doc:"how long the disks that stay keep their old rate after another has ended"`
	Disks    []DiskModel `yaml:"disks,required" empty:"disks is empty; describe at least one" doc:"the disks"`
	Evidence Evidence    // what was observed, if the profile says so

	Withdrawn bool // it names a way of sharing that is no longer simulated
}

// Source says how a profile's figures were obtained.
type Source string

// The sources, from the surest to the least sure.
const (
	Fitted    Source = "fitted"         // to hubbench's own runs
	Measured  Source = "measured"       // by hand, or taken from published measurements
	Specified Source = "specifications" // from data sheets: not measured
)

// Text says how the figures were obtained; empty if unknown.
func (s Source) Text() string {
	return map[Source]string{
		Fitted: "fitted to runs", Measured: "measured",
		Specified: "from specifications: neither the hub nor its disks were measured",
	}[s]
}

// Mark notes on the disks of a run line that are simulated how the profile's figures were obtained.
func (p *Profile) Mark(disks []trace.Disk) {
	for i := range disks {
		if disks[i].Profile != "" {
			disks[i].Origin = string(p.Source)
		}
	}
}

// DiskModel is one SSD as the model knows it.
type DiskModel struct {
	Name  string `yaml:"name,required" is:"file name" doc:"the disk's name; scenarios use it"`
	About string `yaml:"about" is:"text" doc:"what it is, in one line"`
	// Lanes is zero if it is not said.
	Lanes int    `yaml:"lanes" is:"1 to 64" doc:"PCIe lanes of its enclosure, each of which carries lane"`
	Read  Side   `yaml:"read,required" missing:"read needs a rate; write hub: (through the hub), direct: (on a port of its own) or both" doc:"its rates of reading"`
	Write Side   `yaml:"write,required" missing:"write needs a rate; write hub: (through the hub), direct: (on a port of its own) or both" doc:"its rates of writing"`
	Cache *Cache `yaml:"cache" doc:"its fast cache for writing"` // nil: it writes as fast for ever
}

// Cache is a budget of fast writing: flash written one bit to a cell until it must be rewritten
// denser, or heat that must be shed. From outside the two look the same, so they are one.
type Cache struct {
	Bytes  int64   `yaml:"bytes,required" is:"1 B to 1000 TB" doc:"how much it takes at full speed after a rest"`
	After  float64 `yaml:"after,required" is:"1 KB/s to 1 TB/s" doc:"the rate when it is full"`
	Refill float64 `yaml:"refill" is:"0 B/s to 1 TB/s" doc:"how fast it is regained while the disk does not write"`
}

// Side is a disk in one direction.
type Side struct {
	// Hub is the disk's cap when it contends.
	Hub    float64 `yaml:"hub" is:"1 KB/s to 1 TB/s" doc:"alone, through the hub; as direct by default, as far as the hub carries it"`
	Direct float64 `yaml:"direct" is:"1 KB/s to 1 TB/s" doc:"on a port of its own; as hub by default"`
	Weight float64 `yaml:"weight" is:"0.001 to 1000" default:"1" doc:"how strongly it pulls on a direction that is full, against the others"`

	// What the size of a file does to the rate the disk can reach on it. If contention leaves it
	// less than that, size costs nothing.
	PerFile time.Duration `yaml:"per_file" is:"0 s to 1 min" doc:"the time that each file takes beyond its bytes"`
	Knee    Knee          `yaml:"knee" doc:"a size of file above which it is slower"`
}

// Knee is a file size above which a disk is slower. Its cause is not known; it has been seen in
// reads.
type Knee struct {
	AboveBytes int64   `yaml:"above,required" is:"1 B to 1000 TB" doc:"that size"` // zero: no knee
	Factor     float64 `yaml:"factor,required" is:"0.01 to 1" doc:"of the rate, for larger files"`
}

func (s *Side) cap(direct bool, size int64) float64 {
	rate := s.Hub
	if direct {
		rate = s.Direct
	}
	if s.Knee.AboveBytes > 0 && size > s.Knee.AboveBytes {
		rate *= s.Knee.Factor
	}
	if s.PerFile > 0 {
		rate = float64(size) / (float64(size)/rate + s.PerFile.Seconds())
	}
	return rate
}

func (s *Side) bySize() bool { return s.PerFile > 0 || s.Knee.AboveBytes > 0 }

// Side returns the disk's reading or writing side.
func (d *DiskModel) Side(op trace.Role) *Side {
	if op == trace.Write {
		return &d.Write
	}
	return &d.Read
}

// Disk finds a disk by its name in the profile; nil if there is none.
func (p *Profile) Disk(name string) *DiskModel {
	for i := range p.Disks {
		if p.Disks[i].Name == name {
			return &p.Disks[i]
		}
	}
	return nil
}

// Lags says how long the disks that stay keep their old rate after one has left: by what stays, by
// what left, and by how many stay. The first entry of a list is for one disk that stays, the second
// for two, and so on; the last also stands for more. An empty list is no lag.
type Lags struct {
	WriteAfterWrite []time.Duration `yaml:"write_after_write" is:"0 s to 1 h" max:"64" doc:"of writers, after a writer has ended: if one disk stays, if two stay, and so on"`
	WriteAfterRead  []time.Duration `yaml:"write_after_read" is:"0 s to 1 h" max:"64" doc:"of writers, after a reader has ended: if one disk stays, if two stay, and so on"`
	ReadAfterWrite  []time.Duration `yaml:"read_after_write" is:"0 s to 1 h" max:"64" doc:"of readers, after a writer has ended: if one disk stays, if two stay, and so on"`
	ReadAfterRead   []time.Duration `yaml:"read_after_read" is:"0 s to 1 h" max:"64" doc:"of readers, after a reader has ended: if one disk stays, if two stay, and so on"`
}

// After returns the lag of a disk that stays.
func (l *Lags) After(stays, left trace.Role, staying int) time.Duration {
	for _, list := range l.Lists() {
		if n := len(*list.Lags); list.Stays == stays && list.Left == left && n > 0 && staying > 0 {
			return (*list.Lags)[min(staying, n)-1]
		}
	}
	return 0
}

// LagList is one of the four lists with its key in a profile.
type LagList struct {
	Key         string
	Stays, Left trace.Role
	Lags        *[]time.Duration
}

// Lists returns the four lists, to be read or changed.
func (l *Lags) Lists() [4]LagList {
	const r, w = trace.Read, trace.Write
	return [4]LagList{
		{"write_after_write", w, w, &l.WriteAfterWrite},
		{"write_after_read", w, r, &l.WriteAfterRead},
		{"read_after_write", r, w, &l.ReadAfterWrite},
		{"read_after_read", r, r, &l.ReadAfterRead},
	}
}

// OnHub returns p's disks on the hub of another profile. Each is as fast through it as on a port of
// its own, as far as that hub carries it.
func (p *Profile) OnHub(other *Profile) *Profile {
	out := *other
	out.Lane = p.Lane
	out.Noise = p.Noise
	out.Evidence = Evidence{}
	if p.Source == Specified {
		out.Source = Specified
	}
	out.Disks = slices.Clone(p.Disks)
	for i := range out.Disks {
		d := &out.Disks[i]
		d.Read.Hub = min(d.Read.Direct, out.Capacity.Read)
		d.Write.Hub = min(d.Write.Direct, out.Capacity.Write)
	}
	return &out
}

// Names lists the disks of the profile.
func (p *Profile) Names() []string {
	names := make([]string, len(p.Disks))
	for i, d := range p.Disks {
		names[i] = d.Name
	}
	return names
}

// Evidence is what measurements say of a hub: what is read from runs, what a fit is made from, and
// what a fitted profile keeps so that predictions have intervals.
type Evidence struct {
	Rates []Observation
	Lags  []ObservedLag
	Noise ObservedNoise
}

// Observation is a stretch of time in which the same disks were active and had settled.
type Observation struct {
	Phase  string     `yaml:"phase" is:"text" doc:"where it was seen"`
	Direct bool       `yaml:"direct" default:"false" doc:"its one disk was on a port of its own"`
	Disks  []Observed `yaml:"disks,required" empty:"disks is empty; say which were active, or delete the observation" doc:"which disks worked, and how fast"`
}

// Observed is one disk's rate in an observation.
type Observed struct {
	Disk  string     `json:"disk" yaml:"disk,required" is:"text" doc:"the disk's name"`
	Op    trace.Role `json:"op" yaml:"op,required" is:"read | write" doc:"read or write"`
	Rate  float64    `json:"rate" yaml:"rate,required" is:"1 KB/s to 1 TB/s" doc:"its rate"`
	Error float64    `json:"error" yaml:"error,required" is:"0.000001 to 1" doc:"relative standard error of the rate"`
}

// ObservedLag is a disk's wait for its new share after another left.
type ObservedLag struct {
	Phase       string
	Stays, Left trace.Role
	Staying     int
	Seconds     float64
	Error       float64 // standard error, seconds
}

// ObservedNoise is how much files differ that were moved under the same conditions: the sum of the
// squares of their rates' logarithms, each about its observation's mean, and its degrees of
// freedom.
type ObservedNoise struct {
	Squares float64
	Freedom int
}

// Deviation returns the standard deviation of a file's rate, relative. ok is false if too few files
// were seen.
func (n ObservedNoise) Deviation() (sd float64, ok bool) {
	if n.Freedom < minFreedom {
		return 0, false
	}
	return math.Sqrt(n.Squares / float64(n.Freedom)), true
}

// minFreedom makes a standard deviation good to about a fifth.
const minFreedom = 12

// Mix names what the disks of the observation did, whatever the phase was called: "A write + C
// read".
func (o *Observation) Mix() string {
	parts := make([]string, len(o.Disks))
	for i, d := range o.Disks {
		parts[i] = d.Disk + " " + string(d.Op)
	}
	slices.Sort(parts)
	mix := strings.Join(parts, " + ")
	if o.Direct {
		mix += " direct"
	}
	return mix
}

// Of returns what was observed of a disk; nil if it was not there.
func (o *Observation) Of(disk string) *Observed {
	for i := range o.Disks {
		if o.Disks[i].Disk == disk {
			return &o.Disks[i]
		}
	}
	return nil
}

// Add joins the evidence of another run to this.
func (e *Evidence) Add(other *Evidence) {
	e.Rates = append(e.Rates, other.Rates...)
	e.Lags = append(e.Lags, other.Lags...)
	e.Noise.Squares += other.Noise.Squares
	e.Noise.Freedom += other.Noise.Freedom
}

// Pooled joins all observations of the same disks in the same way, as repeated runs give: to their
// mean in their errors' weights, with an error widened to how far they really differ (Birge, Phys.
// Rev. 40, 1932).
func (e *Evidence) Pooled() *Evidence {
	less := *e
	less.Rates = nil
	groups := map[string][]Observation{}
	var order []string
	for _, o := range e.Rates {
		key := o.Mix()
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], o)
	}
	for _, key := range order {
		group := groups[key]
		mean := group[0]
		mean.Disks = slices.Clone(mean.Disks)
		for i := range mean.Disks {
			if len(group) > 1 {
				mean.Disks[i].pool(group)
			}
		}
		less.Rates = append(less.Rates, mean)
	}
	return &less
}

// pool makes the disk's rate and error those of its mean over a group of observations.
func (d *Observed) pool(group []Observation) {
	var weights, sum, squares float64
	for _, o := range group {
		same := o.Of(d.Disk)
		weight := 1 / (same.Error * same.Error)
		log := math.Log(same.Rate)
		weights += weight
		sum += weight * log
		squares += weight * log * log
	}
	mean := sum / weights
	scatter := max(squares-sum*mean, 0) / float64(len(group)-1)
	d.Rate = math.Exp(mean)
	d.Error = math.Sqrt(max(scatter, 1) / weights)
}

// Disks lists the names of the disks seen, sorted.
func (e *Evidence) Disks() []string {
	seen := map[string]bool{}
	for _, o := range e.Rates {
		for _, d := range o.Disks {
			seen[d.Disk] = true
		}
	}
	return slices.Sorted(maps.Keys(seen))
}
