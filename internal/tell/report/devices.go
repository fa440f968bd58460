package report

import (
	"cmp"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/unit"
)

// OfDevices says what is plugged in where: a tree of ports, hubs, disks and volumes; if brief, only what can be tested.
func OfDevices(inv *hardware.Inventory, brief bool) *Document {
	doc := &Document{Kind: "devices", Title: "Disks and hubs", Data: inv}
	for i := range inv.Hosts {
		h := &inv.Hosts[i]
		doc.Title = "Disks and hubs of " + cmp.Or(h.Name, "this machine")
		if parts := nonEmpty(h.Model, h.CPU, h.OS, pick(h.Power == hardware.Battery, "on battery", "")); len(parts) > 0 {
			doc.Add(Sentence{Text: strings.Join(parts, ", ") + ".", Lead: true})
		}
	}
	t := (&deviceTree{inv: inv, brief: brief, done: map[string]bool{}}).table()
	if len(t.Rows) > 0 {
		doc.Add(t)
	} else {
		doc.Add(Sentence{Text: "No disk was found."})
	}
	if whole := (&deviceTree{inv: inv, done: map[string]bool{}}).table(); len(whole.Rows) > len(t.Rows) {
		doc.Add(Sentence{Text: fmt.Sprintf("%s left out: disk images, unmounted partitions, other devices; --all shows them.", unit.Plural(len(whole.Rows)-len(t.Rows), "row"))})
	}
	addList(doc, "Notes", remarks(inv))
	for _, text := range inv.Warnings {
		doc.Add(Warning{text})
	}
	return doc
}

// table is the tree as a table.
func (t *deviceTree) table() *Table {
	out := &Table{Title: "Disks and hubs", Columns: []Column{
		{Head: "What"}, {Head: "Mounted at"}, {Head: "Link"}, {Head: "Carries", Numbers: true, Drop: 2}, {Head: "Size", Numbers: true}, {Head: "Free", Numbers: true},
		{Head: "File system", Drop: 1}, {Head: "°C", Numbers: true, Drop: 3}, {Head: "Firmware", Drop: 4}, {Head: "Serial number"},
	}}
	for _, root := range t.roots() {
		out.grow(root, "", "")
	}
	return out
}

// branch is a row of a tree, with what hangs on it.
type branch struct {
	cells    []Cell
	branches []branch
}

// grow adds a branch and what hangs on it to a table: own stands before its row, below before those under it. The spaces
// are such that no page swallows them.
func (t *Table) grow(b branch, own, below string) {
	b.cells[0].Tree = own
	t.Rows = append(t.Rows, b.cells)
	for i, under := range b.branches {
		if i < len(b.branches)-1 {
			t.grow(under, below+"├─\u00a0", below+"│\u00a0\u00a0")
		} else {
			t.grow(under, below+"└─\u00a0", below+"\u00a0\u00a0\u00a0")
		}
	}
}

// deviceTree builds the tree of an inventory; each disk and hub is in it once.
type deviceTree struct {
	inv   *hardware.Inventory
	brief bool // only what can be tested: no image files, other devices, or partitions without a mounted volume
	done  map[string]bool
}

// roots are the ports with something on them, and the disks on none.
func (t *deviceTree) roots() []branch {
	var out []branch
	for i := range t.inv.Hosts {
		for _, port := range t.inv.Hosts[i].Ports {
			b := branch{cells: row(cmp.Or(port.Name, port.ID)), branches: t.those(
				func(h *hardware.Hub) bool { return h.Port == port.ID && h.Upstream == "" }, func(d *hardware.Disk) bool { return d.Port == port.ID && d.Hub == nil })}
			if len(b.branches) > 0 {
				out = append(out, b)
			}
		}
	}
	// Those whose port is not known; virtual disks come under the disk that they lie on, if there is one.
	out = append(out, t.those(func(h *hardware.Hub) bool { return h.Upstream == "" }, func(d *hardware.Disk) bool { return len(d.Backing) != 1 || t.inv.Find(d.Backing[0]) == nil })...)
	return append(out, t.those(func(*hardware.Hub) bool { return false }, func(*hardware.Disk) bool { return true })...)
}

