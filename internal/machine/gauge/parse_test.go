package gauge

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"go.uber.org/goleak"

	"github.com/hubbench/hubbench/pkg/trace"
)

// TestMain fails if a goroutine outlives the tests.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestSmart(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("needs a shell, to stand for smartctl")
	}
	tool := filepath.Join(t.TempDir(), "smartctl")
	t.Setenv("PATH", filepath.Dir(tool)+":"+os.Getenv("PATH"))
	for text, want := range map[string]float64{
		`{"smartctl":{"exit_status":4},"temperature":{"current":41}}`: 41, `{"temperature":{"current":0}}`: 0,
		`{"temperature":{}}`: 0, `{"smartctl":{"exit_status":2}}`: 0, `x`: 0, ``: 0,
	} {
		if err := os.WriteFile(tool, []byte("#!/bin/sh\necho '"+text+"'\nexit 4\n"), 0o700); err != nil { //nolint:gosec // it is to be run
			t.Fatal(err)
		}
		var f Finder
		s, _ := f.thermometer(&meter{smart: "disk", disks: []string{"A"}})
		got, err := s.Read(t.Context())
		if (err == nil) != (want > 0) || want > 0 && got[0].Value != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
		if got, err := s.Read(t.Context()); len(got) > 0 || err != nil {
			t.Errorf("asked again at once it answers %v, %v", got, err)
		}
	}
}

func TestCPU(t *testing.T) {
	texts := []string{"cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 1 2 3\n", "cpu  160 10 70 830 90 3 2 5 7 0\n"}
	s := cpuSource(func() (cpuTimes, error) {
		text := texts[0]
		texts = texts[1:]
		return parseStat(text)
	})
	if got, err := s.Read(t.Context()); len(got) != 0 || err != nil {
		t.Errorf("the first reading is %v, %v; want none", got, err)
	}
	// Busy: 60 user, 10 nice, 20 system, 3 and 2 interrupts, 5 stolen; then 30 idle and 40 waiting for disks.
	if got, err := s.Read(t.Context()); err != nil || len(got) != 1 || got[0] != (Reading{Name: trace.CPU, Value: 100 * 100.0 / 170}) {
		t.Errorf("got %v, %v", got, err)
	}
	for _, text := range []string{"", "cpu 1 2", "intr 1 2 3 4 5", "cpu a b c d e"} {
		if got, err := parseStat(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

func TestGroup(t *testing.T) {
	find := func(path string) (*meter, error) {
		if path == "" {
			return nil, errUnknown
		}
		return &meter{key: path[:1]}, nil
	}
	var got []string
	for _, m := range group([]Disk{{"A", "x1"}, {"B", ""}, {"C", "y1"}, {"D", "x2"}}, find) {
		got = append(got, fmt.Sprint(m.key, m.disks))
	}
	if want := []string{"x[A D]", "y[C]"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
