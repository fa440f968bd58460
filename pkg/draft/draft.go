// Package draft writes a first scenario for disks that are plugged in: one that runs as it is, with
// comments that say how to change it. It asks no system: internal/machine/device finds the disks,
// and who calls says which folder on each may be written to. Start at Find or, for folders that a
// person names, In; then Write.
package draft

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/unit"
)

// leastFree is the free space without which a disk is of no use to a test, in bytes.
const leastFree = 200e6

// Target is a disk that can be tested, and how.
type Target struct {
	Name   string // in the scenario: A, B, ...
	Folder string // to work in
	Found  *hardware.Drive
	Volume *hardware.Volume
	Speed  scenario.Speed // zero: not known

	note string // behind its name in the scenario
}

// Find lists the volumes that can be tested, one of each disk: the one with the most free space.
// folder says which folder at a mount point may be written to. What is neither known to be external
// nor on USB is listed only if it was asked for by its name, its volume's name or a mount point.
// refused says why each that was asked for is left out; if nothing was, why each disk is that could
// have been listed.
func Find(inv *hardware.Inventory, asked []string,
	folder func(mount string) string) (disks []Target, refused []string) {
	seen := map[string]string{} // names, by folders: a volume may lie on several disks
	why := map[string]string{}  // by names; empty: it is listed
	var order []string
	named := map[*hardware.Drive]string{}
	for _, c := range candidates(inv, asked) {
		d := c.disk
		v := c.volume
		name := cmp.Or(c.name, c.disk.Name)
		where, reason := workable(v, c.name, folder)
		at := slices.IndexFunc(disks, func(other Target) bool { return other.Found == d })
		switch {
		case reason != "":
		case seen[where] != "":
			reason = "is on the same volume as " + seen[where]
		case at >= 0 && disks[at].Volume.FreeBytes >= v.FreeBytes:
			reason = "is on the same disk as " + named[d]
		}
		if _, known := why[name]; !known {
			why[name] = reason
			order = append(order, name)
		}
		if reason != "" {
			continue
		}
		if at < 0 {
			at = len(disks)
			disks = append(disks, Target{Name: nameOf(disks), Found: d})
		} else if named[d] != name {
			why[named[d]] = "is on the same disk as " + name
		}
		named[d] = name
		seen[where] = name
		why[name] = ""
		disks[at].Volume = v
		disks[at].Folder = where
	}
	if asked != nil {
		order = asked
	}
	for _, name := range order {
		if reason, known := why[name]; !known {
			refused = append(refused, name+" is not a disk, volume or mount point")
		} else if reason != "" {
			refused = append(refused, name+" "+reason)
		}
	}
	return disks, refused
}

// In returns the disk that a person has named a folder on, beside the others. resolved is the
// folder's path without symbolic links, and free what may be written to it. A disk that the machine
// does not list has nothing but its folder. None counts as the system's: whether that may be tested
// is for whoever runs the scenario to say.
func In(inv *hardware.Inventory, folder, resolved string, free int64, others []Target) Target {
	d := Target{Folder: folder, Found: &hardware.Drive{}, Volume: &hardware.Volume{}}
	if found, volume := inv.Holding(resolved); found != nil {
		if under := inv.Physical(found, volume); len(under) == 1 &&
			!strings.HasPrefix(found.Name, "loop") {
			found = under[0]
		}
		*d.Found = *found
		*d.Volume = *volume
	}
	d.Found.System = false
	d.Volume.FreeBytes = free
	base := filepath.Base(folder)
	d.Name = base
	for n := 2; !named(others, d.Name); n++ {
		if n > len(others)+2 { // it cannot be a name
			d.Name = nameOf(others)
			break
		}
		d.Name = fmt.Sprintf("%s-%d", base, n)
	}
	return d
}

// named reports whether a scenario takes a disk of this name beside the others.
func named(others []Target, name string) bool {
	var b strings.Builder
	fmt.Fprintf(&b, "version: 1\nname: x\nphases: [{roles: {%s: read}}]\ndisks:\n", quote(name))
	for i, d := range append(slices.Clone(others), Target{Name: name}) {
		fmt.Fprintf(&b, "  - {name: %s, path: '%d'}\n", quote(d.Name), i)
	}
	_, err := scenario.Load("", []byte(b.String()))
	return err == nil
}

// candidate is a volume that may be tested, or a disk that has none.
type candidate struct {
	disk   *hardware.Drive
	volume *hardware.Volume
	name   string // name it was asked for by
}

