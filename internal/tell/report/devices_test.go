package report

import (
	"strings"
	"testing"

	"github.com/hubbench/hubbench/pkg/hardware"
)

// What is plugged in is a tree of ports, hubs and disks, whatever little is known of them; what
// cannot be tested is left out if it is to be brief.
func TestDevicesAreATree(t *testing.T) {
	for _, tt := range []struct {
		inv   hardware.Inventory
		brief bool
		want  string // with dots for the spaces of branches
		then  string // what follows the tree
	}{
		{inv: hardware.Inventory{
			Hosts: []hardware.Host{{Ports: []hardware.Port{{ID: "1", Name: "Port 1"},
				{ID: "2", Name: "Port 2"}}}},
			Hubs: []hardware.Hub{{ID: "far", Name: "Far", Port: "1", Upstream: "near"},
				{ID: "near", Name: "Near", Port: "1"}, {ID: "adrift", Name: "Adrift", Port: "9"}},
			Disks: []hardware.Drive{
				{Name: "loop0", Backing: []string{"sda"}},
				{Name: "sda", Hub: new("far"), Volumes: []hardware.Volume{{Mount: "/a"}}},
				{Name: "sdb", Port: "1"}, {Name: "lost", Hub: new("gone")},
				{Name: "orphan", Backing: []string{"gone"}},
			},
		},
			want: "Port 1\n├─.Near\n│..└─.Far\n│.....└─.sda\n│........├─./a\n│........└─.loop0\n└─.sdb\nAdrift\nlost\norphan"},
		{inv: hardware.Inventory{
			Hubs: []hardware.Hub{{ID: "dock", Name: "Dock",
				Devices: []hardware.Attached{{Kind: hardware.DisplayKind},
					{Kind: hardware.OtherKind, Name: "Camera"}}}},
			Disks: []hardware.Drive{
				{Name: "sda", Hub: new("dock"),
					Volumes: []hardware.Volume{{Device: "sda1"}, {Mount: "/a"}}},
				{Name: "sdb", Volumes: []hardware.Volume{{Device: "sdb1"}}},
				{Name: "loop0", Bus: hardware.Virtual,
					Volumes: []hardware.Volume{{Mount: "/snap/core"}}},
				{Name: "md0", Bus: hardware.Virtual},
				{Name: "md1", Bus: hardware.Virtual,
					Volumes: []hardware.Volume{{Mount: "/raid"}}},
			},
		}, brief: true,
			want: "Dock\n├─.sda\n│..└─./a\n└─.display\nsdb\n└─.sdb1 not mounted\nmd1\n└─./raid",
			then: "4 rows not shown"},
		{inv: hardware.Inventory{Warnings: []string{"nothing can be read"}},
			then: "No disk was found."},
	} {
		var got []string
		doc := OfDevices(&tt.inv, tt.brief)
		for _, table := range Collect[*Table](doc.Blocks) {
			for _, cells := range table.Rows {
				got = append(got,
					strings.TrimSpace(strings.ReplaceAll(cells[0].Words(), "\u00a0", ".")))
			}
		}
		if strings.Join(got, "\n") != tt.want {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), tt.want)
		}
		if said := Collect[Sentence](doc.Blocks); tt.then != "" &&
			!strings.HasPrefix(said[0].Text, tt.then) ||
			len(Collect[Warning](doc.Blocks)) != len(tt.inv.Warnings) {
			t.Errorf("below it stands %+v, want %q", doc.Blocks, tt.then)
		}
	}
}
