package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/say"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// OfDevices says what is plugged in where: a tree of ports, hubs, disks and volumes; if brief, only what can be tested.
func OfDevices(inv *hardware.Inventory, brief bool) *Document {
	doc := &Document{Kind: "devices", Title: "Disks and hubs", Data: inv}
	for _, h := range inv.Hosts {
		doc.Title = "Disks and hubs of " + cmp.Or(h.Name, "this machine")
		if parts := nonEmpty(h.Model, h.CPU, h.OS, pick(h.Power == hardware.Battery, "on battery", "")); len(parts) > 0 {
			doc.Add(Sentence{Text: strings.Join(parts, ", ") + ".", Lead: true})
		}
	}
	t, whole := deviceTable(inv, brief), deviceTable(inv, false)
	if doc.Add(t); len(t.Rows) == 0 {
		doc.Add(Sentence{Text: "No disk was found."})
	}
	if more := len(whole.Rows) - len(t.Rows); more > 0 {
		text := " left out: disk images, unmounted partitions, other devices; --all shows them."
		doc.Add(Sentence{Text: unit.Plural(more, "row") + text})
	}
	doc.Add(List{"Notes", remarks(inv)})
	doc.Add(warnings(inv.Warnings)...)
	return doc
}

func deviceTable(inv *hardware.Inventory, brief bool) *Table {
	out := table("Disks and hubs", word("What"), word("Mounted at"), word("Link"), number("Carries", 2), number("Size"),
		number("Free"), word("File system", 1), number("°C", 3), word("Firmware", 4), word("Serial number"))
	t := &deviceTree{inv: inv, brief: brief, done: map[string]bool{}}
	var roots []branch // the ports with something on them, and the disks on none
	for _, host := range inv.Hosts {
		for _, port := range host.Ports {
			b := branch{name: cmp.Or(port.Name, port.ID), branches: t.those(
				func(h *hardware.Hub) bool { return h.Port == port.ID && h.Upstream == "" },
				func(d *hardware.Disk) bool { return d.Port == port.ID && d.Hub == nil })}
			if len(b.branches) > 0 {
				roots = append(roots, b)
			}
		}
	}
	// Those whose port is not known; virtual disks come under the disk that they lie on, if there is one.
	alone := func(d *hardware.Disk) bool { return len(d.Backing) != 1 || inv.Find(d.Backing[0]) == nil }
	roots = append(roots, t.those(func(h *hardware.Hub) bool { return h.Upstream == "" }, alone)...)
	for _, root := range append(roots, t.those(noHub, func(*hardware.Disk) bool { return true })...) {
		out.grow(root, "", "")
	}
	return out
}

// branch is a row of the tree, with what hangs on it.
type branch struct {
	name, small                           string
	mount, link, carries, size, free      string
	filesystem, celsius, firmware, serial string
	branches                              []branch
}

// grow adds a branch and what hangs on it to a table: own stands before its row, below before those under it. The
// spaces are such that no page swallows them.
func (t *Table) grow(b branch, own, below string) {
	t.add(Cell{Tree: own, Text: b.name, Small: b.small}, b.mount, b.link, b.carries, b.size, b.free, b.filesystem,
		b.celsius, b.firmware, b.serial)
	for i, under := range b.branches {
		if i == len(b.branches)-1 {
			t.grow(under, below+"└─\u00a0", below+"\u00a0\u00a0\u00a0")
		} else {
			t.grow(under, below+"├─\u00a0", below+"│\u00a0\u00a0")
		}
	}
}

// deviceTree builds the tree of an inventory; each disk and hub is in it once.
type deviceTree struct {
	inv   *hardware.Inventory
	brief bool // only what can be tested: no image files, other devices, or partitions without a mounted volume
	done  map[string]bool
}

func noHub(*hardware.Hub) bool { return false }

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

func (t *deviceTree) hub(h *hardware.Hub) []branch {
	if t.done["hub "+h.ID] {
		return nil
	}
	t.done["hub "+h.ID] = true
	b := branch{name: shorten(h.Product(), longestName), link: h.Protocol, firmware: h.Firmware}
	if h.Link != nil {
		b.link, b.carries = h.Link.String(), carries(h.Link)
	}
	b.branches = t.those(
		func(under *hardware.Hub) bool { return under.Upstream == h.ID },
		func(d *hardware.Disk) bool { return d.Hub != nil && *d.Hub == h.ID })
	for _, a := range h.Devices {
		if t.brief && a.Kind == hardware.OtherKind || a.Kind == hardware.DiskKind || a.Kind == hardware.HubKind {
			continue
		}
		kind := map[hardware.Kind]string{hardware.DisplayKind: "display", hardware.NetworkKind: "network adapter"}[a.Kind]
		b.branches = append(b.branches, branch{name: strings.Join(nonEmpty(kind, a.Name), ": ")})
	}
	return []branch{b}
}

