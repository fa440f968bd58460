package device

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// twoDisks is a plan whose phase W writes on A and B and whose phase R reads on A.
func twoDisks(a, b string) *scenario.Plan {
	return &scenario.Plan{
		Disks: []scenario.Disk{{Name: "A", Path: a}, {Name: "B", Path: b}},
		Phases: []scenario.Phase{
			{Name: "W", Jobs: []scenario.Job{
				{Disk: "A", Role: trace.Write, Sizes: []int64{1e9, 2e9}},
				{Disk: "B", Role: trace.Write, Sizes: []int64{4e9}},
			}},
			{Name: "R", Jobs: []scenario.Job{{Disk: "A", Role: trace.Read, Sizes: []int64{5e9}}}},
		},
	}
}

// place is a folder with 100 GB free on the file system id.
func place(t *testing.T, id uint64, change ...func(*Place)) Place {
	t.Helper()
	dir := t.TempDir()
	info, err := os.Stat(dir)
	if err != nil {
		t.Fatal(err)
	}
	p := Place{Path: dir, ID: id, Free: 100e9, Size: 200e9, Used: 100e9, Filesystem: "ext4", info: info}
	for _, c := range change {
		c(&p)
	}
	return p
}

func free(bytes int64) func(*Place) { return func(p *Place) { p.Free = bytes } }
func system(p *Place)               { p.System = true }
func fat(p *Place)                  { p.Filesystem = "vfat" }

func TestJudge(t *testing.T) {
	shared := place(t, 1)
	inUse := place(t, 9)
	for _, tt := range []struct {
		name    string
		a, b    Place
		results *Place
		system  bool
		change  func(*scenario.Plan)
		want    []string // "! " before the fatal ones
	}{
		{name: "two good disks", a: place(t, 1), b: place(t, 2)},
		{name: "file systems without identity", a: place(t, 0), b: place(t, 0)},
		{name: "the same folder", a: shared, b: shared, want: []string{
			"! disk B: pathB is the folder of disk A too; give each disk its own"}},
		{name: "the same disk", a: place(t, 1), b: place(t, 1), want: []string{
			"disk B: is on the same file system as disk A; the two compete for one disk, not for the hub"}},
		{name: "read-only", a: place(t, 1, func(p *Place) { p.Writable = errors.New("read-only file system") }), b: place(t, 2), want: []string{
			"! disk A: cannot write to pathA (read-only file system); choose a folder that you may write to, on a volume that is not read-only"}},
		{name: "system disk", a: place(t, 1), b: place(t, 2, system), want: []string{
			"! disk B: pathB is on the disk that holds the operating system; give a folder on the disk under test, or set `allow_system_disk: true` to measure this one"}},
		{name: "a disk that is not mounted", a: place(t, 1), b: place(t, 2, system, func(p *Place) { p.Path = "/media/ann/B" }), want: []string{
			"! disk B: no disk is mounted at pathB: the folder is on the disk that holds the operating system; mount the disk under test, or set `allow_system_disk: true` to measure this one"}},
		{name: "system disk allowed", a: place(t, 1), b: place(t, 2, system), system: true},
		{name: "results on a disk", a: place(t, 1), b: place(t, 9), results: &inUse, want: []string{
			"! disk B: the results would be written to this disk while it is measured; choose a folder on another disk with --out"}},
		{name: "results on the system disk", a: place(t, 1), b: place(t, 9, system), system: true, results: &inUse, want: []string{
			"disk B: the results would be written to this disk while it is measured; choose a folder on another disk with --out"}},
		{name: "largest phase does not fit", a: place(t, 1, free(5_160_000_000)), b: place(t, 2), want: []string{
			"! disk A: phase R needs 5 GB plus a margin of 167 MB, but only 5.16 GB is free; free some space, use fewer or smaller files, or set a footprint"}},
		{name: "largest phase just fits", a: place(t, 1, free(5_170_000_000)), b: place(t, 2)},
		{name: "shared space", a: place(t, 1, free(7e9)), b: place(t, 1, free(7e9)), want: []string{
			"disk B: is on the same file system as disk A; the two compete for one disk, not for the hub",
			"! disks A, B: phase W needs 7 GB plus a margin of 207 MB, but only 7 GB is free; free some space, use fewer or smaller files, or set a footprint"}},
		{name: "kept files add up", a: place(t, 1, free(8e9)), b: place(t, 2), change: func(p *scenario.Plan) { p.Phases[0].Jobs[0].IO.Keep = true }, want: []string{
			"! disk A: phase R needs 8 GB plus a margin of 227 MB, but only 8 GB is free; free some space, use fewer or smaller files, or set a footprint"}},
		{name: "a footprint bounds writes", a: place(t, 1), b: place(t, 2, free(2e9)), change: func(p *scenario.Plan) {
			p.Phases[0].Jobs[1].Sizes = []int64{1e9, 1e9, 1e9, 1e9}
			p.Phases[0].Jobs[1].IO.Footprint = 1_500_000_000
		}},
		{name: "a footprint below the largest file", a: place(t, 1), b: place(t, 2, free(3e9)), change: func(p *scenario.Plan) {
			p.Phases[0].Jobs[1].IO.Footprint = 1_500_000_000
		}, want: []string{
			"! disk B: phase W needs 4 GB plus a margin of 147 MB, but only 3 GB is free; free some space, use fewer or smaller files, or set a footprint"}},
		{name: "a footprint too small to read", a: place(t, 1), b: place(t, 2), change: func(p *scenario.Plan) {
			p.Phases[1].Jobs[0].IO.Footprint = 4e9
		}, want: []string{
			"! disk A: phase R reads 5 GB, more than its footprint allows at one time; read fewer or smaller files, or raise the footprint"}},
		{name: "FAT32", a: place(t, 1, fat), b: place(t, 2, fat), want: []string{
			"! disk A: phase R has a file of 5 GB, and the file system of pathA supports none above 4 GiB; use smaller files, or format the disk as exFAT, APFS, NTFS or ext4"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			plan := twoDisks("pathA", "pathB")
			if tt.change != nil {
				tt.change(plan)
			}
			var got []string
			e := &evidence{plan: plan, places: map[string]Place{"A": tt.a, "B": tt.b}, results: tt.results, machine: &hardware.Inventory{}}
			for _, p := range e.judge() {
				if p.Code == "system_disk" && tt.system {
					continue
				}
				text := p.Text
				if p.Fatal {
					text = "! " + text
				}
				got = append(got, text)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("judge() (-want +got):\n%s", diff)
			}
		})
	}
}

