package clock

import "testing"

// A stopwatch agrees with the clock but for the moment between its two readings: it never runs ahead of it.
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
