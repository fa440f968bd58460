package report

import (
	"strings"
	"testing"

	"github.com/hubbench/hubbench/pkg/hardware"
)

// treeOf is the first column of the inventory's table, with dots for the spaces of its branches.
func treeOf(inv *hardware.Inventory) []string {
	var out []string
	for _, block := range OfDevices(inv, false).Blocks {
		if t, ok := block.(*Table); ok {
			for _, cells := range t.Rows {
				out = append(out, strings.ReplaceAll(cells[0].Words(), "\u00a0", "."))
			}
		}
	}
	return out
}

func TestDevicesAreATree(t *testing.T) {
	inv := &hardware.Inventory{
		Hosts: []hardware.Host{{Ports: []hardware.Port{{ID: "1", Name: "Port 1"}, {ID: "2", Name: "Port 2"}}}},
		Hubs:  []hardware.Hub{{ID: "far", Name: "Far", Port: "1", Upstream: "near"}, {ID: "near", Name: "Near", Port: "1"}, {ID: "adrift", Name: "Adrift", Port: "9"}},
		Disks: []hardware.Disk{
			{Name: "loop0", Backing: []string{"sda"}}, {Name: "sda", Hub: new("far"), Volumes: []hardware.Volume{{Mount: "/a"}}},
			{Name: "sdb", Port: "1"}, {Name: "lost", Hub: new("gone")}, {Name: "orphan", Backing: []string{"gone"}},
			{Name: "ring", Backing: []string{"gnir"}}, {Name: "gnir", Backing: []string{"ring"}},
		},
	}
	want := []string{"Port 1", "├─.Near", "│..└─.Far", "│.....└─.sda", "│........└─.loop0", "└─.sdb", "Adrift", "lost", "orphan", "ring", "└─.gnir"}
	if got := treeOf(inv); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestDevicesThatTellLittle(t *testing.T) {
	inv := &hardware.Inventory{
		Hubs: []hardware.Hub{{ID: "dock", Name: "Dock", Devices: []hardware.Attached{{Kind: hardware.DisplayKind}, {Kind: hardware.NetworkKind, Name: "eth1"}, {Kind: hardware.OtherKind, Name: "Camera"}}}},
		Disks: []hardware.Disk{
			{Name: "disk0", System: true}, {Name: "disk1", System: true}, {Name: "disk2", System: true, Backing: []string{"disk0", "disk1"}},
			{Name: "sda", System: true}, {Name: "dm-0", System: true, Backing: []string{"sda"}},
		},
	}
	want := []string{"Dock", "├─.display", "├─.network adapter: eth1", "└─.Camera", "disk0 (system)", "disk1 (system)", "disk2 on disk0 and disk1 (system)", "sda (system)", "└─.dm-0 (system)"}
	if got := treeOf(inv); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// What cannot be tested is left out if the tree is to be brief.
func TestBriefDevices(t *testing.T) {
	inv := &hardware.Inventory{
		Hubs: []hardware.Hub{{ID: "dock", Name: "Dock", Devices: []hardware.Attached{{Kind: hardware.DisplayKind}, {Kind: hardware.OtherKind, Name: "Camera"}}}},
		Disks: []hardware.Disk{
			{Name: "sda", Hub: new("dock"), Volumes: []hardware.Volume{{Device: "sda1"}, {Mount: "/a"}}},
			{Name: "sdb", Volumes: []hardware.Volume{{Device: "sdb1"}}},
			{Name: "loop0", Bus: hardware.Virtual, Volumes: []hardware.Volume{{Mount: "/snap/core"}}},
			{Name: "md0", Bus: hardware.Virtual}, {Name: "md1", Bus: hardware.Virtual, Volumes: []hardware.Volume{{Mount: "/raid"}}},
		},
	}
	var got []string
	blocks := OfDevices(inv, true).Blocks
	for _, cells := range blocks[0].(*Table).Rows {
		got = append(got, strings.TrimSpace(strings.ReplaceAll(cells[0].Words()+" "+cells[1].Text, "\u00a0", ".")))
	}
	want := []string{"Dock", "├─.sda /a", "└─.display", "sdb", "└─.sdb1 not mounted", "md1 /raid"}
	if strings.Join(got, "\n") != strings.Join(want, "\n") || !strings.HasPrefix(blocks[1].(Sentence).Text, "5 rows left out") {
		t.Errorf("got\n%s\nwant\n%s\nand %+v", strings.Join(got, "\n"), strings.Join(want, "\n"), blocks[1])
	}
}

func TestNoDevices(t *testing.T) {
	doc := OfDevices(&hardware.Inventory{Warnings: []string{"nothing can be read"}}, false)
	if len(doc.Blocks) != 2 || doc.Blocks[0] != (Sentence{Text: "No disk was found."}) || doc.Blocks[1] != (Warning{"nothing can be read"}) {
		t.Errorf("got %+v", doc.Blocks)
	}
}
