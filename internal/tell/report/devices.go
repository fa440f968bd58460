package report

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/unit"
)

// OfDevices says what is plugged in where: a tree of ports, hubs, disks and volumes; if brief, only
// what can be tested.
func OfDevices(inv *hardware.Inventory, brief bool) *Document {
	doc := &Document{Kind: "devices", Title: "Disks and hubs", Data: inv}
	for _, h := range inv.Hosts {
		doc.Title = "Disks and hubs of " + cmp.Or(h.Name, "this machine")
		if parts := nonEmpty(h.Model, h.CPU, h.OS,
			pick(h.Power == hardware.Battery, "on battery", "")); len(parts) > 0 {
			doc.Add(Sentence{Text: strings.Join(parts, ", ") + ".", Lead: true})
		}
	}
	tree := &deviceTree{inv: inv, brief: brief}
	tree.build()
	t := table("Disks and hubs", words("What", "Link"), numbers("Size", "Free"),
		words("File system", "Serial number")).dropFirst("File system")
	for _, root := range tree.roots {
		if !root.port || len(root.children) > 0 {
			t.addTree(root, "", "")
		}
	}
	if doc.Add(t); len(t.Rows) == 0 {
		doc.Add(Sentence{Text: "No disk was found."})
	}
	if tree.hidden > 0 {
		doc.Add(Sentence{Text: unit.Plural(tree.hidden, "row") +
			" not shown (disk images, unmounted partitions, other devices); --all shows them."})
	}
	doc.Add(List{"Notes", slowLinks(inv)})
	doc.Add(warnings(inv.Warnings)...)
	return doc
}

// device is a row of the tree, with what hangs on it.
type device struct {
	name, remark, link, size, free, filesystem, serial string
	port                                               bool
	children                                           []*device
}

// addTree adds a device and what hangs on it to a table: own stands before its row, below before
// those under it. The spaces are such that no page swallows them.
func (t *Table) addTree(d *device, own, below string) {
	t.add(Cell{Tree: own, Text: d.name, Small: d.remark}, d.link, d.size, d.free, d.filesystem,
		d.serial)
	for i, child := range d.children {
		if i == len(d.children)-1 {
			t.addTree(child, below+"└─\u00a0", below+"\u00a0\u00a0\u00a0")
		} else {
			t.addTree(child, below+"├─\u00a0", below+"│\u00a0\u00a0")
		}
	}
}

// deviceTree is an inventory as a tree. A brief one lacks what cannot be tested: disk images,
// partitions beside a mounted one, other devices.
type deviceTree struct {
	inv    *hardware.Inventory
	brief  bool
	roots  []*device
	hidden int
}

// build makes all rows first, and then hangs each on its parent, which may come later in the
// inventory.
func (t *deviceTree) build() {
	ports, hubs, disks := map[string]*device{}, map[string]*device{}, map[string]*device{}
	for _, host := range t.inv.Hosts {
		for _, port := range host.Ports {
			ports[port.ID] = &device{port: true, name: cmp.Or(port.Name, port.ID)}
			t.attach(ports[port.ID], nil)
		}
	}
	for i := range t.inv.Hubs {
		h := &t.inv.Hubs[i]
		row := &device{name: h.Product(), link: h.Protocol}
		if h.Link != nil {
			row.link = h.Link.String()
		}
		hubs[h.ID] = row
	}
	for i := range t.inv.Disks {
		if row := t.disk(&t.inv.Disks[i]); row != nil {
			disks[t.inv.Disks[i].Name] = row
		}
	}
	for _, h := range t.inv.Hubs {
		t.attach(hubs[h.ID], cmp.Or(hubs[h.Upstream], ports[h.Port]))
	}
	for _, d := range t.inv.Disks {
		parent := ports[d.Port]
		if d.Hub != nil {
			parent = hubs[*d.Hub]
		} else if len(d.Backing) == 1 {
			parent = cmp.Or(disks[d.Backing[0]], parent)
		}
		if disks[d.Name] != nil {
			t.attach(disks[d.Name], parent)
		}
	}
	for _, h := range t.inv.Hubs {
		for _, a := range h.Devices {
			switch {
			case a.Kind == hardware.DiskKind || a.Kind == hardware.HubKind: // they have rows
			case a.Kind == hardware.OtherKind && t.brief:
				t.hidden++
			default:
				name := joined(": ", string(a.Kind), a.Name)
				t.attach(&device{name: strings.TrimPrefix(name, "other: ")}, hubs[h.ID])
			}
		}
	}
}

