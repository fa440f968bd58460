package gauge

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/trace"
)

// taken is when each source was read, and which were given up.
type taken struct {
	at     map[string][]time.Duration
	mu     sync.Mutex
	failed []string
}

func start(sources []Source) (stop func(), got *taken) {
	got = &taken{at: map[string][]time.Duration{}}
	began := time.Now()
	s := Start(sources, Options{
		Now: func() int64 { return int64(time.Since(began)) },
		Fail: func(source string, _ error) {
			got.mu.Lock()
			defer got.mu.Unlock()
			got.failed = append(got.failed, source)
		},
	})
	return func() {
		s.Stop(func(r Readings) {
			got.at[r.Reads[0].Name] = append(got.at[r.Reads[0].Name], time.Duration(r.AtNS))
		})
	}, got
}

func source(name string, every time.Duration, total bool) Source {
	return Source{Name: name, Every: every, Total: total,
		Read: func(context.Context) ([]Reading, error) {
			return []Reading{{Name: name}}, nil
		}}
}

// A sampler reads at once and as often as each source allows; totals are read at the end too,
// others are not.
func TestSampler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := Source{
			Name: "broken", Every: time.Second,
			Read: func(context.Context) ([]Reading, error) { return nil, errors.New("no") },
		}
		stop, got := start([]Source{
			source("total", time.Second, true), source("slow", 10*time.Second, false), broken,
		})
		<-time.After(3500 * time.Millisecond)
		stop()
		want := []time.Duration{0, 1e9, 2e9, 3e9, 35e8}
		check.Same(t, "when the total was read", want, got.at["total"])
		if len(got.at["slow"]) != 1 || len(got.failed) != 1 {
			t.Errorf("read %v, given up %v", got.at, got.failed)
		}
	})
}

// Totals that take long to read are of no known time, and are left out; temperatures are as good as
// ever.
func TestSamplerLeavesOutBlurredTotals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(name string, total bool) Source {
			n := 0
			return Source{Name: name, Every: time.Second, Total: total,
				Read: func(context.Context) ([]Reading, error) {
					if n++; n == 2 {
						<-time.After(700 * time.Millisecond)
					}
					return []Reading{{Name: name}}, nil
				}}
		}
		stop, got := start([]Source{slow("total", true), slow("warmth", false)})
		<-time.After(3500 * time.Millisecond)
		stop()
		if n, warm := len(got.at["total"]), len(got.at["warmth"]); n != 4 || warm != 4 {
			t.Errorf("took totals at %v and %d of 4 temperatures, want 4 totals of 5",
				got.at["total"], warm)
		}
	})
}

// A source that hangs is left behind: the others are read, and the end waits for it no longer than
// endWait.
func TestSamplerLeavesHangingSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loose := make(chan struct{})
		hanging := Source{Name: "hanging", Every: time.Second, Total: true,
			Read: func(context.Context) ([]Reading, error) {
				<-loose
				return []Reading{{Name: "hanging"}}, nil
			}}
		stop, got := start([]Source{hanging, source("total", time.Second, true)})
		<-time.After(2500 * time.Millisecond)
		began := time.Now()
		stop()
		check.Same(t, "how long the end took", endWait, time.Since(began))
		synctest.Wait()
		check.Same(t, "readings of the other source", 4, len(got.at["total"]))
		close(loose)
		synctest.Wait()
		check.Same(t, "readings of what hung", 0, len(got.at["hanging"]))
	})
}

// However many phases there are, SMART is asked once in five seconds.
func TestSmartIsSpared(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var f Finder
		asked := 0
		for range 30 { // a phase a second
			if f.may("/dev/sda") {
				asked++
			}
			<-time.After(time.Second)
		}
		check.Same(t, "how often it was asked in 30 s", 6, asked)
		if !f.may("/dev/sdb") {
			t.Error("another disk must wait as well")
		}
	})
}

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
		s, _ := f.thermometer(&meter{parts: []string{"disk"}, disks: []string{"A"}})
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
	texts := []string{
		"cpu  100 0 50 800 50 0 0 0 0 0\ncpu0 1 2 3\n", "cpu  160 10 70 830 90 3 2 5 7 0\n",
	}
	s := cpuSource(func() (cpuTimes, error) {
		text := texts[0]
		texts = texts[1:]
		return parseStat(text)
	})
	if got, err := s.Read(t.Context()); len(got) != 0 || err != nil {
		t.Errorf("the first reading is %v, %v; want none", got, err)
	}
	// Busy: 60 user, 10 nice, 20 system, 3 and 2 interrupts, 5 stolen; then 30 idle and 40 waiting
	// for disks.
	if got, err := s.Read(t.Context()); err != nil || len(got) != 1 ||
		got[0] != (Reading{Name: trace.CPU, Value: 100 * 100.0 / 170}) {
		t.Errorf("got %v, %v", got, err)
	}
	for _, text := range []string{"", "cpu 1 2", "intr 1 2 3 4 5", "cpu a b c d e"} {
		if got, err := parseStat(text); err == nil {
			t.Errorf("%q is %v", text, got)
		}
	}
}

func TestGroup(t *testing.T) {
	find := func(_ context.Context, path string) (*meter, error) {
		if path == "" {
			return nil, errUnknown
		}
		return &meter{key: path[:1]}, nil
	}
	var got []string
	for _, m := range group(t.Context(), []Target{{"A", "x1"}, {"B", ""}, {"C", "y1"}, {"D", "x2"}},
		find) {
		got = append(got, fmt.Sprint(m.key, m.disks))
	}
	check.Same(t, "meters", []string{"x[A D]", "y[C]"}, got)
}
