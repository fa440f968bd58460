package clock

import (
	"testing"
	"time"
)

func TestNoSleepWhileAwake(t *testing.T) {
	first := Slept()
	for began := Now(); Now()-began < 20e6; {
		if grown := Slept() - first; grown > 100*time.Millisecond || grown < -100*time.Millisecond {
			t.Fatalf("slept %v while this test ran", grown)
		}
	}
}
