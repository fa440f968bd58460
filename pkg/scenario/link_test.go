package scenario

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/trace"
)

// A and B hang on a hub of USB 10 Gb/s, B having fallen to USB 2; C has a cable of its own, and of D nothing is known.
func wired() ([]Disk, *hardware.Setup) {
	usb := func(segment hardware.Segment, hub string, bps int64) hardware.Link {
		return hardware.Link{Segment: segment, Hub: hub, Kind: hardware.USBLink, RxBps: bps, TxBps: bps}
	}
	unit := func(name string, links ...hardware.Link) hardware.Unit {
		return hardware.Unit{Disk: hardware.Disk{Name: name, Path: hardware.Path{Links: links}}}
	}
	up := usb(hardware.Uplink, "hub", 10e9)
	return []Disk{{Name: "A"}, {Name: "B"}, {Name: "C"}, {Name: "D"}}, &hardware.Setup{Disks: map[string]hardware.Unit{
		"A": unit("sda", up, usb(hardware.Enclosure, "", 10e9)), "B": unit("sdb", up, usb(hardware.Enclosure, "", 480e6)),
		"C": unit("sdc", usb(hardware.Enclosure, "", 20e9)), "D": unit("sdd", hardware.Link{Kind: hardware.Thunderbolt}),
	}}
}

func TestLinksOf(t *testing.T) {
	disks, setup := wired()
	want := []Link{
		{[]string{"A", "B"}, 1.06e9}, {[]string{"A"}, 1.06e9}, {[]string{"B"}, 0.0532e9}, {[]string{"C"}, 2.1e9}, {[]string{"D"}, LinkRate},
	}
	if diff := cmp.Diff(want, LinksOf(disks, setup)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	setup.Disks = map[string]hardware.Unit{"A": setup.Disks["D"]}
	if got := LinksOf(disks, setup); got != nil || LinksOf(disks, nil) != nil {
		t.Errorf("nothing is known: %v", got)
	}
}

// Times and amounts follow from the links that are known.
func TestTimesUseTheLinks(t *testing.T) {
	disks, setup := wired()
	job := func(disk string) Job { return Job{Disk: disk, Role: trace.Write, Sizes: []int64{5.32e9}} }
	for _, tt := range []struct {
		jobs    []Job
		links   []Link
		seconds float64
		moves   int64 // by the first, in 10 s
	}{
		{[]Job{job("B")}, LinksOf(disks, setup), 100, 0.532e9},
		{[]Job{job("A")}, LinksOf(disks, setup), 5.32 / 1.06, 10.6e9},
		{[]Job{job("A"), job("B")}, LinksOf(disks, setup), 100, 5.3e9},
		{[]Job{job("A"), job("C")}, LinksOf(disks, setup), 5.32 / 1.06, 10.6e9},
		{[]Job{job("A"), job("B")}, []Link{{[]string{"A", "B"}, 1.06e9}}, 2 * 5.32 / 1.06, 5.3e9},
		{[]Job{job("A"), job("B")}, nil, 2 * 5.32 / 3.4, 17e9},
		{[]Job{job("A"), {Disk: "B", Role: trace.Read, Sizes: []int64{5.32e9}}}, nil, 5.32 / 3.4, 23.8e9}, // one each way
	} {
		phase := Phase{Jobs: tt.jobs, Links: tt.links}
		least, _, _ := phase.Time()
		if want := time.Duration(tt.seconds * float64(time.Second)); (least - want).Abs() > time.Microsecond {
			t.Errorf("%d jobs over %v take %v, want %v", len(tt.jobs), tt.links, least, want)
		}
		phase.Target = 10 * time.Second
		if moves, _ := phase.Moves(tt.jobs[0]); moves != tt.moves {
			t.Errorf("%d jobs over %v move %d, want %d", len(tt.jobs), tt.links, moves, tt.moves)
		}
	}
}

func TestCarried(t *testing.T) {
	disks, setup := wired()
	jobs := []Job{{Disk: "A", Role: trace.Write}, {Disk: "B", Role: trace.Write}, {Disk: "C", Role: trace.Write}}
	if got, want := (Phase{Jobs: jobs, Links: LinksOf(disks, setup)}).Carried(trace.Write), 1.06e9+0.0532e9+2.1e9; got != want {
		t.Errorf("all together carry %g, want %g", got, want)
	}
	if got := (Phase{Jobs: jobs}).Carried(trace.Write); got != LinkMax {
		t.Errorf("one link for all carries %g", got)
	}
	if got := (Phase{Jobs: jobs}).Carried(trace.Read); got != 0 {
		t.Errorf("none reads, but %g are read", got)
	}
}
