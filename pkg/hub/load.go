package hub

import (
	"math"
	"slices"
	"time"

	"github.com/hubbench/hubbench/pkg/strictyaml"
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
)

// Bounds that a fit keeps to as well.
const (
	MaxStaying = 64  // entries of a list of lags
	MaxNoise   = 0.5 // relative, from file to file
)

// Load reads a hub profile from YAML. name is the file's, for errors; each names the line, the column and
// the reason.
func Load(name string, data []byte) (*Profile, error) {
	doc, err := strictyaml.Parse(name, data)
	if err != nil {
		return nil, err
	}
	p := &Profile{}
	m := doc.Root().Mapping()
	m.Require("version", "name", "capacity", "disks")
	version := 1
	m.Read("version", strictyaml.Int(&version, 1, 1))
	m.Read("name", strictyaml.String(&p.Name))
	m.Read("about", strictyaml.String(&p.About))
	m.Read("source", strictyaml.OneOf(&p.Source, string(Measured), string(Specified), string(Fitted)))
	p.Link = math.Inf(1)
	m.Read("link", strictyaml.Rate(&p.Link, minRate, maxRate))
	p.Lane = math.Inf(1)
	m.Read("lane", strictyaml.Rate(&p.Lane, minRate, maxRate))
	m.Read("noise", strictyaml.Float(&p.Noise, 0, MaxNoise))
	loadCapacity(m, p)
	loadLags(m.Mapping("recovery"), &p.Lags)
	loadDisks(m, p)
	loadEvidence(m.Mapping("observed"), p)
	m.Done()
	return p, doc.Err()
}

func loadCapacity(m *strictyaml.Mapping, p *Profile) {
	c := &p.Capacity
	capacity := m.Mapping("capacity")
	capacity.Require("read", "write")
	for key, to := range map[string]*float64{"read": &c.Read, "write": &c.Write} {
		capacity.Read(key, strictyaml.Rate(to, minRate, maxRate))
		if *to > p.Link {
			report(capacity, key, "%s is %s, above the link's %s; a port cannot carry more than its link",
				key, unit.FormatRate(*to), unit.FormatRate(p.Link))
		}
	}
	c.Both = c.Read + c.Write
	capacity.Read("both", strictyaml.Rate(&c.Both, minRate, maxRate))
	if sum := c.Read + c.Write; c.Both > sum && c.Read > 0 && c.Write > 0 {
		report(capacity, "both", "both is %s, above read and write together (%s); lower it, or leave it out for no joint limit",
			unit.FormatRate(c.Both), unit.FormatRate(sum))
	}
	capacity.Read("pair", strictyaml.Float(&c.Pair, minFactor, 1))
	capacity.Read("two_writers", strictyaml.Float(&c.TwoWriters, minFactor, 1))
	capacity.Read("per_disk", strictyaml.Float(&c.PerDisk, 0, maxPerDisk))
	capacity.Read("read_loss", strictyaml.Float(&c.ReadLoss, 0, maxLoss))
	capacity.Read("write_loss", strictyaml.Float(&c.WriteLoss, 0, maxLoss))
	capacity.Done()

	weights := m.Mapping("weights")
	c.ReadWeight, c.WriteWeight = 1, 1
	weights.Read("read", strictyaml.Float(&c.ReadWeight, minWeight, maxWeight))
	weights.Read("write", strictyaml.Float(&c.WriteWeight, minWeight, maxWeight))
	weights.Done()

	sharing := maxMin
	m.Read("sharing", strictyaml.OneOf(&sharing, maxMin, proportional, pooled))
	c.Proportional, c.Pooled = sharing == proportional, sharing == pooled
}

// The rules of sharing, as a profile names them.
const (
	maxMin       = "max-min"
	proportional = "proportional"
	pooled       = "pooled"
)

