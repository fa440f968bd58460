package device

import (
	"os"
	"runtime"
	"testing"
	"testing/fstest"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/hubbench/hubbench/internal/test/check"
)

func TestProcProcesses(t *testing.T) {
	file := func(s string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(s)} }
	link := func(to string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(to), Mode: os.ModeSymlink | 0o777}
	}
	got, err := procProcesses(fstest.MapFS{
		"1/stat":      file("1 (systemd) S 0 1 1 0 -1 4194560 9 9 9 9 50 25 7 7 20 0 1 0 4"),
		"1/cmdline":   file("/sbin/init\x00"),
		"42/stat":     file("42 (rsync) D 1 1 1 0 -1 4194560 9 9 9 9 100 200 7 7 20 0 1 0 4"),
		"42/cmdline":  file("rsync\x00-a\x00/home\x00/mnt/x\x00"),
		"42/cwd":      link("/home/me"),
		"42/fd/3":     link("/mnt/x/file"),
		"42/fd/4":     link("socket:[17]"),
		"43/stat":     file("43 (a) b) R 1 1 1 0 -1 4194560 9 9 9 9 1 0 7 7 20 0 1 0 4"),
		"44/stat":     file("44 (cut"),
		"45/stat":     file("45 (short) R 1 1"),
		"46/comm":     file("gone"),
		"self":        link("42"),
		"uptime":      file("1 1"),
		"sys/x/stat":  file("no process"),
		"99x/cmdline": file(""),
	})
	want := []Process{
		{PID: 1, Name: "systemd", CPU: 750 * time.Millisecond},
		{PID: 42, Name: "rsync", Args: []string{"rsync", "-a", "/home", "/mnt/x"},
			Places: []string{"/home/me", "/mnt/x/file"}, CPU: 3 * time.Second, Blocked: true},
		{PID: 43, Name: "a) b", CPU: 10 * time.Millisecond},
	}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("procProcesses() (-want +got), %v:\n%s", err, diff)
	}
}

func TestParsePS(t *testing.T) {
	got := parsePS([]byte("    1   1:02.50 /sbin/launchd\n" +
		"  321   0:00.03 /System/Library/backupd\n" +
		" 4711 1666:40.00 rsync -a /Users /Volumes/X\n" +
		"   12 1440:01,00 fsck_apfs /dev/rdisk5\n" +
		"  bad   0:00.00 x\n   13 9:x y\n   14  0:00.00\n   15 a:b z\n\n"))
	want := []Process{
		{PID: 1, Name: "launchd", Args: []string{"/sbin/launchd"}, CPU: 62500 * time.Millisecond},
		{PID: 321, Name: "backupd", Args: []string{"/System/Library/backupd"},
			CPU: 30 * time.Millisecond},
		{PID: 4711, Name: "rsync", Args: []string{"rsync", "-a", "/Users", "/Volumes/X"},
			CPU: 100000 * time.Second},
		{PID: 12, Name: "fsck_apfs", Args: []string{"fsck_apfs", "/dev/rdisk5"},
			CPU: 86401 * time.Second},
	}
	check.Same(t, "parsePS()", want, got)
}

func TestBetween(t *testing.T) {
	s := time.Second
	got := Between(
		[]Process{{PID: 1, Name: "a", CPU: 10 * s}, {PID: 2, Name: "b", CPU: 10 * s}},
		[]Process{{PID: 1, Name: "a", CPU: 11 * s}, {PID: 2, Name: "c", CPU: s},
			{PID: 3, Name: "d", CPU: 2 * s}}, 2*s)
	for i, want := range []float64{0.5, 0.5, 1} {
		check.Same(t, "how busy "+got[i].Name+" was", want, got[i].Busy)
	}
}

func TestProcessesFindsItself(t *testing.T) {
	list, err := Processes(t.Context())
	check.Must(t, err)
	for _, p := range list {
		if p.PID == os.Getpid() && p.Name != "" {
			return
		}
	}
	t.Errorf("%d processes, this one is not among them", len(list))
}

func TestPowersave(t *testing.T) {
	cpu := func(driver, governor, preference string) fstest.MapFS {
		const dir = "devices/system/cpu/cpu0/cpufreq/"
		return fstest.MapFS{
			dir + "scaling_driver":                {Data: []byte(driver + "\n")},
			dir + "scaling_governor":              {Data: []byte(governor + "\n")},
			dir + "energy_performance_preference": {Data: []byte(preference + "\n")},
		}
	}
	for _, tt := range []struct {
		name string
		sys  fstest.MapFS
		want string
	}{
		{"a virtual machine", fstest.MapFS{}, ""},
		{"held at the lowest", cpu("acpi-cpufreq", "powersave", ""), "governor powersave"},
		{"as usual on Intel", cpu("intel_pstate", "powersave", "balance_performance"), ""},
		{"as usual on AMD", cpu("amd-pstate-epp", "powersave", "balance_power"), ""},
		{"asked to save", cpu("intel_pstate", "powersave", "power"), "energy preference power"},
		{"performance", cpu("acpi-cpufreq", "performance", ""), ""},
	} {
		check.Same(t, tt.name, tt.want, linuxPowerSaving(tt.sys))
	}
	for _, tt := range []struct {
		read      func([]byte) string
		out, want string
	}{
		{macPowerSaving, "Currently in use:\n standby 1\n lowpowermode         1\n",
			"Low Power Mode"},
		{macPowerSaving, " lowpowermode 0\n powermode 2\n", ""},
		{windowsPowerSaving, "GUID du mode: A1841308-3541-4fab-bc81-f71556f20b4a  (Economies)",
			"power plan Power saver"},
		{windowsPowerSaving, "Power Scheme GUID: 381b4222-f694-41f0-9685-ff5bb260df2e  (Balanced)",
			""},
	} {
		check.Same(t, tt.out, tt.want, tt.read([]byte(tt.out)))
	}
}

func TestInspectKnowsItsMount(t *testing.T) {
	p, err := Inspect(t.TempDir())
	check.Must(t, err)
	if p.Filesystem == "" || p.Mount == "" || p.Size < p.Used || p.Size == 0 ||
		runtime.GOOS != "windows" && p.Source == "" {
		t.Errorf("Inspect() = %+v, want all known", p)
	}
}

// TestMain fails if a goroutine outlives the tests.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Whatever the machine is, looking at it gives a host, and every volume a disk to be on.
func TestLook(t *testing.T) {
	inventory, err := Look(t.Context(), false)
	check.Must(t, err)
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
	}
}
