package hardware

import (
	"cmp"
	"strings"
	"testing"
)

func mounted(device string, mounts ...string) Volume {
	return Volume{Device: device, Mount: mounts[0], Mounts: mounts[1:], SizeBytes: 100, FreeBytes: 40}
}

func TestHolding(t *testing.T) {
	unix := &Inventory{
		Disks: []Disk{
			{Name: "nvme0n1", Volumes: []Volume{mounted("nvme0n1p2", "/", "/srv/home"), {Device: "nvme0n1p3"}}},
			{Name: "sda", Volumes: []Volume{mounted("sda1", "/mnt/A", "/srv/bind")}},
			{Name: "sdb", Volumes: []Volume{mounted("sdb1", "/mnt/A/inner")}},
		},
		Diskless: []Mount{{Path: "/tmp", Filesystem: "tmpfs"}},
	}
	container := &Inventory{
		Disks:    []Disk{{Name: "sda", Volumes: []Volume{mounted("sda1", "/etc/hosts")}}},
		Diskless: []Mount{{Path: "/", Filesystem: "overlay"}},
	}
	windows := &Inventory{Disks: []Disk{
		{Name: "PhysicalDrive0", Volumes: []Volume{mounted("C:", `C:\`)}},
		{Name: "PhysicalDrive1", Volumes: []Volume{mounted("E:", "E:", `C:\Disks\A\`)}},
		{Name: "PhysicalDrive2", Volumes: []Volume{mounted("", `\\?\Volume{4c1b02c1-d990-11dc-99ae-806e6f6e6963}\`)}},
	}}
	for inv, wants := range map[*Inventory]map[string]string{
		unix: {
			"/": "nvme0n1p2", "/home/me/test": "nvme0n1p2", "/srv/home/me": "nvme0n1p2", "/mnt/A": "sda1", "/mnt/A/test": "sda1",
			"/mnt/AB": "nvme0n1p2", // the mount point is a name, not a prefix of letters
			"/mnt/a":  "nvme0n1p2", "/srv/bind/test": "sda1", "/mnt/A/inner/test": "sdb1", "/tmp/test": "", "relative": "",
		},
		container: {"/root": "", "/etc/hosts": "sda1"},
		windows: {
			`c:\users`: "C:", "C:/": "C:", `C:\disks\a\test`: "E:", `e:\test`: "E:", `D:\test`: "",
			`\\?\volume{4C1B02C1-d990-11dc-99ae-806e6f6e6963}\test`: `\\?\Volume{4c1b02c1-d990-11dc-99ae-806e6f6e6963}\`,
		},
	} {
		for path, want := range wants {
			got := ""
			disk, volume := inv.Holding(path)
			if volume != nil {
				got = cmp.Or(volume.Device, volume.Mount)
			}
			if got != want || (disk == nil) != (volume == nil) {
				t.Errorf("Holding(%s) = %q, want %q", path, got, want)
			}
		}
	}
}

func TestPhysical(t *testing.T) {
	inv := &Inventory{Disks: []Disk{
		{Name: "sda"},
		{Name: "sdb", Volumes: []Volume{{Device: "sdb1", Container: "pool"}}},
		{Name: "sdc", Volumes: []Volume{{Device: "sdc1", Container: "pool"}}},
		{Name: "md0", Backing: []string{"sdc", "sda"}},
		{Name: "dm-0", Backing: []string{"md0"}},
		{Name: "loop0", Backing: []string{"dm-0"}},
		{Name: "loop1"},
		{Name: "ring", Backing: []string{"gnir"}},
		{Name: "gnir", Backing: []string{"ring"}},
		{Name: "orphan", Backing: []string{"gone"}},
	}}
	for name, want := range map[string]string{
		"sda": "sda", "md0": "sda sdc", "loop0": "sda sdc", "loop1": "loop1", "ring": "", "orphan": "orphan",
	} {
		if got := names(inv.Physical(inv.Find(name), nil)); got != want {
			t.Errorf("Physical(%s) = %q, want %q", name, got, want)
		}
	}
	if got := names(inv.Physical(&inv.Disks[1], &inv.Disks[1].Volumes[0])); got != "sdb sdc" {
		t.Errorf("a volume on two disks lies on %q", got)
	}
	if got := inv.Physical(nil, nil); got != nil {
		t.Errorf("Physical(nil) = %v", got)
	}
}

func names(disks []*Disk) string {
	var out []string
	for _, d := range disks {
		out = append(out, d.Name)
	}
	return strings.Join(out, " ")
}

func TestAbove(t *testing.T) {
	inv := &Inventory{
		Hubs:  []Hub{{ID: "dock"}, {ID: "enclosure", Upstream: "dock"}, {ID: "a", Upstream: "b"}, {ID: "b", Upstream: "a"}},
		Disks: []Disk{{Name: "far", Hub: new("enclosure")}, {Name: "near"}, {Name: "ring", Hub: new("a")}, {Name: "lost", Hub: new("gone")}},
	}
	for name, want := range map[string]string{"far": "enclosure dock", "near": "", "ring": "a b", "lost": ""} {
		var got []string
		for _, h := range inv.Above(inv.Find(name)) {
			got = append(got, h.ID)
		}
		if all := strings.Join(got, " "); all != want {
			t.Errorf("Above(%s) = %q, want %q", name, all, want)
		}
	}
}

func TestFill(t *testing.T) {
	for want, v := range map[float64]Volume{0.6: mounted("sda1", "/mnt"), 0: {Device: "sda2", SizeBytes: 100}} {
		if got := v.Fill(); got != want {
			t.Errorf("Fill() of %+v = %g, want %g", v, got, want)
		}
	}
}
