package scenario

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/pkg/strictyaml"
)

var update = flag.Bool("update", false, "write the golden files anew")

const badDir = "../../testdata/bad-scenarios"

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
	files, err := filepath.Glob(filepath.Join(badDir, "*.yaml"))
	if err != nil || len(files) < 30 {
		t.Fatalf("%d bad scenarios, %v", len(files), err)
	}
	var got strings.Builder
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		_, err = loadPlan(filepath.Base(file), data)
		if err == nil {
			t.Errorf("%s: no error", file)
			continue
		}
		if e := (*strictyaml.Error)(nil); !errors.As(err, &e) {
			t.Errorf("%s: %T has no place in the file", file, err)
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
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}