func (t *deviceTree) disk(d *hardware.Disk) []branch {
	if t.done["disk "+d.Name] {
		return nil
	}
	t.done["disk "+d.Name] = true
	mounted := func(v hardware.Volume) bool { return v.Mount != "" }
	used := !strings.HasPrefix(d.Name, "loop") && slices.ContainsFunc(d.Volumes, mounted)
	if t.brief && d.Bus == hardware.Virtual && !used {
		return nil
	}
	b := branch{
		name: strings.TrimSpace(d.Name + " " + shorten(hardware.WithVendor(d.Vendor, d.Model), longestName)),
		link: map[hardware.Bus]string{
			hardware.NVMe: "NVMe", hardware.USB: "USB", hardware.SATA: "SATA", hardware.Virtual: "virtual",
			hardware.AppleFabric: "Apple Fabric",
		}[d.Bus],
		size: bytesOr(d.SizeBytes), firmware: d.Firmware, serial: d.Serial,
	}
	if len(d.Backing) > 1 {
		b.small = "on " + unit.List(d.Backing)
	}
	if d.System {
		b.small = strings.TrimSpace(b.small + " (system)")
	}
	if n := len(d.Path.Links); n > 0 && d.Path.Links[n-1].Segment != hardware.HostPort {
		b.link, b.carries = d.Path.Links[n-1].String(), carries(&d.Path.Links[n-1])
	}
	if d.TemperatureC != nil {
		b.celsius = fmt.Sprintf("%.0f", math.Round(*d.TemperatureC))
	}
	volumes := d.Volumes
	if t.brief && slices.ContainsFunc(volumes, mounted) {
		volumes = slices.DeleteFunc(slices.Clone(volumes), func(v hardware.Volume) bool { return !mounted(v) })
	}
	if len(volumes) == 1 && mounted(volumes[0]) && volumes[0].Container == "" { // in the disk's own row
		v := t.volume(d, &volumes[0])
		b.mount, b.free, b.filesystem = shorten(volumes[0].Mount, longestMount), v.free, v.filesystem
	} else {
		for i := range volumes {
			b.branches = append(b.branches, t.volume(d, &volumes[i]))
		}
	}
	over := func(over *hardware.Disk) bool { return len(over.Backing) == 1 && over.Backing[0] == d.Name }
	b.branches = append(b.branches, t.those(noHub, over)...)
	return []branch{b}
}

func (t *deviceTree) volume(d *hardware.Disk, v *hardware.Volume) branch {
	kind := volumeKind(v, pick(v.ReadOnly, "read-only", ""))
	b := branch{name: shorten(v.Mount, longestName), size: bytesOr(v.SizeBytes), filesystem: kind}
	if v.Mount == "" {
		b.name, b.small = cmp.Or(v.Device, v.Label), cmp.Or(t.partOf(d, v), "not mounted")
	} else if v.SizeBytes > 0 {
		b.free = unit.FormatBytes(v.FreeBytes)
	}
	return b
}

// partOf says which mounted volume, spread over several disks, this is a part of; empty for none.
func (t *deviceTree) partOf(d *hardware.Disk, v *hardware.Volume) string {
	for _, disk := range t.inv.Disks {
		for _, other := range disk.Volumes {
			if v.Container != "" && other.Container == v.Container && other.Mount != "" && disk.Name != d.Name {
				return "part of " + other.Mount
			}
		}
	}
	return ""
}

// How many columns of a terminal a model takes at most (all of "Samsung SSD 970 EVO Plus 1TB"), and the mount point
// beside it.
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
	for _, d := range inv.Disks {
		for _, link := range d.Path.Links {
			if link.FellBack() {
				out = append(out, fmt.Sprintf("%s: its %s, %s, run at %.3g of the %.3g Gb/s that both ends support.",
					d.Name, link.Segment, &link, float64(max(link.RxBps, link.TxBps))/1e9, float64(link.MaxBps)/1e9))
			}
		}
		if d.UASP != nil && !*d.UASP {
			out = append(out, d.Name+" is driven without UASP, USB's faster protocol for disks.")
		}
	}
	for _, m := range inv.Diskless {
		if m.Path == "/" {
			out = append(out, "The root, /, is "+cmp.Or(m.Filesystem, "no disk")+": which disk it lies on is not known.")
		}
	}
	return out
}

// OfDoctor says which checks of a machine failed, what that means for results, and what to do.
func OfDoctor(c *trace.Checkup) *Document {
	doc := &Document{Kind: "checkup", Title: "hubbench doctor", Started: when(c.Date), Tool: c.Tool, Data: c}
	count := map[trace.Verdict]int{}
	for _, check := range c.Checks {
		count[check.Verdict]++
	}
	lead := []string{fmt.Sprintf("%d of %s passed", count[trace.Pass], unit.Plural(len(c.Checks), "check"))}
	for i, verdict := range []trace.Verdict{trace.Fail, trace.Warn, trace.Skip} {
		if n := count[verdict]; n > 0 {
			lead = append(lead, fmt.Sprintf("%d %s", n, []string{"failed", "with a warning", "skipped"}[i]))
		}
	}
	doc.Answer = &Answer{Headline: strings.Join(lead, ", ") + "."}
	doc.Add(Sentence{Text: fmt.Sprintf("%s, %s, hubbench %s, %s.", c.Host, c.System, c.Tool, when(c.Date))})
	of := say.Grouped(c.Doubts(), func(check trace.Check) string { return check.Name + check.Text })
	doc.Answer.Findings = say.Each(of, func(alike []trace.Check) string { // of several disks
		check, paths := alike[0], unit.List(say.Each(alike, func(check trace.Check) string { return check.Path }))
		return fmt.Sprintf("%s: %s%s: %s. %s%s", check.Verdict, check.Name, pick(check.Path == "", "", " on "+paths),
			check.Measured, check.Text, pick(check.Advice == "", "", " Try: "+check.Advice+"."))
	})
	t := table("Checks", word("Check"), word("Verdict"), word("Disk"), word("Measured", 1),
		word("What it means for results", 1), word("What to do", 1))
	t.Sentences = true
	for _, check := range c.Checks {
		verdict := Cell{Text: string(check.Verdict), Strong: check.Verdict == trace.Fail}
		t.add(check.Name, verdict, check.Path, check.Measured, check.Text, check.Advice)
	}
	doc.Add(t)
	return doc
}

// Unsound is what a report says of a check of the machine that failed before the run.
func Unsound(check trace.Check, date string) string {
	return fmt.Sprintf("hubbench doctor, %s: %s failed (%s). %s", when(date), check.Subject(), check.Measured, check.Text)
}
