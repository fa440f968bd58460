package hub

import (
	"math"
	"time"

	"github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Bounds of what a profile may say; values outside them are typing errors.
const (
	minRate, maxRate     = 1e3, 1e12 // bytes per second
	minWeight, maxWeight = 1e-3, 1e3
	longestLag           = time.Hour
	maxLanes             = 64
	maxPerDisk           = 1.0
	maxLoss              = 0.95
	minFactor            = 0.01
	maxPerFile           = time.Minute
	maxBytes             = 1e15

	minErr, maxErr         = 1e-6, 1.0 // of a rate, relative: none is known better, and more says nothing
	minLagErrS             = 1e-6
	maxSquares, maxFreedom = 1e9, 1_000_000_000
)

// Bounds that a fit keeps to as well.
const (
	MaxStaying = 64  // entries of a list of lags
	MaxNoise   = 0.5 // relative, from file to file
)

// The rules of sharing, as a profile names them.
const (
	maxMin       = "max-min"
	proportional = "proportional"
	pooled       = "pooled"
)

// Load reads a hub profile from YAML. name is the file's, for errors; each names the line, the column and
// the reason.
func Load(name string, data []byte) (*Profile, error) {
	doc, err := strictyaml.Parse(name, data)
	if err != nil {
		return nil, err
	}
	p := &Profile{Link: math.Inf(1), Lane: math.Inf(1)}
	m := doc.Root().Mapping()
	m.Require("version", "name", "capacity", "disks")
	version, sharing := 1, maxMin
	m.Read("version", strictyaml.Int(&version, 1, 1))
	m.Read("name", strictyaml.String(&p.Name))
	m.Read("about", strictyaml.String(&p.About))
	m.Read("source", strictyaml.OneOf(&p.Source, string(Measured), string(Specified), string(Fitted)))
	m.Read("link", strictyaml.Rate(&p.Link, minRate, maxRate))
	m.Read("lane", strictyaml.Rate(&p.Lane, minRate, maxRate))
	m.Read("noise", strictyaml.Float(&p.Noise, 0, MaxNoise))
	loadCapacity(m.Mapping("capacity"), p)

	c := &p.Capacity
	weights := m.Mapping("weights")
	c.ReadWeight, c.WriteWeight = 1, 1
	weights.Read("read", strictyaml.Float(&c.ReadWeight, minWeight, maxWeight))
	weights.Read("write", strictyaml.Float(&c.WriteWeight, minWeight, maxWeight))
	weights.Done()
	m.Read("sharing", strictyaml.OneOf(&sharing, maxMin, proportional, pooled))
	c.Proportional, c.Pooled = sharing == proportional, sharing == pooled

	recovery := m.Mapping("recovery")
	for _, list := range p.Lags.Lists() {
		items := recovery.Items(list.Key)
		if len(items) > MaxStaying {
			items[MaxStaying].Errorf("%s has more than %d entries; the last stands for all that follow", list.Key, MaxStaying)
			continue
		}
		for _, item := range items {
			lag := time.Duration(-1)
			strictyaml.Duration(&lag, 0, longestLag).Read(item)
			if lag >= 0 {
				*list.Lags = append(*list.Lags, lag)
			}
		}
	}
	recovery.Done()

	disks := m.Items("disks")
	if _, ok := m.Get("disks"); ok && len(disks) == 0 {
		report(m, "disks", "disks is empty; describe at least one")
	}
	for _, item := range disks {
		p.Disks = append(p.Disks, loadDisk(item.Mapping(), p))
	}
	loadEvidence(m.Mapping("observed"), p)
	m.Done()
	return p, doc.Err()
}

func loadCapacity(m *strictyaml.Mapping, p *Profile) {
	c := &p.Capacity
	m.Require("read", "write")
	for key, to := range map[string]*float64{"read": &c.Read, "write": &c.Write} {
		m.Read(key, strictyaml.Rate(to, minRate, maxRate))
		atMost(m, key, *to, p.Link, "the link's %s; a port cannot carry more than its link")
	}
	c.Both = c.Read + c.Write
	m.Read("both", strictyaml.Rate(&c.Both, minRate, maxRate))
	if c.Read > 0 && c.Write > 0 {
		atMost(m, "both", c.Both, c.Read+c.Write,
			"read and write together (%s); lower it, or leave it out for no joint limit")
	}
	m.Read("pair", strictyaml.Float(&c.Pair, minFactor, 1))
	m.Read("two_writers", strictyaml.Float(&c.TwoWriters, minFactor, 1))
	m.Read("per_disk", strictyaml.Float(&c.PerDisk, 0, maxPerDisk))
	m.Read("read_loss", strictyaml.Float(&c.ReadLoss, 0, maxLoss))
	m.Read("write_loss", strictyaml.Float(&c.WriteLoss, 0, maxLoss))
	m.Done()
}

func loadDisk(m *strictyaml.Mapping, p *Profile) (d Disk) {
	m.Require("name")
	for _, key := range []string{"read", "write"} {
		if _, ok := m.Get(key); !ok {
			m.Missing(key, noRate, key)
		}
	}
	m.Read("name", strictyaml.FileName(&d.Name))
	m.Read("about", strictyaml.String(&d.About))
	if d.Name != "" && p.Disk(d.Name) != nil {
		report(m, "name", "disk %s is listed twice; rename one", strictyaml.Quote(d.Name))
	}
	lanes := math.Inf(1) // what the enclosure carries
	m.Read("lanes", strictyaml.Int(&d.Lanes, 1, maxLanes))
	if d.Lanes > 0 {
		lanes = float64(d.Lanes) * p.Lane
		if math.IsInf(p.Lane, 1) {
			report(m, "lanes", "lanes say nothing without a rate for each; add lane: at the top, such as lane: 0.75 GB/s")
		}
	}
	d.Read = loadSide(m.Mapping("read"), "read", p.Capacity.Read, lanes)
	d.Write = loadSide(m.Mapping("write"), "write", p.Capacity.Write, lanes)
	if _, ok := m.Get("cache"); ok {
		cache := m.Mapping("cache")
		d.Cache = &Cache{}
		cache.Require("bytes", "after")
		cache.Read("bytes", strictyaml.Bytes(&d.Cache.Bytes, 1, maxBytes))
		cache.Read("after", strictyaml.Rate(&d.Cache.After, minRate, maxRate))
		cache.Read("refill", strictyaml.Rate(&d.Cache.Refill, 0, maxRate))
		if fastest := max(d.Write.Hub, d.Write.Direct); fastest > 0 {
			atMost(cache, "after", d.Cache.After, fastest,
				"the %s that the disk writes at its best; a spent cache does not make it faster")
		}
		cache.Done()
	}
	m.Done()
	return d
}

const noRate = "%s needs a rate; write hub: (through the hub), direct: (on a port of its own) or both"

// loadSide reads one direction of a disk: what the hub carries in it, and the disk's lanes, bound it. Of hub and
// direct one may be missing: a disk known only on a port of its own is taken to reach the same through the hub, as
// far as the hub can carry it, and the other way round. If both are missing, the lanes are all that is known.
func loadSide(m *strictyaml.Mapping, direction string, carries, lanes float64) Side {
	s := Side{Weight: 1}
	m.Read("hub", strictyaml.Rate(&s.Hub, minRate, maxRate))
	m.Read("direct", strictyaml.Rate(&s.Direct, minRate, maxRate))
	m.Read("weight", strictyaml.Float(&s.Weight, minWeight, maxWeight))
	m.Read("per_file", strictyaml.Duration(&s.PerFile, 0, maxPerFile))
	if _, ok := m.Get("knee"); ok {
		knee := m.Mapping("knee")
		knee.Require("above", "factor")
		knee.Read("above", strictyaml.Bytes(&s.Knee.AboveBytes, 1, maxBytes))
		knee.Read("factor", strictyaml.Float(&s.Knee.Factor, minFactor, 1))
		knee.Done()
	}
	m.Done()
	const ofLanes = "the %s of the disk's lanes; nothing passes them faster"
	atMost(m, "hub", s.Hub, lanes, ofLanes)
	atMost(m, "direct", s.Direct, lanes, ofLanes)
	if carries > 0 {
		atMost(m, "hub", s.Hub, carries, "the %s that the hub carries in that direction; nothing passes it faster")
	}
	_, hub := m.Get("hub")
	_, direct := m.Get("direct")
	switch {
	case !hub && !direct && math.IsInf(lanes, 1):
		m.Errorf(noRate, direction)
	case !hub && !direct:
		s.Hub, s.Direct = min(lanes, carries), lanes
	case !hub:
		s.Hub = min(s.Direct, carries)
	case !direct:
		s.Direct = s.Hub
	}
	return s
}

// loadEvidence reads what was observed. Every disk of it must be the profile's.
func loadEvidence(m *strictyaml.Mapping, p *Profile) {
	e := &p.Evidence
	for _, item := range m.Items("rates") {
		seen := item.Mapping()
		seen.Require("disks")
		var o Observation
		seen.Read("phase", strictyaml.String(&o.Phase))
		seen.Read("direct", strictyaml.Bool(&o.Direct))
		for _, item := range seen.Items("disks") {
			o.Disks = append(o.Disks, loadObserved(item.Mapping(), p, &o))
		}
		if n := len(o.Disks); n == 0 {
			report(seen, "disks", "disks is empty; say which were active, or delete the observation")
		} else if o.Direct && n > 1 {
			report(seen, "direct", "%d disks together are no direct observation; write one for each", n)
		}
		seen.Done()
		e.Rates = append(e.Rates, o)
	}
	for _, item := range m.Items("lags") {
		seen := item.Mapping()
		seen.Require("stays", "left", "staying", "seconds", "error")
		var l ObservedLag
		seen.Read("phase", strictyaml.String(&l.Phase))
		seen.Read("stays", strictyaml.OneOf(&l.Stays, string(trace.Read), string(trace.Write)))
		seen.Read("left", strictyaml.OneOf(&l.Left, string(trace.Read), string(trace.Write)))
		seen.Read("staying", strictyaml.Int(&l.Staying, 1, MaxStaying))
		seen.Read("seconds", strictyaml.Float(&l.Seconds, 0, longestLag.Seconds()))
		seen.Read("error", strictyaml.Float(&l.Error, minLagErrS, longestLag.Seconds()))
		seen.Done()
		e.Lags = append(e.Lags, l)
	}
	noise := m.Mapping("noise")
	noise.Read("squares", strictyaml.Float(&e.Noise.Squares, 0, maxSquares))
	noise.Read("freedom", strictyaml.Int(&e.Noise.Freedom, 0, maxFreedom))
	noise.Done()
	m.Done()
}

func loadObserved(m *strictyaml.Mapping, p *Profile, o *Observation) (d Observed) {
	m.Require("disk", "op", "rate", "error")
	m.Read("disk", strictyaml.String(&d.Disk))
	m.Read("op", strictyaml.OneOf(&d.Op, string(trace.Read), string(trace.Write)))
	m.Read("rate", strictyaml.Rate(&d.Rate, minRate, maxRate))
	m.Read("error", strictyaml.Float(&d.Error, minErr, maxErr))
	m.Done()
	name := strictyaml.Quote(d.Disk)
	switch {
	case p.Disk(d.Disk) == nil:
		report(m, "disk", "the profile has no disk %s; try %s", name, strictyaml.Suggest(d.Disk, p.Names()))
	case o.Of(d.Disk) != nil:
		report(m, "disk", "disk %s is listed twice in the observation; delete one", name)
	}
	return d
}

// atMost reports a rate above a limit, of which the text says what it is.
func atMost(m *strictyaml.Mapping, key string, rate, limit float64, what string) {
	if rate > limit {
		report(m, key, "%s is %s, above "+what, key, unit.FormatRate(rate), unit.FormatRate(limit))
	}
}

// report reports a mistake at a key's value.
func report(m *strictyaml.Mapping, key, format string, args ...any) {
	if n, ok := m.Get(key); ok {
		n.Errorf(format, args...)
		return
	}
	m.Errorf(format, args...)
}