// attach puts a device under its parent, or makes it a root if that is not known.
func (t *deviceTree) attach(d, parent *device) {
	if parent == nil {
		t.roots = append(t.roots, d)
	} else {
		parent.children = append(parent.children, d)
	}
}

// disk makes the rows of a disk and its volumes; nil if it is not shown.
func (t *deviceTree) disk(d *hardware.Drive) *device {
	var mounted []hardware.Volume
	for _, v := range d.Volumes {
		if v.Mount != "" {
			mounted = append(mounted, v)
		}
	}
	if t.brief && d.Bus == hardware.Virtual &&
		(len(mounted) == 0 || strings.HasPrefix(d.Name, "loop")) {
		t.hidden++
		return nil
	}
	row := &device{
		name: strings.TrimSpace(d.Name + " " + hardware.WithVendor(d.Vendor, d.Model)),
		link: map[hardware.Bus]string{
			hardware.NVMe: "NVMe", hardware.USB: "USB", hardware.SATA: "SATA",
			hardware.Virtual: "virtual", hardware.AppleFabric: "Apple Fabric",
		}[d.Bus],
		size: bytesOr(d.SizeBytes), serial: d.Serial,
	}
	if len(d.Backing) > 1 {
		row.remark = "on " + unit.List(d.Backing)
	}
	if d.System {
		row.remark = strings.TrimSpace(row.remark + " (system)")
	}
	if n := len(d.Path.Links); n > 0 && d.Path.Links[n-1].Segment != hardware.HostPort {
		row.link = d.Path.Links[n-1].String()
	}
	volumes := d.Volumes
	if t.brief && len(mounted) > 0 {
		volumes = mounted
		t.hidden += len(d.Volumes) - len(mounted)
	}
	for i := range volumes {
		row.children = append(row.children, t.volume(d, &volumes[i]))
	}
	return row
}

func (t *deviceTree) volume(d *hardware.Drive, v *hardware.Volume) *device {
	row := &device{
		name: v.Mount, size: bytesOr(v.SizeBytes),
		filesystem: volumeKind(v, pick(v.ReadOnly, "read-only", "")),
	}
	if v.Mount != "" {
		if v.SizeBytes > 0 {
			row.free = unit.FormatBytes(v.FreeBytes)
		}
		return row
	}
	row.name, row.remark = cmp.Or(v.Device, v.Label), "not mounted"
	for _, disk := range t.inv.Disks { // a mounted volume that is spread over several disks
		for _, other := range disk.Volumes {
			if v.Container != "" && other.Container == v.Container && other.Mount != "" &&
				disk.Name != d.Name {
				row.remark = "part of " + other.Mount
			}
		}
	}
	return row
}

// slowLinks say what slows a disk down.
func slowLinks(inv *hardware.Inventory) []string {
	var out []string
	for _, d := range inv.Disks {
		for _, link := range d.Path.Links {
			if link.FellBack() {
				rate := float64(max(link.RxBps, link.TxBps)) / 1e9
				text := "%s: its %s, %s, run at %.3g of the %.3g Gb/s that both ends support."
				maxRate := float64(link.MaxBps) / 1e9
				out = append(out, fmt.Sprintf(text, d.Name, link.Segment, &link, rate, maxRate))
			}
		}
		if d.UASP != nil && !*d.UASP {
			out = append(out, d.Name+" is driven without UASP, USB's faster protocol for disks.")
		}
	}
	return out
}
