package device

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

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

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// place is a folder with 100 GB free on the file system id.
func place(t *testing.T, id uint64, change ...func(*Place)) Place {
	t.Helper()
	dir := t.TempDir()
	info, err := os.Stat(dir)
	must(t, err)
	p := Place{Path: dir, ID: id, Free: 100e9, Size: 200e9, Used: 100e9, Filesystem: "ext4", info: info}
	for _, c := range change {
		c(&p)
	}
	return p
}

func free(bytes int64) func(*Place) { return func(p *Place) { p.Free = bytes } }
func system(p *Place)               { p.System = true }
func fat(p *Place)                  { p.Filesystem = "vfat" }

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
	must(t, os.Mkdir(a, 0o700))
	must(t, os.WriteFile(file, nil, 0o600))
	must(t, os.Symlink(a, link))
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
