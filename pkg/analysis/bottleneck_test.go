package analysis

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/level"
	"github.com/hubbench/hubbench/pkg/trace"
)

// onDock is fieldNotes measured behind one Thunderbolt 4 dock, with a display on it, where B has fallen back to USB.
func onDock() *hardware.Setup {
	port := hardware.Link{Segment: hardware.HostPort, Port: "1", Kind: hardware.Thunderbolt, Generation: "4", RxBps: 40e9, TxBps: 40e9}
	uplink := hardware.Link{Segment: hardware.Uplink, Hub: "0-1", Kind: hardware.Thunderbolt, Generation: "4", RxBps: 40e9, TxBps: 40e9}
	lanes := hardware.Link{Segment: hardware.Lanes, Kind: hardware.PCIe, Generation: "3", Lanes: 4, RxBps: 32e9, TxBps: 32e9}
	usb := hardware.Link{Segment: hardware.Enclosure, Kind: hardware.USBLink, RxBps: 20e9, TxBps: 20e9, MaxBps: 40e9}
	unit := func(links ...hardware.Link) hardware.Unit {
		return hardware.Unit{Disk: hardware.Disk{Path: hardware.Path{Links: append([]hardware.Link{port, uplink}, links...)}}}
	}
	return &hardware.Setup{
		Hub:         &hardware.Hub{ID: "0-1", Name: "Element Hub"},
		Disks:       map[string]hardware.Unit{"A": unit(lanes), "B": unit(usb), "C": unit(lanes)},
		Competitors: []hardware.Attached{{Kind: hardware.DisplayKind, Name: "Studio Display"}, {Kind: hardware.OtherKind, Name: "Mouse"}},
	}
}

func TestLinks(t *testing.T) {
	run := fieldNotes()
	run.Hardware = onDock()
	a := Analyze(run, Options{})
	got := phaseNamed(t, a, "C writing, A and B reading").Links
	want := []LinkUse{
		{Segment: hardware.HostPort, Link: "Thunderbolt 4", Disks: []string{"A", "B"}, Op: "read", Rate: 2e9, Capacity: 3.4e9},
		{Segment: hardware.Uplink, Link: "Thunderbolt 4", Hub: "Element Hub", Disks: []string{"A", "B"}, Op: "read", Rate: 2e9, Capacity: 3.4e9},
		{Segment: hardware.Lanes, Link: "PCIe 3.0 x4", Disks: []string{"A"}, Op: "read", Rate: 1e9, Capacity: 3.52e9},
		{Segment: hardware.Enclosure, Link: "USB 20 Gb/s", Disks: []string{"B"}, Op: "read", Rate: 1e9, Capacity: 2.1e9, Could: "40 Gb/s"},
		{Segment: hardware.HostPort, Link: "Thunderbolt 4", Disks: []string{"C"}, Op: "write", Rate: 2.8e9, Capacity: 3.4e9},
		{Segment: hardware.Uplink, Link: "Thunderbolt 4", Hub: "Element Hub", Disks: []string{"C"}, Op: "write", Rate: 2.8e9, Capacity: 3.4e9},
		{Segment: hardware.Lanes, Link: "PCIe 3.0 x4", Disks: []string{"C"}, Op: "write", Rate: 2.8e9, Capacity: 3.52e9},
	}
	alike := cmp.Options{
		cmpopts.EquateApprox(0.01, 0), cmpopts.IgnoreUnexported(LinkUse{}), cmpopts.IgnoreFields(LinkUse{}, "Source", "Share"),
	}
	if diff := cmp.Diff(want, got, alike); diff != "" {
		t.Errorf("links (-want +got):\n%s", diff)
	}
	for _, u := range got {
		if share := u.Rate / u.Capacity; u.Share != share || u.Source == "" {
			t.Errorf("%+v: want share %g and a source", u, share)
		}
	}
}

// A link is named if the disks fill it, the fullest of those that the same disks share, and no other.
func TestBottlenecks(t *testing.T) {
	run := fieldNotes()
	run.Hardware = onDock()
	type reported struct {
		Phase string
		Disks []string
		Link  string
		More  int
	}
	var got []reported
	for _, f := range Analyze(run, Options{}).Findings {
		if f.Code == "bottleneck" {
			got = append(got, reported{f.Phase, f.Disks, f.Link.Link, f.MorePhases})
		}
	}
	all := []string{"A", "B", "C"}
	want := []reported{
		{"RRR", all, "Thunderbolt 4", 0}, // 3.45 GB/s
		{"WWW", all, "Thunderbolt 4", 1}, // 3.5, and 3.2 without B
	}
	if diff := cmp.Diff(want, got, cmpopts.SortSlices(func(a, b reported) bool { return a.Phase < b.Phase })); diff != "" {
		t.Errorf("bottlenecks (-want +got):\n%s", diff)
	}
}