func loadLags(m *strictyaml.Mapping, l *Lags) {
	for _, list := range l.Lists() {
		items := m.Items(list.Key)
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
	m.Done()
}

func loadDisks(m *strictyaml.Mapping, p *Profile) {
	items := m.Items("disks")
	if _, ok := m.Get("disks"); ok && len(items) == 0 {
		report(m, "disks", "disks is empty; describe at least one")
	}
	for _, item := range items {
		disk := item.Mapping()
		disk.Require("name")
		for _, key := range []string{"read", "write"} {
			if _, ok := disk.Get(key); !ok {
				disk.Missing(key, "%s needs a rate; write hub: (through the hub), direct: (on a port of its own) or both", key)
			}
		}
		var d Disk
		disk.Read("name", strictyaml.FileName(&d.Name))
		disk.Read("about", strictyaml.String(&d.About))
		if d.Name != "" && slices.ContainsFunc(p.Disks, func(other Disk) bool { return other.Name == d.Name }) {
			report(disk, "name", "disk %s is listed twice; rename one", strictyaml.Quote(d.Name))
		}
		lanes := math.Inf(1) // what the enclosure carries
		disk.Read("lanes", strictyaml.Int(&d.Lanes, 1, maxLanes))
		if d.Lanes > 0 {
			lanes = float64(d.Lanes) * p.Lane
			if math.IsInf(p.Lane, 1) {
				report(disk, "lanes", "lanes say nothing without a rate for each; add lane: at the top, such as lane: 0.75 GB/s")
			}
		}
		d.Read = loadSide(disk, "read", p.Capacity.Read, lanes)
		d.Write = loadSide(disk, "write", p.Capacity.Write, lanes)
		if _, ok := disk.Get("cache"); ok {
			d.Cache = loadCache(disk.Mapping("cache"), &d.Write)
		}
		disk.Done()
		p.Disks = append(p.Disks, d)
	}
}

// loadSide reads one direction of a disk: what the hub carries in it, and the disk's lanes, bound it. Of hub and
// direct one may be missing: a disk known only on a port of its own is taken to reach the same through the hub, as
// far as the hub can carry it, and the other way round. If both are missing, the lanes are all that is known.
func loadSide(disk *strictyaml.Mapping, key string, carries, lanes float64) Side {
	s := Side{Weight: 1}
	m := disk.Mapping(key)
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
	for _, of := range []struct {
		key  string
		rate float64
	}{{"hub", s.Hub}, {"direct", s.Direct}} {
		if of.rate > lanes {
			report(m, of.key, "%s is %s, above the %s of the disk's lanes; nothing passes them faster",
				of.key, unit.FormatRate(of.rate), unit.FormatRate(lanes))
		}
	}
	if s.Hub > carries && carries > 0 {
		report(m, "hub", "hub is %s, above the %s that the hub carries in that direction; nothing passes it faster",
			unit.FormatRate(s.Hub), unit.FormatRate(carries))
	}
	_, hub := m.Get("hub")
	_, direct := m.Get("direct")
	switch {
	case !hub && !direct && math.IsInf(lanes, 1):
		m.Errorf("%s needs a rate; write hub: (through the hub), direct: (on a port of its own) or both", key)
	case !hub && !direct:
		s.Hub, s.Direct = min(lanes, carries), lanes
	case !hub:
		s.Hub = min(s.Direct, carries)
	case !direct:
		s.Direct = s.Hub
	}
	return s
}

func loadCache(m *strictyaml.Mapping, write *Side) *Cache {
	var c Cache
	m.Require("bytes", "after")
	m.Read("bytes", strictyaml.Bytes(&c.Bytes, 1, maxBytes))
	m.Read("after", strictyaml.Rate(&c.After, minRate, maxRate))
	m.Read("refill", strictyaml.Rate(&c.Refill, 0, maxRate))
	if fastest := max(write.Hub, write.Direct); c.After > fastest && fastest > 0 {
		report(m, "after", "after is %s, above the %s that the disk writes at its best; a spent cache does not make it faster",
			unit.FormatRate(c.After), unit.FormatRate(fastest))
	}
	m.Done()
	return &c
}

// report reports a mistake at a key's value.
func report(m *strictyaml.Mapping, key, format string, args ...any) {
	if n, ok := m.Get(key); ok {
		n.Errorf(format, args...)
		return
	}
	m.Errorf(format, args...)
}
