package scenario

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Whatever the bytes: no panic; a scenario that loads has a sound plan, or an error on one line.
func FuzzLoad(f *testing.F) {
	for _, pattern := range []string{"testdata/*.yaml", badDir + "/*.yaml"} {
		files, err := filepath.Glob(pattern)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range files {
			data, err := os.ReadFile(file)
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		plan, err := loadPlan("f.yaml", data)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") || !strings.HasPrefix(err.Error(), "f.yaml:") {
				t.Errorf("not one line with a place: %q", err)
			}
			return
		}
		names := map[string]bool{}
		for _, ph := range plan.Phases {
			if names[ph.Name] || len(ph.Jobs) == 0 || len(ph.Roles) != len(plan.Disks) {
				t.Fatalf("phase %q: %d jobs, %d roles for %d disks", ph.Name, len(ph.Jobs), len(ph.Roles), len(plan.Disks))
			}
			names[ph.Name] = true
			for _, j := range ph.Jobs {
				if len(j.Sizes) == 0 || slices.Min(j.Sizes) < 1 || j.Role == Idle || j.Role != ph.Roles[j.Disk] {
					t.Fatalf("phase %q: unsound job of %s", ph.Name, j.Disk)
				}
			}
		}
	})
}
