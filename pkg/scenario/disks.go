package scenario

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/strictyaml"
)

// Limits of disks and their hub.
const (
	maxDisks   = 64
	maxSpeedup = 1000 // beyond it the model's steps are shorter than a wall clock can pace
)

// readVersion checks that the file is not of another version than the one there is.
func readVersion(top *strictyaml.Mapping) bool {
	n, ok := top.Get("version")
	if !ok {
		top.Missing("version", "the key version is missing; add version: 1")
		return true
	}
	_, ok = n.Int(1, 1)
	return ok
}

// readHub reads the hub model that simulated disks share.
func (s *Scenario) readHub(top *strictyaml.Mapping) {
	n, ok := top.Get("hub")
	if !ok {
		return
	}
	s.Hub = &Hub{Speedup: 1}
	m := mappingWith(n, "hub", "profile")
	m.Require("profile")
	readText(m, "profile", &s.Hub.Profile)
	s.hubPos = m.PosOf("profile")
	m.Float("speedup", &s.Hub.Speedup, 0.001, maxSpeedup)
	m.Done()
}

// readDisks reads the disks and checks that they go together.
func (s *Scenario) readDisks(top *strictyaml.Mapping) {
	n, ok := top.Get("disks")
	if !ok {
		s.unsure = true
		return
	}
	items := n.Items()
	if n.Kind() == strictyaml.List && len(items) == 0 {
		n.Errorf("disks is empty; add one, such as {name: A, path: /Volumes/A}")
	}
	if s.unsure = len(items) == 0 || len(items) > maxDisks; len(items) > maxDisks {
		items[maxDisks].Errorf("more than %d disks; remove some", maxDisks)
		return
	}
	s.places = map[string]strictyaml.Pos{}
	folders := map[string]string{} // the disk of each folder
	var simulated []bool
	for _, item := range items {
		m := item.Mapping()
		d := readDisk(m)
		m.Done()
		s.unsure = s.unsure || d.Name == ""
		if d.Name != "" && s.hasDisk(d.Name) {
			at, _ := m.Get("name")
			at.Errorf("there is a disk %s already; give each its own name", strictyaml.Quote(d.Name))
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
		_, isSimulated := m.Get("simulate")
		if simulated = append(simulated, isSimulated); isSimulated != simulated[0] && (isSimulated || d.Path != "") {
			m.Errorf("real and simulated disks cannot share a hub; make all of one kind")
		}
		if isSimulated && s.Hub == nil {
			top.Missing("hub", "simulated disks need a hub; add hub: {profile: goshen-ridge}")
		}
		s.Disks = append(s.Disks, d)
	}
	if hub, ok := top.Get("hub"); ok && len(items) > 0 && !slices.Contains(simulated, true) {
		hub.Errorf("hub is for simulated disks, and these have paths; delete it, or give the disks simulate: {profile: ...}")
	}
}

// readDisk reads one disk.
func readDisk(m *strictyaml.Mapping) Disk {
	var d Disk
	m.Require("name")
	readName(m, "name", &d.Name)
	if n, ok := m.Get("name"); ok && d.Name == "" {
		d.Name = n.Raw() // not a good one, but the one that phases call the disk by
	}
	readText(m, "connection", &d.Connection)
	readText(m, "path", &d.Path)
	if at, ok := m.Get("path"); ok && (d.Path == "~" || strings.HasPrefix(d.Path, "~/")) {
		at.Errorf("~ is not expanded here; write the folder's full path")
	}
	simulate, simulated := m.Get("simulate")
	if simulated {
		sm := mappingWith(simulate, "simulate", "profile")
		sm.Require("profile")
		readText(sm, "profile", &d.Profile)
		sm.Done()
	}
	switch _, real := m.Get("path"); {
	case real && simulated:
		simulate.Errorf("a disk is either real or simulated; delete path or simulate")
	case !real && !simulated:
		m.Missing("path", "the disk has no path; add path: and a folder on it, or simulate: {profile: ...}")
	}
	return d
}
