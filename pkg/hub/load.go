package hub

import (
	"math"
	"slices"
	"time"

	"github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Bounds of what a profile may say; outside them lies a slip of the hand.
const (
	leastRate, mostRate     = 1e3, 1e12 // bytes per second
	leastWeight, mostWeight = 1e-3, 1e3
	longestLag              = time.Hour
	mostStaying             = 64 // entries of a list of lags
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
	m.Int("version", &version, 1, 1)
	m.Text("name", &p.Name)
	m.Text("about", &p.About)
	m.OneOf("source", (*string)(&p.Source), string(Measured), string(Specified), string(Fitted))
	p.Link = math.Inf(1)
	m.Rate("link", &p.Link, leastRate, mostRate)
	loadCapacity(m, p)
	loadLags(m.Mapping("recovery"), &p.Lags)
	loadDisks(m, p)
	m.Done()
	return p, doc.Err()
}

func loadCapacity(m *strictyaml.Mapping, p *Profile) {
	c := &p.Capacity
	capacity := m.Mapping("capacity")
	capacity.Require("read", "write")
	for key, to := range map[string]*float64{"read": &c.Read, "write": &c.Write} {
		capacity.Rate(key, to, leastRate, mostRate)
		if *to > p.Link {
			report(capacity, key, "%s is %s, above the link's %s; a port cannot carry more than its link",
				key, unit.FormatRate(*to), unit.FormatRate(p.Link))
		}
	}
	c.Both = c.Read + c.Write
	capacity.Rate("both", &c.Both, leastRate, mostRate)
	if sum := c.Read + c.Write; c.Both > sum && sum > 0 {
		report(capacity, "both", "both is %s, above read and write together (%s); lower it, or leave it out for no joint limit",
			unit.FormatRate(c.Both), unit.FormatRate(sum))
	}
	capacity.Done()

	weights := m.Mapping("weights")
	c.ReadWeight, c.WriteWeight = 1, 1
	weights.Float("read", &c.ReadWeight, leastWeight, mostWeight)
	weights.Float("write", &c.WriteWeight, leastWeight, mostWeight)
	weights.Done()
}

func loadLags(m *strictyaml.Mapping, l *Lags) {
	for _, list := range l.lists() {
		items := m.Items(list.key)
		if len(items) > mostStaying {
			items[mostStaying].Errorf("%s has more than %d entries; the last stands for all that follow", list.key, mostStaying)
			continue
		}
		for _, item := range items {
			if lag, ok := item.Duration(0, longestLag); ok {
				*list.lags = append(*list.lags, lag)
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
		disk.Require("name", "read", "write")
		var d Disk
		disk.Text("name", &d.Name)
		disk.Text("about", &d.About)
		switch {
		case d.Name == "":
			report(disk, "name", "the disk's name is empty; give it one, such as A")
		case slices.ContainsFunc(p.Disks, func(other Disk) bool { return other.Name == d.Name }):
			report(disk, "name", "disk %s is there twice; give one another name", strictyaml.Quote(d.Name))
		}
		d.Read = loadSide(disk, "read", p.Capacity.Read)
		d.Write = loadSide(disk, "write", p.Capacity.Write)
		disk.Done()
		p.Disks = append(p.Disks, d)
	}
}

// loadSide reads one direction of a disk. Of hub and direct one may be missing: a disk known only on a port
// of its own is taken to reach the same through the hub, as far as the hub can carry it, and the other way round.
func loadSide(disk *strictyaml.Mapping, key string, carries float64) Side {
	s := Side{Weight: 1}
	m := disk.Mapping(key)
	m.Rate("hub", &s.Hub, leastRate, mostRate)
	m.Rate("direct", &s.Direct, leastRate, mostRate)
	m.Float("weight", &s.Weight, leastWeight, mostWeight)
	m.Done()
	_, hub := m.Get("hub")
	_, direct := m.Get("direct")
	switch {
	case !hub && !direct:
		m.Errorf("%s needs a rate; write hub: (through the hub), direct: (on a port of its own) or both", key)
	case !hub:
		s.Hub = min(s.Direct, carries)
	case !direct:
		s.Direct = s.Hub
	}
	if s.Hub > carries && carries > 0 {
		report(m, "hub", "hub is %s, above the %s that the hub carries in that direction; nothing passes it faster",
			unit.FormatRate(s.Hub), unit.FormatRate(carries))
	}
	return s
}

// report reports a mistake at a key's value.
func report(m *strictyaml.Mapping, key, format string, args ...any) {
	if n, ok := m.Get(key); ok {
		n.Errorf(format, args...)
		return
	}
	m.Errorf(format, args...)
}
