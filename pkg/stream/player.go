package stream

import (
	"slices"
)

// Player is one stream in progress: which frame to ask for next and when, and what became of those
// that were due. Its times are nanoseconds since the release. Calls come in the order of their
// times.
type Player struct {
	Name string
	Spec Spec

	offsetNS int64
	next     int    // next is the frame to ask for next.
	settled  int    // Frames before settled have been due.
	there    []bool // there has the frames from settled on, by number modulo the length.
	missing  int    // missing is the first frame from settled on that is not there.

	late     int
	run      int   // run counts late frames up to settled without one in time between.
	lowestNS int64 // lowestNS is the lowest buffer since the last sample.
	stallNS  int64 // stallNS is the longest stall since the last sample.
}

func newPlayer(name string, spec Spec, offsetNS int64) *Player {
	frames := spec.Buffer.Nanoseconds()/spec.Frame.Nanoseconds() + 3
	return &Player{Name: name, Spec: spec, offsetNS: offsetNS, there: make([]bool, frames),
		lowestNS: spec.Buffer.Nanoseconds()}
}

// AskNS returns when the player asks for its next frame.
func (p *Player) AskNS() int64 { return p.askNS(p.next) }

func (p *Player) askNS(frame int) int64 {
	return p.offsetNS + int64(frame)*p.Spec.Frame.Nanoseconds()
}

// DueNS returns when a frame must be there.
func (p *Player) DueNS(frame int) int64 { return p.askNS(frame) + p.Spec.Buffer.Nanoseconds() }

// Ask returns the next frame to request at tNS, if one takes so long to move; those that would be
// late are skipped, but the newest is not: it shows whether it still takes so long. ok is false if
// its time has not come.
func (p *Player) Ask(tNS, takesNS int64) (frame int, ok bool) {
	p.settle(tNS)
	p.next = max(p.next, p.settled)
	// A buffer that is at least half full loses nothing by an estimate that is too high.
	takesNS = min(takesNS, p.Spec.Buffer.Nanoseconds()/2)
	for p.DueNS(p.next) < tNS+takesNS && p.askNS(p.next+1) <= tNS {
		p.next++
	}
	if p.askNS(p.next) > tNS {
		return 0, false
	}
	p.next++
	return p.next - 1, true
}

// Arrived notes that a frame that was asked for has been moved by tNS.
func (p *Player) Arrived(frame int, tNS int64) {
	p.settleBefore(tNS)
	if frame < p.settled {
		return // It was late.
	}
	p.note(tNS)
	p.there[frame%len(p.there)] = true
	for p.missing < p.next && p.there[p.missing%len(p.there)] {
		p.missing++
	}
}

// settle counts the frames that are due by tNS.
func (p *Player) settle(tNS int64) { p.settleBefore(tNS + 1) }

// settleBefore counts the frames that are due before tNS.
func (p *Player) settleBefore(tNS int64) {
	for p.DueNS(p.settled) < tNS {
		here := &p.there[p.settled%len(p.there)]
		if *here {
			p.run = 0
		} else {
			p.lowestNS = 0
			p.late++
			p.run++
			p.stallNS = max(p.stallNS, int64(p.run)*p.Spec.Frame.Nanoseconds())
		}
		*here = false
		p.settled++
	}
	for p.missing = max(p.missing, p.settled); p.missing < p.next &&
		p.there[p.missing%len(p.there)]; {
		p.missing++
	}
}

func (p *Player) note(tNS int64) {
	p.lowestNS = min(p.lowestNS, max(0, p.DueNS(p.missing)-tNS))
}

// SampleNS is the time from one sample of a stream to its next.
const SampleNS = 100_000_000

// Sample is the state of a stream at one time.
type Sample struct {
	Due, Late int   // Due and Late count frames so far.
	BufferNS  int64 // BufferNS is the least that the player held since the sample before.
	// StallNS is the longest stall that was not over at the sample before; 0 if there was none.
	StallNS int64
}

// Sample sums up what has happened since the last one. Frames that are due at tNS count.
func (p *Player) Sample(tNS int64) Sample {
	p.settle(tNS)
	p.note(tNS)
	s := Sample{Due: p.settled, Late: p.late, BufferNS: p.lowestNS, StallNS: p.stallNS}
	p.lowestNS = min(p.Spec.Buffer.Nanoseconds(), max(0, p.DueNS(p.missing)-tNS))
	p.stallNS = int64(p.run) * p.Spec.Frame.Nanoseconds()
	return s
}

// Queue estimates how long a frame takes on a disk that all its streams share, behind those in
// flight. The zero Queue is ready to use. Times are nanoseconds since the release, in ascending
// order.
type Queue struct {
	under   int // under counts frames in flight.
	sinceNS int64
	// apart has how long the latest took, each from the one before or from when it began alone.
	apart [8]int64
	n     int
}

// Begins notes that a frame is requested.
func (q *Queue) Begins(tNS int64) {
	if q.under == 0 {
		q.sinceNS = tNS
	}
	q.under++
}

// Ends notes that a frame has been moved.
func (q *Queue) Ends(tNS int64) {
	q.apart[q.n%len(q.apart)] = tNS - q.sinceNS
	q.n++
	q.under--
	q.sinceNS = tNS
}

// TakesNS returns twice as long as a frame that is requested now takes by the latest ones, as some
// take longer. The longest of them does not count: a disk that stood still for a moment does not do
// so for each frame.
func (q *Queue) TakesNS() int64 {
	n := min(q.n, len(q.apart))
	if n < 2 {
		return 0
	}
	sum := -slices.Max(q.apart[:n])
	for _, ns := range q.apart[:n] {
		sum += ns
	}
	return 2 * int64(q.under+1) * sum / int64(n-1)
}

// Verdict is a stream's outcome in a word.
type Verdict string

// The verdicts.
const (
	Clean    Verdict = "clean"
	Strained Verdict = "strained" // No frame was late, but the buffer fell below half.
	Drops    Verdict = "drops"    // Frames were late.
)

// TestBuffers is how many times the length of its buffer a stream must run to be called clean: one
// that gets a quarter too little has used up half of its buffer then.
const TestBuffers = 2

// Totals is what came of a stream. The zero Totals have seen no sample.
type Totals struct {
	Due, Late int
	StallNS   int64 // StallNS is the longest.
	LowestNS  int64 // LowestNS is the buffer at its lowest.
	seen      bool
}

// Add takes a stream's next sample.
func (o *Totals) Add(s Sample) {
	if !o.seen || s.BufferNS < o.LowestNS {
		o.LowestNS = s.BufferNS
	}
	o.seen = true
	o.Due = s.Due
	o.Late = s.Late
	o.StallNS = max(o.StallNS, s.StallNS)
}

// Seen reports whether it has taken a sample.
func (o *Totals) Seen() bool { return o.seen }

// Verdict judges the stream by its buffer's full size. One without a due frame has none.
func (o *Totals) Verdict(bufferNS int64) Verdict {
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
