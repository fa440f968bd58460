package gauge

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// taken remembers what a sampler hands out.
type taken struct {
	mu     sync.Mutex
	at     map[string][]time.Duration
	failed []string
}

func start(sources []Source) (*Sampler, *taken) {
	got := &taken{at: map[string][]time.Duration{}}
	began := time.Now()
	return Start(sources, Options{
		Now: func() int64 { return int64(time.Since(began)) },
		Take: func(atNS int64, reads []Reading) {
			got.mu.Lock()
			defer got.mu.Unlock()
			got.at[reads[0].Name] = append(got.at[reads[0].Name], time.Duration(atNS))
		},
		Fail: func(source string, _ error) {
			got.mu.Lock()
			defer got.mu.Unlock()
			got.failed = append(got.failed, source)
		},
	}), got
}

func source(name string, every time.Duration, total bool) Source {
	return Source{Name: name, Every: every, Total: total, Read: func(context.Context) ([]Reading, error) {
		return []Reading{{Name: name}}, nil
	}}
}

// A sampler reads at once and as often as each source allows; totals are read at the end too, others are not.
func TestSampler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := Source{Name: "broken", Every: time.Second, Read: func(context.Context) ([]Reading, error) { return nil, errors.New("no") }}
		s, got := start([]Source{source("total", time.Second, true), source("slow", 10*time.Second, false), broken})
		<-time.After(3500 * time.Millisecond)
		s.Stop()
		want := []time.Duration{0, 1e9, 2e9, 3e9, 35e8}
		for i, at := range got.at["total"] {
			if i >= len(want) || at != want[i] {
				t.Errorf("the total was read at %v, want %v", got.at["total"], want)
				break
			}
		}
		if len(got.at["total"]) != len(want) || len(got.at["slow"]) != 1 || len(got.failed) != 1 {
			t.Errorf("read %v, given up %v", got.at, got.failed)
		}
	})
}

// Totals that take long to read are of no known time, and are left out; temperatures are as good as ever.
func TestSamplerLeavesOutBlurredTotals(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		slow := func(name string, total bool) Source {
			n := 0
			return Source{Name: name, Every: time.Second, Total: total, Read: func(context.Context) ([]Reading, error) {
				if n++; n == 2 {
					<-time.After(700 * time.Millisecond)
				}
				return []Reading{{Name: name}}, nil
			}}
		}
		s, got := start([]Source{slow("total", true), slow("warmth", false)})
		<-time.After(3500 * time.Millisecond)
		s.Stop()
		if n, warm := len(got.at["total"]), len(got.at["warmth"]); n != 4 || warm != 4 {
			t.Errorf("took totals at %v and %d of 4 temperatures, want 4 totals of 5", got.at["total"], warm)
		}
	})
}

// A source that hangs is left behind: the others are read, and the end waits for it no longer than endWait.
func TestSamplerLeavesHangingSource(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		loose := make(chan struct{})
		hanging := Source{Name: "hanging", Every: time.Second, Total: true, Read: func(context.Context) ([]Reading, error) {
			<-loose
			return []Reading{{Name: "hanging"}}, nil
		}}
		s, got := start([]Source{hanging, source("total", time.Second, true)})
		<-time.After(2500 * time.Millisecond)
		began := time.Now()
		s.Stop()
		if took := time.Since(began); took != endWait {
			t.Errorf("the end took %s, want %s", took, endWait)
		}
		synctest.Wait()
		if len(got.at["total"]) != 4 {
			t.Errorf("the other source was read at %v", got.at["total"])
		}
		close(loose)
		synctest.Wait()
		if len(got.at["hanging"]) != 0 {
			t.Error("what hung was taken after the end")
		}
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
		if asked != 6 {
			t.Errorf("asked %d times in 30 s", asked)
		}
		if !f.may("/dev/sdb") {
			t.Error("another disk must wait as well")
		}
	})
}
