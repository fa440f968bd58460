package coordinator

import (
	"slices"
	"testing"
	"time"
)

func TestSuspendDetector(t *testing.T) {
	type look struct{ passed, asleep time.Duration } // since the look before
	for _, tt := range []struct {
		name  string
		looks []look
		want  []stop
	}{
		{"all goes on", []look{{250 * time.Millisecond, 0}, {3 * time.Second, time.Millisecond}, {250 * time.Millisecond, -time.Millisecond}}, nil},
		{"a sleep in which the clock stands", []look{{250 * time.Millisecond, 0}, {250 * time.Millisecond, 90 * time.Second}},
			[]stop{{500e6, 90 * time.Second}}},
		{"a sleep in which it goes on", []look{{90 * time.Second, 89 * time.Second}}, []stop{{90e9, 90 * time.Second}}},
		{"stopped by Ctrl-Z", []look{{7 * time.Second, 0}, {250 * time.Millisecond, 0}}, []stop{{7e9, 7 * time.Second}}},
		{"twice", []look{{0, time.Second}, {0, time.Second}}, []stop{{0, time.Second}, {0, time.Second}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			type reading struct {
				now   int64
				slept time.Duration
			}
			var at reading
			readings, ticks := make(chan reading, 1), make(chan time.Time)
			readings <- at
			stops, end := detectSuspends(func() (int64, time.Duration) {
				r := <-readings
				return r.now, r.slept
			}, ticks)
			for _, l := range tt.looks {
				at = reading{at.now + int64(l.passed), at.slept + l.asleep}
				ticks <- time.Time{}
				readings <- at
			}
			end()
			close(stops)
			var got []stop
			for s := range stops {
				got = append(got, s)
			}
			if !slices.Equal(got, tt.want) {
				t.Errorf("noticed %v, want %v", got, tt.want)
			}
		})
	}
}
