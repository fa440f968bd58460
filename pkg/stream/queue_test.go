package stream

import "testing"

// A frame that is requested behind others is expected after them, twice as late as they come; one long wait does not count.
func TestQueue(t *testing.T) {
	var q Queue
	at := int64(0)
	frame := func(took int64) { at += took; q.Ends(at) }
	q.Begins(at)
	q.Begins(at)
	if got := q.TakesNS(); got != 0 {
		t.Errorf("before any is there: %d ns", got)
	}
	frame(10)
	frame(10)
	if got := q.TakesNS(); got != 20 {
		t.Errorf("alone: %d ns, want 20", got)
	}
	at += 1000 // nobody waits
	for range 3 {
		q.Begins(at)
	}
	if got := q.TakesNS(); got != 80 {
		t.Errorf("behind three others: %d ns, want 80", got)
	}
	frame(10)
	frame(3000)
	frame(10)
	if got := q.TakesNS(); got != 20 {
		t.Errorf("after one stood still: %d ns, want 20", got)
	}
	for range 8 {
		q.Begins(at)
		frame(30)
	}
	if got := q.TakesNS(); got != 60 {
		t.Errorf("since they take 30 ns: %d, want 60", got)
	}
}
