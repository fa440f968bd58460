// Package draft writes a first scenario for disks that are plugged in: one that runs as it is, with comments that say
// how to change it. It asks no system: internal/device finds the disks, and who calls says which folder on each may be
// written to. Start at Find, then Write.
package draft

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode"

	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/unit"
)

// leastFree is the free space without which a disk is of no use to a test, in bytes.
const leastFree = 200e6

// Disk is one that can be tested, and how.
type Disk struct {
	Name   string // in the scenario: A, B, ...
	Folder string // to work in
	Found  *hardware.Disk
	Volume *hardware.Volume
}

// Find lists the volumes that can be tested, one of each disk: the one with the most free space. folder says which
// folder at a mount point may be written to; the volume is passed over where it is empty. What is neither known
// to be external nor on USB is listed only where it was asked for by its name, its volume's name or its mount point.
func Find(inv *hardware.Inventory, asked []string, folder func(mount string) string) (disks []Disk, unknown []string) {
	seen := map[string]bool{} // folders: a volume may lie on several disks
	named := map[*hardware.Disk]string{}
	for i := range inv.Disks {
		for k := range inv.Disks[i].Volumes {
			v := &inv.Disks[i].Volumes[k]
			d, name := &inv.Disks[i], asWhat(asked, &inv.Disks[i], v)
			if under := beneath(inv, d); under != nil && name == "" {
				d, name = under, asWhat(asked, under, v)
			}
			usable := v.Mount != "" && !v.ReadOnly && v.FreeBytes >= leastFree && printable(v.Mount)
			if !usable || asked != nil && name == "" || asked == nil && !offered(d) {
				continue
			}
			at := slices.IndexFunc(disks, func(other Disk) bool { return other.Found == d })
			if at >= 0 && disks[at].Volume.FreeBytes >= v.FreeBytes {
				continue
			}
			where := folder(v.Mount)
			if where == "" || !printable(where) || seen[where] {
				continue
			}
			named[d], seen[where] = name, true
			if at < 0 {
				at, disks = len(disks), append(disks, Disk{Found: d})
			}
			disks[at].Volume, disks[at].Folder = v, where
		}
	}
	found := slices.Collect(maps.Values(named))
	return Named(disks), slices.DeleteFunc(slices.Clone(asked), func(name string) bool { return slices.Contains(found, name) })
}

// beneath is the one disk that a mapped disk lies on, as an encrypted volume does; nil where it is not mapped. An image
// is a file on a disk, and no other name of it.
func beneath(inv *hardware.Inventory, d *hardware.Disk) *hardware.Disk {
	under := inv.Physical(d, nil)
	if len(under) != 1 || under[0] == d || strings.HasPrefix(d.Name, "loop") {
		return nil
	}
	return under[0]
}

// offered reports whether a disk is tested without being asked for: one outside the machine, or on USB if nobody knows.
func offered(d *hardware.Disk) bool {
	outside := d.Bus == hardware.USB
	if d.External != nil {
		outside = *d.External
	}
	return outside && !d.System && d.Bus != hardware.Virtual
}

// asWhat is the name by which a disk or its volume was asked for.
func asWhat(asked []string, d *hardware.Disk, v *hardware.Volume) string {
	for _, name := range asked {
		if name != "" && slices.Contains([]string{d.Name, "/dev/" + d.Name, v.Mount, v.Label, v.Device, strings.TrimSuffix(v.Mount, `\`)}, name) {
			return name
		}
	}
	return ""
}

// Named gives disks the names that they have in the scenario, in order.
func Named(disks []Disk) []Disk {
	for i := range disks {
		disks[i].Name = letter(i)
	}
	return disks
}

// letter names disk i: A to Z, then A1 ...
func letter(i int) string {
	name := string(rune('A' + i%26))
	if i >= 26 {
		name += string(rune('0' + i/26))
	}
	return name
}

// printable reports whether a path can stand in a line of text.
func printable(path string) bool {
	return !strings.ContainsFunc(path, func(r rune) bool {
		return unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == unicode.ReplacementChar
	})
}

// About describes a disk in a line: Samsung 990 PRO, 2 TB, exfat, USB 10 Gb/s.
func (d Disk) About() string {
	var parts []string
	add := func(text string) {
		if text = clean(text); text != "" {
			parts = append(parts, text)
		}
	}
	model := d.Found.Model
	if d.Found.Bus == hardware.Virtual && strings.HasPrefix(model, "file ") { // an image, whose path is nobody's business
		model = ""
	}
	add(cmp.Or(model, d.Found.Name))
	if d.Found.SizeBytes > 0 {
		add(unit.FormatBytes(d.Found.SizeBytes))
	}
	add(d.Volume.Filesystem)
	add(slowest(d.Found))
	return strings.Join(parts, ", ")
}

// slowest names the link on a disk's way that carries least. Of a disk on USB whose own link is not known there is none to
// name: the hub's may be faster.
func slowest(d *hardware.Disk) string {
	links := d.Path.Links
	if n := len(links); d.Bus == hardware.USB && n > 0 && links[n-1].Segment == hardware.Uplink {
		return ""
	}
	name, least := "", 0.0
	for i := range links {
		if most := links[i].AtMost(true); most > 0 && (name == "" || most < least) {
			name, least = links[i].String(), most
		}
	}
	return name
}

// clean is a text of a device's as one line without odd characters.
func clean(text string) string {
	text = strings.ToValidUTF8(text, "")
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

// Hub is the hub that most of the disks hang on, the nearest to them of several; nil where none do. The enclosure that a
// disk is built into is none.
func Hub(inv *hardware.Inventory, disks []Disk) *hardware.Hub {
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
			best, most = h, n
		}
	}
	return best
}