// What is not known is not named: no hardware, no path, a disk that a phase has elsewhere.
func TestNoLinkIsGuessed(t *testing.T) {
	unknown := onDock()
	for name, u := range unknown.Disks {
		u.Path.Links = []hardware.Link{{Segment: hardware.Uplink, Hub: "0-1", Kind: hardware.Thunderbolt}}
		unknown.Disks[name] = u
	}
	for _, setup := range []*hardware.Setup{nil, {}, unknown} {
		run := fieldNotes()
		run.Hardware = setup
		for _, p := range Analyze(run, Options{}).Phases {
			if len(p.Links) > 0 {
				t.Errorf("%s: links %v, want none", p.Phase, p.Links)
			}
		}
	}
	run := fieldNotes()
	run.Hardware = onDock()
	run.Phases[1].Connections = map[string]string{"A": "direct"}
	for _, u := range Analyze(run, Options{}).Phases[1].Links {
		if slices.Contains(u.Disks, "A") {
			t.Errorf("A was plugged in elsewhere, and is counted on %s", u.Link)
		}
	}
}

// Nothing passes a link's line rate: a cache was faster.
func TestFasterThanTheLine(t *testing.T) {
	run := runOf(diskOf("A", "read", 100e6, pace{10, 3e9}))
	run.Hardware = &hardware.Setup{Disks: map[string]hardware.Unit{"A": {Disk: hardware.Disk{Path: hardware.Path{Links: []hardware.Link{
		{Segment: hardware.Enclosure, Kind: hardware.USBLink, RxBps: 20e9, TxBps: 20e9},
	}}}}}}
	a := Analyze(run, Options{})
	if w := a.Phases[0].Warnings; !slices.ContainsFunc(w, func(w Warning) bool {
		return w.Code == "cached" && w.Disk == "A" && w.Values.(MostValues).Most == 2.5e9
	}) {
		t.Errorf("3 GB/s over 20 Gb/s: warnings %v, want cached", w)
	}
	if slices.ContainsFunc(a.Findings, func(f Finding) bool { return f.Code == "bottleneck" }) {
		t.Error("a cache's rate is reported as a link's")
	}
}

func TestCompetitors(t *testing.T) {
	run := fieldNotes()
	run.Hardware = onDock()
	var got []string
	for _, w := range Analyze(run, Options{}).Warnings {
		got = append(got, w.Code+" "+w.Other)
	}
	if want := []string{"competitor_display Studio Display"}; !slices.Equal(got, want) {
		t.Errorf("warnings %q, want %q", got, want)
	}
}

// A link is named from 0.85 to 1.15 of what it carries; of those of the same disks and direction the fullest, or the last.
func TestBottlenecksByHand(t *testing.T) {
	use := func(id string, op trace.Role, share float64, disks ...string) LinkUse {
		return LinkUse{id: id, Link: id, Op: op, Share: share, Disks: disks}
	}
	for _, tt := range []struct {
		name  string
		links []LinkUse
		want  []string
	}{
		{"at the edges", []LinkUse{use("c", "read", 0.849, "C"), use("a", "read", 0.85, "A"), use("d", "read", 1.151, "D"), use("b", "read", 1.15, "B")}, []string{"a", "b"}},
		{"the fullest", []LinkUse{use("a", "read", 0.9, "A"), use("b", "read", 0.95, "A"), use("c", "read", 0.94, "A")}, []string{"b"}},
		{"as full", []LinkUse{use("a", "read", 0.9, "A"), use("b", "read", 0.9, "A")}, []string{"b"}},
		{"of others", []LinkUse{use("a", "read", 0.9, "A"), use("b", "write", 0.95, "A"), use("c", "read", 1, "A", "B")}, []string{"a", "b", "c"}},
	} {
		f := finder{phase: &Phase{Links: tt.links}}
		f.bottlenecks()
		var got []string
		for _, g := range f.found {
			got = append(got, g.Link.Link)
			if g.Weight != 0.2 || g.MorePhases != 0 || g.Other != string(g.Link.Op) || !slices.Equal(g.Disks, g.Link.Disks) {
				t.Errorf("%s: %+v", tt.name, g)
			}
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, got, tt.want)
		}
	}
	// Once more it is counted; another link is reported separately.
	f := finder{phase: &Phase{Links: []LinkUse{use("a", "read", 0.9, "A")}}, found: []Finding{{Code: "other"}}}
	f.bottlenecks()
	f.bottlenecks()
	slower := use("b", "read", 0.9, "A")
	slower.Could = "40 Gb/s"
	f.phase = &Phase{Links: []LinkUse{use("a", "read", 0.9, "A"), slower}}
	f.bottlenecks()
	f.phase = &Phase{Links: []LinkUse{slower}}
	f.bottlenecks()
	if len(f.found) != 3 || f.found[1].MorePhases != 1 || f.found[2].MorePhases != 1 || f.found[2].Weight != 0.5 {
		t.Errorf("%+v", f.found)
	}
}

