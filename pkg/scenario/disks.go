package scenario

import (
	"path/filepath"
	"slices"

	"github.com/hubbench/hubbench/pkg/strictyaml"
)

// Limits of disks and their hub.
const (
	maxDisks   = 64
	maxSpeedup = 1000 // beyond it the model's steps are shorter than a wall clock can pace
)

// hub is what the disks hang on: described, or the model that simulated disks share.
func (s *Scenario) hub() strictyaml.Value {
	h := &Hub{Speedup: 1}
	return strictyaml.Object{
		Keys: []strictyaml.Key{
			{Name: "name", Value: strictyaml.Name(&h.Name), About: "what people call it, such as CalDigit TS4"},
			{Name: "about", Value: text(&h.About), About: "anything worth noting, such as its port, cable and firmware"},
			{Name: "profile", Value: text(&h.Profile).Then(func(n strictyaml.Node) { s.hubPos = n.Pos() }),
				About: "of simulated disks: a built-in hub profile, such as goshen-ridge, or the path of a .yaml"},
			{Name: "speedup", Value: strictyaml.Float(&h.Speedup, 0.001, maxSpeedup), About: "of simulated disks: seconds of model time per second"},
		},
		Short: "profile",
	}.Value().First(func() { s.Hub = h })
}

// disks reads the disks, and checks that they go together.
func (s *Scenario) disks() strictyaml.Value {
	s.unsure, s.places = true, map[string]strictyaml.Pos{}
	folders := map[string]string{} // the disk of each folder
	var simulated []bool
	disks := strictyaml.Items[Disk]{
		To: &s.Disks,
		Item: func(d *Disk) strictyaml.Value {
			disk := s.disk(d)
			disk.Check = func(m *strictyaml.Mapping) {
				s.checkDisk(m, d, folders)
				_, is := m.Get("simulate")
				if simulated = append(simulated, is); is != simulated[0] && (is || d.Path != "") {
					m.Errorf("real and simulated disks cannot share a hub; make all of one kind")
				}
			}
			return disk.Value()
		},
		Empty: "disks is empty; add one, such as {name: A, path: /Volumes/A}",
		Max:   maxDisks,
	}.Value()
	return strictyaml.Value{
		Read: func(n strictyaml.Node) {
			disks.Read(n)
			s.unsure = len(s.Disks) == 0 || s.hasDisk("")
		},
		Schema: func() strictyaml.Schema {
			list := disks.Schema()
			list["anyOf"] = []strictyaml.Schema{
				{"items": strictyaml.Schema{"required": []string{"path"}}},
				{"items": strictyaml.Schema{"required": []string{"simulate"}}},
			}
			return list
		},
	}
}

func (s *Scenario) disk(d *Disk) strictyaml.Object {
	simulate := strictyaml.Object{
		Keys:  []strictyaml.Key{{Name: "profile", Need: true, Value: text(&d.Profile), About: "the disk's name in the hub's profile"}},
		Short: "profile",
	}
	return strictyaml.Object{
		Keys: []strictyaml.Key{
			{Name: "name", Need: true, Value: strictyaml.FileName(&d.Name), About: "what the disk is called in phases and results"},
			{Name: "path", Value: folder(&d.Path), About: "a folder on the disk; a relative one starts at the scenario file"},
			{Name: "simulate", Value: simulate.Value(), About: "in place of a path: the disk exists only in the hub's profile"},
			{Name: "connection", Value: text(&d.Connection), About: "how it is connected, a label for the report: hub, direct, or what you like"},
			{Name: "about", Value: text(&d.About), About: "anything worth noting, such as its enclosure and cable"},
		},
		Among: []strictyaml.Among{{
			Keys:    []string{"path", "simulate"},
			Both:    "a disk is either real or simulated; delete path or simulate",
			Neither: "the disk has no path; add path: and a folder on it, or simulate: {profile: ...}",
		}},
	}
}

// checkDisk checks that a disk goes with those before it.
func (s *Scenario) checkDisk(m *strictyaml.Mapping, d *Disk, folders map[string]string) {
	if at, ok := m.Get("name"); ok {
		if d.Name == "" {
			d.Name = at.Raw() // invalid, but the name that phases use
		}
		if s.hasDisk(d.Name) {
			at.Errorf("there is a disk %s already; give each its own name", strictyaml.Quote(d.Name))
		}
	}
	if d.Path != "" {
		at, _ := m.Get("path")
		folder := filepath.Clean(d.Path)
		if other, again := folders[folder]; again {
			at.Errorf("disk %s has the same folder; give each disk its own", strictyaml.Quote(other))
		}
		folders[folder] = d.Name
		s.places[d.Name] = at.Pos()
	}
	if at, ok := m.Get("simulate"); ok {
		s.places[d.Name] = at.Pos()
	}
}

// checkHub checks that simulated disks have a model of a hub, and real ones none.
func (s *Scenario) checkHub(top *strictyaml.Mapping) {
	if len(s.Disks) == 0 {
		return
	}
	_, described := top.Get("hub")
	hub := top.Mapping("hub")
	if s.Disks[0].Profile != "" {
		if !described {
			top.Missing("hub", "simulated disks need a hub; add hub: {profile: goshen-ridge}")
		} else if _, ok := hub.Get("profile"); !ok {
			hub.Missing("profile", "simulated disks need the profile of a hub; add profile: goshen-ridge")
		}
		return
	}
	if s.Hub == nil || slices.ContainsFunc(s.Disks, func(d Disk) bool { return d.Path == "" }) {
		return
	}
	s.Hub.Speedup = 0
	for _, key := range []string{"profile", "speedup"} {
		if n, ok := hub.Get(key); ok {
			n.Errorf("%s is for simulated disks, and these have paths; delete it, or give the disks simulate: {profile: ...}", n.Label())
		}
	}
}
