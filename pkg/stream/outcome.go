package stream

// Verdict is a stream's outcome in a word.
type Verdict string

// The verdicts.
const (
	Clean    Verdict = "clean"
	Strained Verdict = "strained" // no frame was late, but the buffer fell below half
	Drops    Verdict = "drops"    // frames were late
)

// TestBuffers is how many times the length of its buffer a stream must run to be called clean: one that gets a quarter too
// little has used up half of its buffer then.
const TestBuffers = 2

// Outcome is what came of a stream. The zero Outcome has seen no sample.
type Outcome struct {
	Due, Late int
	StallNS   int64 // the longest
	LowestNS  int64 // the buffer at its lowest
	seen      bool
}

// Add takes a stream's next sample.
func (o *Outcome) Add(s Sample) {
	if !o.seen || s.BufferNS < o.LowestNS {
		o.LowestNS = s.BufferNS
	}
	o.seen = true
	o.Due, o.Late = s.Due, s.Late
	o.StallNS = max(o.StallNS, s.StallNS)
}

// Verdict judges the stream by its buffer's full size. One without a due frame has none.
func (o *Outcome) Verdict(bufferNS int64) Verdict {
	switch {
	case o.Due == 0:
		return ""
	case o.Late > 0:
		return Drops
	case o.LowestNS*2 < bufferNS:
		return Strained
	}
	return Clean
}

// Worst returns the worse of two verdicts.
func Worst(a, b Verdict) Verdict {
	rank := map[Verdict]int{Clean: 1, Strained: 2, Drops: 3}
	if rank[b] > rank[a] {
		return b
	}
	return a
}