func TestCompetitorsByKind(t *testing.T) {
	if competitors(nil) != nil {
		t.Error("warnings of no setup")
	}
	got := competitors(&hardware.Setup{Competitors: []hardware.Attached{{Kind: hardware.OtherKind, Name: "m"}, {Kind: hardware.DisplayKind, Name: "d"}, {Kind: hardware.NetworkKind, Name: "n"}}})
	want := []Warning{{Code: "competitor_" + string(hardware.DisplayKind), Other: "d"}, {Code: "competitor_" + string(hardware.NetworkKind), Other: "n"}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, tt := range []struct {
		hub  *hardware.Hub
		want string
	}{{nil, ""}, {&hardware.Hub{ID: "y", Name: "Y"}, ""}, {&hardware.Hub{ID: "x", Name: "X"}, "X"}} {
		if got := (&phase{hardware: &hardware.Setup{Hub: tt.hub}}).hubName("x"); got != tt.want {
			t.Errorf("hub x of %+v: %q", tt.hub, got)
		}
	}
	for _, tt := range []struct {
		disks []string
		want  string
	}{{nil, ""}, {[]string{"A"}, "A"}, {[]string{"A", "B"}, ""}} {
		if got := (&LinkUse{Disks: tt.disks}).only(); got != tt.want {
			t.Errorf("the link of %v belongs to %q", tt.disks, got)
		}
	}
}

// A rate above the link's line, or above what any hub carries, comes from a cache.
func TestFasterThanLinks(t *testing.T) {
	link := func(rate float64) LinkUse { return LinkUse{Link: "x", Disks: []string{"A"}, Rate: rate, line: 10} }
	const limit = 7.0e9 * 1.03
	for _, tt := range []struct {
		name       string
		share      float64 // found in the cache
		links      []LinkUse
		overlap    *Overlap
		simulated  bool
		connection string // of B
		want       []Warning
	}{
		{name: "nothing"},
		{name: "as much in the cache as may be", share: trace.MaxCached},
		{name: "more", share: trace.MaxCached + 0.01, want: []Warning{{Code: "cached", Disk: "A", Values: ShareValues{Share: trace.MaxCached + 0.01}}}},
		{name: "as fast as the line", links: []LinkUse{link(10)}},
		{name: "faster, told once", links: []LinkUse{link(10), link(11), link(12)}, overlap: &Overlap{ReadRate: 9e9}, connection: trace.OnHub,
			want: []Warning{{Code: "cached", Disk: "A", Other: "x", Values: MostValues{Rate: 11, Most: 10}}}},
		{name: "as fast as a hub", overlap: &Overlap{ReadRate: limit, WriteRate: limit}, connection: trace.OnHub},
		{name: "faster than a hub", overlap: &Overlap{ReadRate: 1, WriteRate: 8e9}, connection: trace.OnHub, want: []Warning{{Code: "cached", Values: MostValues{Rate: 8e9, Most: 7e9}}}},
		{name: "of a model", overlap: &Overlap{WriteRate: 8e9}, connection: trace.OnHub, simulated: true},
		{name: "elsewhere", overlap: &Overlap{WriteRate: 8e9}, connection: trace.Direct},
	} {
		p := &phase{trace: &trace.Phase{}, simulated: tt.simulated, connections: map[string]string{"A": trace.OnHub, "B": tt.connection}, out: &Phase{Links: tt.links, Overlap: tt.overlap}}
		p.parts = []part{{Disk: level.Disk{Trace: &trace.DiskTrace{Name: "A"}}}, {Disk: level.Disk{Trace: &trace.DiskTrace{Name: "B"}}}}
		p.trace.Gauges = []trace.Gauge{{Disk: "A", Name: trace.CachedShare, Value: tt.share}, {Disk: "A", Name: "other", Value: 1}}
		p.cached()
		if diff := cmp.Diff(tt.want, p.out.Warnings); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
}

// Disks share the host's socket and the hub's uplink; what is known of a link and of a disk's connection decides.
func TestLinkUses(t *testing.T) {
	link := func(segment hardware.Segment, hub, port string) hardware.Link {
		return hardware.Link{Segment: segment, Hub: hub, Port: port, Kind: hardware.Thunderbolt, Generation: "4", RxBps: 40e9, TxBps: 40e9}
	}
	unknown := hardware.Link{Segment: hardware.Lanes, Kind: hardware.PCIe}
	unit := func(links ...hardware.Link) hardware.Unit {
		return hardware.Unit{Disk: hardware.Disk{Path: hardware.Path{Links: links}}}
	}
	made := func() *phase {
		p := &phase{trace: &trace.Phase{}, out: &Phase{Overlap: &Overlap{Disks: map[string]OverlapDisk{}}}, hardware: &hardware.Setup{Hub: &hardware.Hub{ID: "h", Name: "Hub"}, Disks: map[string]hardware.Unit{}}}
		for _, name := range []string{"A", "B", "C", "D"} {
			p.parts = append(p.parts, part{Disk: level.Disk{Trace: &trace.DiskTrace{Name: name}}})
		}
		p.hardware.Disks["A"] = unit(link(hardware.HostPort, "", "1"), link(hardware.Uplink, "h", ""), unknown, link(hardware.Enclosure, "", ""))
		p.hardware.Disks["B"] = unit(link(hardware.HostPort, "", "2"), link(hardware.Uplink, "h", ""), link(hardware.Enclosure, "", ""))
		p.hardware.Disks["C"] = unit(link(hardware.HostPort, "", "1"))
		p.out.Overlap.Disks["A"] = OverlapDisk{Op: trace.Read, Rate: 30}
		p.out.Overlap.Disks["B"] = OverlapDisk{Op: trace.Read, Rate: 10}
		p.out.Overlap.Disks["C"] = OverlapDisk{Op: trace.Write, Rate: 5}
		p.out.Overlap.Disks["D"] = OverlapDisk{Op: trace.Read, Rate: 7} // of which no path is known
		return p
	}
	type use struct {
		Segment hardware.Segment
		Hub     string
		Disks   []string
		Op      trace.Role
		Rate    float64
	}
	usesOf := func(p *phase) (list []use) {
		for _, u := range p.linkUses() {
			list = append(list, use{u.Segment, u.Hub, u.Disks, u.Op, u.Rate})
			if u.Capacity != 3.4e9 || u.Share != u.Rate/3.4e9 || u.line != 5e9 {
				t.Errorf("%+v", u)
			}
		}
		return list
	}
	want := []use{
		{hardware.HostPort, "", []string{"A"}, trace.Read, 30}, {hardware.Uplink, "Hub", []string{"A", "B"}, trace.Read, 40}, {hardware.Enclosure, "", []string{"A"}, trace.Read, 30},
		{hardware.HostPort, "", []string{"B"}, trace.Read, 10}, {hardware.Enclosure, "", []string{"B"}, trace.Read, 10}, {hardware.HostPort, "", []string{"C"}, trace.Write, 5},
	}
	if diff := cmp.Diff(want, usesOf(made())); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	moved := made()
	moved.trace.Connections = map[string]string{"A": trace.Direct}
	if got := usesOf(moved); len(got) != 4 || got[0].Rate != 10 || got[1].Rate != 10 {
		t.Errorf("A is plugged in elsewhere: %+v", got)
	}
	for _, change := range []func(p *phase){func(p *phase) { p.hardware = nil }, func(p *phase) { p.out.Overlap = nil }} {
		p := made()
		if change(p); p.linkUses() != nil {
			t.Error("links of nothing known")
		}
	}
}
