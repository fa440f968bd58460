package scenario

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/pkg/strictyaml/schematest"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Whatever the bytes: no panic; a scenario that loads has a sound plan and is right by the schema, or an error on one line.
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
	validate := schematest.New(f, Schema())
	f.Fuzz(func(t *testing.T, data []byte) {
		plan, err := loadPlan("f.yaml", data)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") || !strings.HasPrefix(err.Error(), "f.yaml:") {
				t.Errorf("not one line with a place: %q", err)
			}
			return
		}
		if err := validate(data); err != nil {
			t.Errorf("loads, but %v", err)
		}
		for _, total := range plan.Totals() {
			if total.Written < 0 || total.Space < 0 {
				t.Fatalf("total %+v", total)
			}
		}
		names := map[string]bool{}
		for _, ph := range plan.Phases {
			if (ph.Stop == StopTime) != (ph.Limit > 0) || ph.Stop == StopTime && ph.Target > 0 {
				t.Fatalf("phase %q stops by %s at %v, with a target of %v", ph.Name, ph.Stop, ph.Limit, ph.Target)
			}
			if names[ph.Name] || len(ph.Jobs) == 0 || len(ph.Roles) != len(plan.Disks) {
				t.Fatalf("phase %q: %d jobs, %d roles for %d disks", ph.Name, len(ph.Jobs), len(ph.Roles), len(plan.Disks))
			}
			names[ph.Name] = true
			for _, j := range ph.Jobs {
				if len(j.Sizes) <= j.IO.Discard || slices.Min(j.Sizes) < 1 || j.Role == trace.Idle || j.Role != ph.Roles[j.Disk] ||
					j.IO.OneFile && slices.Min(j.Sizes) < slices.Max(j.Sizes) {
					t.Fatalf("phase %q: unsound job of %s", ph.Name, j.Disk)
				}
			}
		}
	})
}
