package capture_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/hardware"
)

// update makes what is read the expected inventories.
var update = flag.Bool("update", false, "write what is read as the expected inventories")

// match compares an inventory with a golden file of JSON, which -update rewrites.
func match(t *testing.T, inv *hardware.Inventory, golden string) {
	t.Helper()
	got, err := json.MarshalIndent(inv, "", "\t")
	check.Must(t, err)
	if *update {
		check.Must(t, os.WriteFile(golden, append(got, '\n'), 0o644))
	}
	text, err := os.ReadFile(golden)
	check.Must(t, err)
	var want bytes.Buffer
	check.Must(t, json.Indent(&want, bytes.TrimSpace(text), "", "\t"))
	check.Same(t, "inventory (go test -update accepts it)", want.String(), string(got))
}

// sound holds an inventory to what is true of every machine, whatever it was read from: names are
// unique, what is referred to exists, and what is asked of it has an answer.
func sound(t *testing.T, inv *hardware.Inventory) {
	t.Helper()
	hubs, disks := map[string]bool{"": true}, map[string]bool{"": true}
	for _, hub := range inv.Hubs {
		if hubs[hub.ID] {
			t.Errorf("two hubs are %q", hub.ID)
		}
		if !hubs[hub.Upstream] {
			t.Errorf("%q is connected to %q, which does not stand before it", hub.ID, hub.Upstream)
		}
		hubs[hub.ID] = true
	}
	for i := range inv.Disks {
		d := &inv.Disks[i]
		if disks[d.Name] {
			t.Errorf("two disks are %q, or it has no name", d.Name)
		}
		disks[d.Name] = true
		if d.Hub != nil && !hubs[*d.Hub] {
			t.Errorf("disk %s is connected to %q, which there is not", d.Name, *d.Hub)
		}
		for _, link := range d.Path.Links {
			slow := link.Kind == hardware.PCIe && link.RxBps <= 2.5e9*int64(link.Lanes)
			if link.RxBps < 0 || link.TxBps < 0 || slow || link.MaxBps != 0 &&
				link.MaxBps < link.RxBps {
				t.Errorf("disk %s has a link of %+v", d.Name, link)
			}
		}
		inv.Above(d)
		inv.Physical(d, nil)
		for j := range d.Volumes {
			inv.Physical(d, &d.Volumes[j])
		}
	}
	inv.Holding("/mnt/a")
	if _, err := json.Marshal(inv); err != nil {
		t.Error(err)
	}
}

// secret wants none of the serial numbers that one inventory has in the other, made without being
// asked for them, and counts them.
func secret(t *testing.T, asked, plain *hardware.Inventory) (serials int) {
	t.Helper()
	text, err := json.Marshal(plain)
	check.Must(t, err)
	for _, disk := range asked.Disks {
		if disk.Serial != "" {
			serials++
			if bytes.Contains(text, []byte(disk.Serial)) {
				t.Errorf("the serial number %q, for which nobody asked", disk.Serial)
			}
		}
	}
	return serials
}
