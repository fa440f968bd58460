package stream

// Player is one stream in progress: which frame to ask for next and when, and what became of those that were due. Its
// times are nanoseconds since the release. Calls come in the order of their times.
type Player struct {
	Name string
	Spec Spec

	offsetNS int64
	next     int    // the frame to ask for next
	settled  int    // frames before this one have been due
	there    []bool // the frames from settled on, by number modulo the length
	missing  int    // the first frame from settled on that is not there

	late     int
	run      int   // late frames up to settled without one in time between
	lowestNS int64 // buffer since the last sample
	stallNS  int64 // the longest stall since the last sample
}

func newPlayer(name string, spec Spec, offsetNS int64) *Player {
	frames := spec.Buffer.Nanoseconds()/spec.Frame.Nanoseconds() + 3
	return &Player{Name: name, Spec: spec, offsetNS: offsetNS, there: make([]bool, frames), lowestNS: spec.Buffer.Nanoseconds()}
}

// AskNS is when the player asks for its next frame.
func (p *Player) AskNS() int64 { return p.askNS(p.next) }

func (p *Player) askNS(frame int) int64 { return p.offsetNS + int64(frame)*p.Spec.Frame.Nanoseconds() }

// DueNS is when a frame must be there.
func (p *Player) DueNS(frame int) int64 { return p.askNS(frame) + p.Spec.Buffer.Nanoseconds() }

// Ask is the next frame to request at tNS, if one takes so long to move; those that would be late are skipped, but the
// newest is not: it shows whether it still takes so long. ok is false if its time has not come.
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
		return // it was late
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
	for p.missing = max(p.missing, p.settled); p.missing < p.next && p.there[p.missing%len(p.there)]; {
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
	Due, Late int   // frames so far
	BufferNS  int64 // the least that the player held since the sample before
	StallNS   int64 // how long the longest stall had lasted that was not over at the sample before; 0: none
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
