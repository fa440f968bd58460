package device

import "testing"

// Whatever the machine is, looking at it gives a host, and every volume a disk to be on.
func TestLook(t *testing.T) {
	inventory, err := Look(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	if len(inventory.Hosts) != 1 || inventory.Hubs == nil || inventory.Disks == nil {
		t.Errorf("%+v: want one host, and lists that are empty rather than missing", inventory)
	}
	for _, disk := range inventory.Disks {
		if disk.Path.Links == nil || disk.Volumes == nil {
			t.Errorf("disk %+v: want lists that are empty rather than missing", disk)
		}
		if disk.Name == "" || disk.Serial != "" {
			t.Errorf("disk %+v: want a name, and no serial number", disk)
		}
		t.Logf("%s: %s, %d volumes", disk.Name, disk.Model, len(disk.Volumes))
		for _, v := range disk.Volumes {
			t.Logf("  %s at %q: %s, %d of %d bytes free", v.Device, v.Mount, v.Filesystem, v.FreeBytes, v.SizeBytes)
		}
	}
	t.Logf("warnings: %q", inventory.Warnings)
}
