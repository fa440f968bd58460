package scenario

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/strictyaml/schematest"
	"github.com/hubbench/hubbench/pkg/trace"
)

var update = flag.Bool("update", false, "write the golden files anew")

const badDir = "../../testdata/bad-scenarios"

// must fails the test if a step of it did.
func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// file is a scenario of those in testdata.
type file struct {
	name, path string
	data       []byte
}

func files(t testing.TB, patterns ...string) (all []file) {
	t.Helper()
	for _, pattern := range patterns {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: no files, %v", pattern, err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			must(t, err)
			all = append(all, file{filepath.Base(path), path, data})
		}
	}
	return all
}

// loadPlan does what every command does with a scenario, but for refusing what this version does not do.
func loadPlan(name string, data []byte) (*Plan, error) {
	s, err := Load(name, data)
	if err != nil {
		return nil, err
	}
	return s.Plan()
}

// Every bad scenario ends in exactly the lines that want.txt has for it.
func TestBadScenarios(t *testing.T) {
	var got strings.Builder
	for _, file := range files(t, badDir+"/*.yaml") {
		_, err := loadPlan(file.name, file.data)
		if err == nil {
			t.Errorf("%s: no error", file.name)
			continue
		}
		if e := (*strictyaml.Error)(nil); !errors.As(err, &e) {
			t.Errorf("%s: %T has no place in the file", file.name, err)
		}
		several, ok := errors.AsType[strictyaml.Errors](err)
		if !ok {
			got.WriteString(err.Error() + "\n")
		}
		for _, e := range several {
			got.WriteString(e.Error() + "\n")
		}
	}
	golden(t, filepath.Join(badDir, "want.txt"), got.String())
}

func TestLoadHugeFile(t *testing.T) {
	data := []byte(strings.Repeat("name: triple\n", 10<<20/13))
	_, err := Load("huge.yaml", data)
	const want = "huge.yaml:1:1: the file is over 1 MiB; try the right file, or fewer values"
	if err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

// golden compares text with a file, or writes it there.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		must(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	must(t, err)
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}

// Whatever the bytes: no panic; a scenario that loads has a sound plan and is right by the schema, or an error on one line.
func FuzzLoad(f *testing.F) {
	for _, file := range files(f, "testdata/*.yaml", badDir+"/*.yaml") {
		f.Add(file.data)
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
