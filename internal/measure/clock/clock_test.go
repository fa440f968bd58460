package clock

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/test/check"
)

// TestMain lets the test binary be the other process of TestNowIsSharedByProcesses.
func TestMain(m *testing.M) {
	if os.Getenv("CLOCK_CHILD") != "" {
		_, _ = os.Stdout.WriteString(strconv.FormatInt(Now(), 10))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func TestNowNeverStepsBack(t *testing.T) {
	last := Now()
	for range 100_000 {
		now := Now()
		if now < last {
			t.Fatalf("Now() = %d after %d", now, last)
		}
		last = now
	}
}

func TestNowCountsNanoseconds(t *testing.T) {
	tolerance := int64(5e6)
	if runtime.GOOS == "windows" {
		tolerance += 2 * 15.625e6 // the ticks of Go's clock at both ends
	}
	// Each reading of this clock lies between two of the other, however long these are apart.
	before, began := time.Now(), Now()
	after := time.Now()
	time.Sleep(200 * time.Millisecond)
	least, took := time.Since(after).Nanoseconds(), Now()-began
	most := time.Since(before).Nanoseconds()
	if took < least-tolerance || took > most+tolerance {
		t.Errorf("Now advanced %d ns while %d to %d ns passed", took, least, most)
	}
}

func TestNowIsSharedByProcesses(t *testing.T) {
	child := exec.Command(os.Args[0])
	child.Env = append(os.Environ(), "CLOCK_CHILD=1")
	before := Now()
	out, err := child.Output()
	after := Now()
	check.Must(t, err)
	got, err := strconv.ParseInt(strings.TrimSpace(string(out)), 10, 64)
	check.Must(t, err)
	if got < before || got > after {
		t.Errorf("the child's Now() = %d, want between %d and %d", got, before, after)
	}
}

func TestWaitUntil(t *testing.T) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	for _, wait := range []time.Duration{-time.Second, 0, 20 * time.Microsecond,
		500 * time.Microsecond, 5 * time.Millisecond} {
		// A busy machine may wake anyone late: the best of several tries shows what the code can
		// do.
		best := int64(1 << 62)
		for range 10 {
			before := Now()
			instant := before + wait.Nanoseconds()
			WaitUntil(instant)
			late := Now() - max(instant, before)
			if late < 0 {
				t.Fatalf("WaitUntil(%v) returned %d ns early", wait, -late)
			}
			best = min(best, late)
		}
		if best > 1e6 {
			t.Errorf("WaitUntil(%v) returned %d ns late at best, want under 1 ms", wait, best)
		}
	}
}

func TestNoSleepWhileAwake(t *testing.T) {
	first := Slept()
	for began := Now(); Now()-began < 20e6; {
		if grown := Slept() - first; grown > 100*time.Millisecond || grown < -100*time.Millisecond {
			t.Fatalf("slept %v while this test ran", grown)
		}
	}
}

func BenchmarkNow(b *testing.B) {
	for b.Loop() {
		Now()
	}
}

// A stopwatch agrees with the clock except for the moment between its two readings: it never runs
// ahead of it.
func TestStopwatch(t *testing.T) {
	s := Start()
	var worst int64
	for range 100_000 {
		got := s.Now()
		now := Now()
		if got > now {
			t.Fatalf("the stopwatch is %d ns ahead of the clock", got-now)
		}
		worst = max(worst, s.StartNS()-got)
	}
	if worst > 0 {
		t.Errorf("it read %d ns before its start", worst)
	}
}

// The transfer loop reads it for every request, and must not leave garbage behind.
func TestStopwatchAllocatesNothing(t *testing.T) {
	s := Start()
	var last int64
	check.Same(t, "allocations of a reading", 0.0, testing.AllocsPerRun(1000, func() {
		last = s.Now()
	}))
	check.Same(t, "allocations of a start", 0.0, testing.AllocsPerRun(1000, func() {
		last = Start().StartNS()
	}))
	if last == 0 {
		t.Error("it reads zero")
	}
}

func BenchmarkStopwatch(b *testing.B) {
	s := Start()
	for b.Loop() {
		s.Now()
	}
}