// candidates returns those that were asked for, or that are offered.
func candidates(inv *hardware.Inventory, asked []string) (list []candidate) {
	for i := range inv.Disks {
		volumes := inv.Disks[i].Volumes
		if len(volumes) == 0 {
			volumes = []hardware.Volume{{}}
		}
		for k := range volumes {
			c := candidate{&inv.Disks[i], &volumes[k], asWhat(asked, &inv.Disks[i], &volumes[k])}
			// A mapped disk, such as an encrypted volume, is one name more of the disk that it lies
			// on. An image is a file on a disk, and no other name of it.
			under := inv.Physical(c.disk, nil)
			if c.name == "" && len(under) == 1 && under[0] != c.disk &&
				!strings.HasPrefix(c.disk.Name, "loop") {
				c.disk = under[0]
				c.name = asWhat(asked, under[0], c.volume)
			}
			// Offered without being asked for is what is outside the machine, or on USB if nobody
			// knows.
			d := c.disk
			outside := d.External != nil && *d.External || d.External == nil &&
				d.Bus == hardware.USB
			if c.name != "" || asked == nil && outside && !d.System && d.Bus != hardware.Virtual {
				list = append(list, c)
			}
		}
	}
	return list
}

// workable returns the folder of a volume that a test may work in, at the mount point that was
// asked for if one was; or the reason why there is none.
func workable(v *hardware.Volume, asked string, folder func(mount string) string) (where,
	reason string) {
	mounts := append([]string{v.Mount}, v.Mounts...)
	if slices.Contains(mounts, asked) {
		mounts = []string{asked}
	}
	switch {
	case v.Mount == "" && v.Device == "":
		return "", "has no volume"
	case v.Mount == "":
		return "", "is not mounted"
	case v.ReadOnly:
		return "", "is mounted read-only"
	case v.FreeBytes < leastFree:
		return "", fmt.Sprintf("has %s free, and a test needs %s", unit.FormatBytes(v.FreeBytes),
			unit.FormatBytes(leastFree))
	}
	reason = "has a mount point that a scenario cannot name"
	for _, mount := range mounts {
		if !printable(mount) {
			continue
		}
		reason = "has no folder that you can write to"
		if where = folder(mount); where != "" && printable(where) {
			return where, ""
		}
	}
	return "", reason
}

// asWhat returns the name by which a disk or its volume was asked for.
func asWhat(asked []string, d *hardware.Drive, v *hardware.Volume) string {
	for _, name := range asked {
		if name != "" &&
			(slices.Contains([]string{d.Name, "/dev/" + d.Name, v.Mount, v.Label, v.Device,
				strings.TrimSuffix(v.Mount, `\`)}, name) || slices.Contains(v.Mounts, name)) {
			return name
		}
	}
	return ""
}

// nameOf returns what the next disk is called in the scenario: the first letter that is free.
func nameOf(others []Target) string {
	for i := 0; ; i++ { // A to Z, then A1 ...
		name := string(rune('A' + i%26))
		if i >= 26 {
			name += string(rune('0' + i/26))
		}
		if !slices.ContainsFunc(others, func(o Target) bool { return o.Name == name }) {
			return name
		}
	}
}

// printable reports whether a path can stand in a line of text.
func printable(path string) bool {
	return !strings.ContainsFunc(path, func(r rune) bool {
		return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' ||
			r == unicode.ReplacementChar
	})
}

// About describes a disk in a line: Samsung 990 PRO, 2 TB, exfat, USB 10 Gb/s.
func (d Target) About() string {
	model := d.Found.Model
	size := ""
	// An image, whose path is nobody's business.
	if d.Found.Bus == hardware.Virtual && strings.HasPrefix(model, "file ") {
		model = ""
	}
	if d.Found.SizeBytes > 0 {
		size = unit.FormatBytes(d.Found.SizeBytes)
	}
	var parts []string
	for _, text := range []string{cmp.Or(model, d.Found.Name), size, d.Volume.Filesystem,
		slowest(d.Found)} {
		if text = clean(text); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, ", ")
}

// slowest names the link on a disk's way that carries least. Of a disk on USB whose own link is not
// known there is none to name: the hub's may be faster.
func slowest(d *hardware.Drive) string {
	links := d.Path.Links
	if n := len(links); d.Bus == hardware.USB && n > 0 && links[n-1].Segment == hardware.Uplink {
		return ""
	}
	name := ""
	least := 0.0
	for i := range links {
		if most := links[i].AtMost(true); most > 0 && (name == "" || most < least) {
			name = links[i].String()
			least = most
		}
	}
	return name
}

// clean returns a text of a device's as one line without odd characters.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case !unicode.IsPrint(r) || r == unicode.ReplacementChar:
			return -1
		}
		return r
	}, text)
	if runes := []rune(text); len(runes) > 60 {
		text = string(runes[:60])
	}
	return strings.Join(strings.Fields(text), " ")
}

// Hub returns the hub that most of the disks hang on, the nearest to them of several; nil if none
// do. The enclosure that a disk is built into is none.
func Hub(inv *hardware.Inventory, disks []Target) *hardware.Hub {
	var best *hardware.Hub
	most := 1
	for i := range inv.Hubs { // nearest to the host first
		h := &inv.Hubs[i]
		n := 0
		for _, d := range disks {
			if _, hubs := inv.Way(d.Found); slices.Contains(hubs, h) {
				n++
			}
		}
		if n >= most {
			best = h
			most = n
		}
	}
	return best
}