// codes are what Check finds, by disk.
func codes(problems []Problem) []string {
	var list []string
	for _, p := range problems {
		list = append(list, p.Disk+" "+p.Code)
	}
	return list
}

func TestCheckLooks(t *testing.T) {
	dir := t.TempDir()
	a, file, link := filepath.Join(dir, "a"), filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.Mkdir(a, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(a, link); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name string
		a, b string
		want []string
	}{
		{"missing", a, filepath.Join(dir, "absent"), []string{"B missing"}},
		{"a file", file, a, []string{"A not_folder"}},
		{"below a file", filepath.Join(file, "x"), a, []string{"A missing"}},
		{"one folder by two names", a, link, []string{"B same_folder"}},
		{"two folders of a disk", a, dir, []string{"B same_disk"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			plan := twoDisks(tt.a, tt.b)
			plan.Phases = nil
			got := codes(Check(t.Context(), plan, Options{Allow: []string{"system_disk"}}))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("Check() (-want +got):\n%s", diff)
			}
		})
	}
}

func TestCheckLeavesSimulatedDisksAlone(t *testing.T) {
	plan := &scenario.Plan{Disks: []scenario.Disk{{Name: "A", Profile: "A"}}}
	if got := Check(t.Context(), plan, Options{Results: "/"}); got != nil {
		t.Errorf("Check() = %v, want nothing", got)
	}
}

func TestCheckKnowsTheSystemDisk(t *testing.T) {
	root := "/"
	if runtime.GOOS == "windows" {
		root = os.Getenv("SystemDrive") + `\`
	}
	plan := &scenario.Plan{Disks: []scenario.Disk{{Name: "A", Path: root}}}
	got := codes(Check(t.Context(), plan, Options{Results: filepath.Join(root, "not", "yet", "made")}))
	want := "A system_disk, A results_on_disk"
	if all := strings.Join(got, ", "); !strings.Contains(all, want) {
		t.Errorf("Check() = %s, want %s among it", all, want)
	}
}