// those are the hubs and disks of a kind that are not in the tree yet.
func (t *deviceTree) those(hub func(*hardware.Hub) bool, disk func(*hardware.Disk) bool) []branch {
	var out []branch
	for i := range t.inv.Hubs {
		if h := &t.inv.Hubs[i]; hub(h) {
			out = append(out, t.hub(h)...)
		}
	}
	for i := range t.inv.Disks {
		if d := &t.inv.Disks[i]; disk(d) {
			out = append(out, t.disk(d)...)
		}
	}
	return out
}

// once reports whether an object is met for the first time.
func (t *deviceTree) once(id string) bool {
	met := t.done[id]
	t.done[id] = true
	return !met
}

func (t *deviceTree) hub(h *hardware.Hub) []branch {
	if !t.once("hub " + h.ID) {
		return nil
	}
	b := branch{cells: row(shorten(h.Product(), longestName))}
	if h.Link != nil {
		b.cells[2].Text, b.cells[3].Text = h.Link.String(), carries(h.Link)
	} else {
		b.cells[2].Text = h.Protocol
	}
	b.cells[8].Text = h.Firmware
	b.branches = t.those(func(under *hardware.Hub) bool { return under.Upstream == h.ID }, func(d *hardware.Disk) bool { return d.Hub != nil && *d.Hub == h.ID })
	for _, a := range h.Devices {
		if t.brief && a.Kind == hardware.OtherKind || a.Kind == hardware.DiskKind || a.Kind == hardware.HubKind {
			continue
		}
		kind := map[hardware.Kind]string{hardware.DisplayKind: "display", hardware.NetworkKind: "network adapter"}[a.Kind]
		b.branches = append(b.branches, branch{cells: row(strings.Join(nonEmpty(kind, a.Name), ": "))})
	}
	return []branch{b}
}

func (t *deviceTree) disk(d *hardware.Disk) []branch {
	if !t.once("disk " + d.Name) {
		return nil
	}
	mounted := func(v hardware.Volume) bool { return v.Mount != "" }
	if t.brief && d.Bus == hardware.Virtual && (strings.HasPrefix(d.Name, "loop") || !slices.ContainsFunc(d.Volumes, mounted)) {
		return nil
	}
	b := branch{cells: row(strings.TrimSpace(d.Name + " " + shorten(hardware.WithVendor(d.Vendor, d.Model), longestName)))}
	if d.Bus == hardware.Simulated {
		b.cells[0].Text = path.Base(d.Name) // its name is its mount point
	}
	if len(d.Backing) > 1 {
		b.cells[0].Small = "on " + unit.List(d.Backing)
	}
	if d.System {
		b.cells[0].Small = strings.TrimSpace(b.cells[0].Small + " (system)")
	}
	b.cells[2].Text = map[hardware.Bus]string{hardware.NVMe: "NVMe", hardware.USB: "USB", hardware.SATA: "SATA", hardware.Virtual: "virtual", hardware.Simulated: "simulated", hardware.AppleFabric: "Apple Fabric"}[d.Bus]
	if n := len(d.Path.Links); n > 0 && d.Path.Links[n-1].Segment != hardware.HostPort {
		b.cells[2].Text, b.cells[3].Text = d.Path.Links[n-1].String(), carries(&d.Path.Links[n-1])
	}
	if d.SizeBytes > 0 {
		b.cells[4].Text = unit.FormatBytes(d.SizeBytes)
	}
	if d.TemperatureC != nil {
		b.cells[7].Text = fmt.Sprintf("%.0f", math.Round(*d.TemperatureC))
	}
	b.cells[8].Text, b.cells[9].Text = d.Firmware, d.Serial
	volumes := d.Volumes
	if t.brief && slices.ContainsFunc(volumes, mounted) {
		volumes = slices.DeleteFunc(slices.Clone(volumes), func(v hardware.Volume) bool { return !mounted(v) })
	}
	if len(volumes) == 1 && mounted(volumes[0]) && volumes[0].Container == "" { // in the disk's own row
		v := t.volume(d, &volumes[0])
		b.cells[1].Text, b.cells[5], b.cells[6] = shorten(volumes[0].Mount, longestMount), v[5], v[6]
	} else {
		for i := range volumes {
			b.branches = append(b.branches, branch{cells: t.volume(d, &volumes[i])})
		}
	}
	b.branches = append(b.branches, t.those(func(*hardware.Hub) bool { return false }, func(over *hardware.Disk) bool { return len(over.Backing) == 1 && over.Backing[0] == d.Name })...)
	return []branch{b}
}

