package clock

import "testing"

// A stopwatch agrees with the clock except for the moment between its two readings: it never runs ahead of it.
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
	if n := testing.AllocsPerRun(1000, func() { last = s.Now() }); n != 0 {
		t.Errorf("a reading makes %v allocations, want none", n)
	}
	if n := testing.AllocsPerRun(1000, func() { last = Start().StartNS() }); n != 0 {
		t.Errorf("a start makes %v allocations, want none", n)
	}
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
