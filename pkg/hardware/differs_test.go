package hardware

import (
	"strings"
	"testing"
)

func TestUnitDiffers(t *testing.T) {
	disk := Unit{Disk: Disk{Model: "T7", SizeBytes: 1e12}, Volume: &Volume{Filesystem: "apfs", SizeBytes: 9e11}}
	with := func(change func(*Unit)) Unit {
		u := disk
		v := *disk.Volume
		u.Volume = &v
		change(&u)
		return u
	}
	for name, tt := range map[string]struct {
		now  Unit
		want string
	}{
		"the same":           {disk, ""},
		"another port":       {with(func(u *Unit) { u.Port, u.Name = "2", "disk9" }), ""},
		"fuller":             {with(func(u *Unit) { u.Volume.FreeBytes = 1 }), ""},
		"nothing known":      {Unit{}, ""},
		"another model":      {with(func(u *Unit) { u.Model = "X5" }), "X5"},
		"another size":       {with(func(u *Unit) { u.SizeBytes = 2e12 }), "2000000000000"},
		"formatted anew":     {with(func(u *Unit) { u.Volume.Filesystem = "exfat" }), "exfat"},
		"partitioned anew":   {with(func(u *Unit) { u.Volume.SizeBytes = 5 }), "5 now"},
		"no volume is known": {with(func(u *Unit) { u.Volume = nil }), ""},
	} {
		if got := disk.Differs(tt.now); (got == "") != (tt.want == "") || !strings.Contains(got, tt.want) {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
		if got := (Unit{}).Differs(tt.now); got != "" {
			t.Errorf("%s, of a disk that was not known: got %q", name, got)
		}
	}
}
