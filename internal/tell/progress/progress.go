// Package progress shows a run under way to a person: on a terminal a picture of at most twelve
// lines, drawn over itself four times a second; elsewhere a line for each phase. It shows and never
// measures: the numbers of the results come from the trace. Start at New; state.go is what it
// knows, left.go how long the run will still take, display.go where it is shown, picture.go the
// picture.
package progress

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/hubbench/hubbench/internal/measure/life"
	"github.com/hubbench/hubbench/internal/tell/ink"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/trace"
)

// redrawEvery keeps a terminal readable and takes little time from the workers.
const redrawEvery = 250 * time.Millisecond

// Options say what is shown, and how.
type Options struct {
	Plan *scenario.Plan
	// Done counts the phases that an earlier sitting has completed.
	Done    int
	Volumes map[string]scenario.Volume // Volumes are those of real disks, as far as known.
	Ink     ink.Ink
	Size    func() (columns, rows int) // Size is the terminal's; if it is nil, no picture is drawn.
	// Conclude returns what was recorded of a phase that is whole; nil: nothing is said of it.
	Conclude func(phase string) (took time.Duration, result *analysis.PhaseResult)
	// Notify tells a person what must be known at once; nil: it is shown with the rest.
	Notify func(text string)
}

// Progress follows a run. It is a coordinator.Watcher.
type Progress struct {
	mu      sync.Mutex // The ticks come from a goroutine of their own.
	opts    Options
	display display
	clock   func() time.Time
	state   state
	quit    chan struct{}
	ended   sync.WaitGroup
}

// New shows the progress of a plan on w. Close ends it.
func New(w io.Writer, opts Options) *Progress {
	p := &Progress{
		opts: opts, clock: time.Now, state: newState(opts.Plan, opts.Done, opts.Volumes),
		display: display{w: w, ink: opts.Ink, size: opts.Size}, quit: make(chan struct{}),
	}
	p.ended.Go(func() {
		for {
			select {
			case <-time.After(redrawEvery):
				p.tick()
			case <-p.quit:
				return
			}
		}
	})
	return p
}

// Close ends what New began.
func (p *Progress) Close() {
	close(p.quit)
	p.ended.Wait()
}

// lock lets a caller change the state, which the next tick shows.
func (p *Progress) lock() (unlock func()) {
	p.mu.Lock()
	p.state.now = p.clock()
	return p.mu.Unlock
}

// tick shows the state if a phase is under way.
func (p *Progress) tick() {
	defer p.lock()()
	if p.state.inPhase {
		p.display.show(&p.state)
	}
}

// Enter notes the run's state.
func (p *Progress) Enter(state life.State) {
	defer p.lock()()
	p.state.enter(state)
}

// PhaseBegins announces a phase: its disks cool down, or get ready.
func (p *Progress) PhaseBegins(index int, phase scenario.Phase, coolsDown bool) {
	defer p.lock()()
	p.state.begin(index, phase, coolsDown)
	p.display.show(&p.state)
}

// Moves notes how much was written for a disk before the release, and how far its job is.
func (p *Progress) Moves(disk string, prepared, moved int64) {
	defer p.lock()()
	if p.state.life == life.GettingReady {
		p.state.prepared(disk, prepared)
	} else {
		p.state.move(disk, moved)
	}
}

// Stopping says that the run has been asked to stop.
func (p *Progress) Stopping() {
	if p.opts.Notify != nil { // It is called only if that takes long.
		time.AfterFunc(time.Second, func() { p.opts.Notify(stopping) })
		return
	}
	defer p.lock()()
	p.state.stopping = true
	if p.opts.Size == nil || !p.state.inPhase {
		p.display.notify(stopping)
	}
}

// Notify tells a person what must be known at once. On a terminal it stays when the phase ends.
func (p *Progress) Notify(text string) {
	if p.opts.Notify != nil {
		p.opts.Notify(text)
		return
	}
	defer p.lock()()
	if p.opts.Size == nil || !p.state.inPhase {
		p.display.notify(text)
	} else {
		p.state.warnings = append(p.state.warnings, text)
	}
}

// PhaseEnds says how long it took and what it showed, or what went wrong.
func (p *Progress) PhaseEnds(failures []trace.RunFailure) {
	var took time.Duration
	var result *analysis.PhaseResult
	whole := len(failures) == 0 && p.state.works()
	// This may wait for a disk, while others have something to say.
	if whole && p.opts.Conclude != nil {
		took, result = p.opts.Conclude(p.state.current.Name)
	}
	defer p.lock()()
	s := &p.state
	p.display.wipe()
	for _, text := range s.warnings {
		p.display.notify(text)
	}
	for _, f := range failures {
		p.display.notify(f.String())
	}
	if whole {
		p.display.log(s.conclude(took, result))
	}
	if result != nil {
		s.soFar = analysis.Progress(result)
	}
	s.end()
}

// TryEnds says what the phase that has ended was to a search.
func (p *Progress) TryEnds(try trace.Try, o search.TryOutcome, s *search.Finder) {
	what := scenario.TryValue(try)
	if try.Alone {
		what += ", alone"
	}
	text := fmt.Sprintf("try %d of at most %d: %s: %s", s.Tries(), s.MaxTries(), what, o.Verdict)
	defer p.lock()()
	p.state.triesDone, p.state.costs[p.state.index].tries = s.Tries(), s.MaxTries()-s.Tries()
	p.state.soFar = text
	p.display.log("      " + text) // It belongs to the phase above.
}