func (t *deviceTree) volume(d *hardware.Disk, v *hardware.Volume) []Cell {
	cells := row(shorten(v.Mount, longestName))
	if v.Mount == "" {
		cells[0].Text, cells[0].Small = cmp.Or(v.Device, v.Label), cmp.Or(t.partOf(d, v), "not mounted")
	}
	if v.SizeBytes > 0 {
		cells[4].Text = unit.FormatBytes(v.SizeBytes)
		if v.Mount != "" {
			cells[5].Text = unit.FormatBytes(v.FreeBytes)
		}
	}
	cells[6].Text = strings.Join(nonEmpty(v.Filesystem, pick(v.Encrypted != nil && *v.Encrypted, "encrypted", ""),
		pick(v.Compressed != nil && *v.Compressed, "compressed", ""), pick(v.ReadOnly, "read-only", "")), ", ")
	return cells
}

// partOf says which mounted volume, spread over several disks, this is a part of; empty for none.
func (t *deviceTree) partOf(d *hardware.Disk, v *hardware.Volume) string {
	for i := range t.inv.Disks {
		for _, other := range t.inv.Disks[i].Volumes {
			if v.Container != "" && other.Container == v.Container && other.Mount != "" && t.inv.Disks[i].Name != d.Name {
				return "part of " + other.Mount
			}
		}
	}
	return ""
}

// row is a row of the tree with nothing in it but a name.
func row(name string) []Cell {
	cells := make([]Cell, 10)
	cells[0].Text = name
	return cells
}

// How many columns of a terminal a model takes at most (all of "Samsung SSD 970 EVO Plus 1TB"), and the mount point beside it.
const (
	longestName  = 28
	longestMount = 20
)

// carries is the practical rate of a link, both where its directions differ; empty where it is not known.
func carries(link *hardware.Link) string {
	read, ok := link.Practical(true)
	write, too := link.Practical(false)
	if !ok || !too {
		return ""
	}
	return unit.FormatRate(read.Rate) + pick(read.Rate == write.Rate, "", " in, "+unit.FormatRate(write.Rate)+" out")
}

// remarks say what slows a disk down.
func remarks(inv *hardware.Inventory) []string {
	var out []string
	for i := range inv.Disks {
		d := &inv.Disks[i]
		for j := range d.Path.Links {
			if link := &d.Path.Links[j]; link.FellBack() {
				out = append(out, fmt.Sprintf("%s: its %s, %s, run at %.3g of the %.3g Gb/s that both ends support.", d.Name, link.Segment, link, float64(max(link.RxBps, link.TxBps))/1e9, float64(link.MaxBps)/1e9))
			}
		}
		if d.UASP != nil && !*d.UASP {
			out = append(out, d.Name+" is driven without UASP, USB's faster protocol for disks.")
		}
	}
	for _, m := range inv.Diskless {
		if m.Mount == "/" {
			out = append(out, "The root, /, is "+cmp.Or(m.Filesystem, "no disk")+": which disk it lies on is not known.")
		}
	}
	return out
}
