// Package progress shows a run under way to a person: on a terminal a picture of at most twelve
// lines, drawn over itself four times a second; elsewhere a line for each phase. It shows and never
// measures: the numbers of the results come from the trace. Start at New; state.go is what it
// knows, left.go how long the run will still take, terminal.go the picture, lines.go the lines.
package progress

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/hubbench/hubbench/internal/tell/ink"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/say"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/trace"
)

// redrawEvery keeps a terminal readable and takes little time from the workers.
const redrawEvery = 250 * time.Millisecond

// printer shows the state of a run.
type printer interface {
	draw(s *state)   // is called at every redraw while a phase is under way
	log(text string) // prints a line for those who see no picture
	say(text string) // prints a paragraph that stays
	wipe()           // takes the picture away
}

// Options say what is shown, and how.
type Options struct {
	Plan    *scenario.Plan
	Done    int                        // phases that an earlier sitting has completed
	Volumes map[string]scenario.Volume // of real disks, as far as they are known
	Ink     ink.Ink
	Size    func() (columns, rows int) // of the terminal; nil: no picture is drawn
	// Conclude returns what was recorded of a phase that is whole; nil: nothing is said of it.
	Conclude func(phase string) (took time.Duration, result *analysis.Phase)
	// Tell says what a person must know at once; nil: it is shown with the rest.
	Tell func(text string)
}

// Progress follows a run. It is a coordinator.Watcher.
type Progress struct {
	mu      sync.Mutex // the ticks come from a goroutine of their own
	opts    Options
	printer printer
	clock   func() time.Time
	state   state
	quit    chan struct{}
	ended   sync.WaitGroup
}

// New shows the progress of a plan on w. Close ends it.
func New(w io.Writer, opts Options) *Progress {
	p := &Progress{
		opts: opts, clock: time.Now, state: newState(opts.Plan, opts.Done, opts.Volumes),
		quit: make(chan struct{}),
	}
	p.printer = &lines{w: w, ink: opts.Ink}
	if opts.Size != nil {
		p.printer = &terminal{w: w, ink: opts.Ink, size: opts.Size}
	}
	p.ended.Go(func() {
		tick := time.NewTicker(redrawEvery)
		defer tick.Stop()
		for {
			select {
			case <-tick.C:
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

// tick shows the state if a phase is under way.
func (p *Progress) tick() {
	p.update(func(s *state) {
		if s.stage != idle {
			p.printer.draw(s)
		}
	})
}

// update changes the state; the next tick shows it.
func (p *Progress) update(how func(s *state)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state.now = p.clock()
	how(&p.state)
}

// CoolsDown announces a phase, which waits for its disks to rest.
func (p *Progress) CoolsDown(index int, phase scenario.Phase, wait time.Duration) {
	p.update(func(s *state) {
		s.begin(index, phase, cooling)
		s.cooldown = wait
	})
	p.tick()
}

// PhaseBegins announces a phase, whose disks get ready.
func (p *Progress) PhaseBegins(index int, phase scenario.Phase) {
	p.update(func(s *state) { s.begin(index, phase, preparing) })
	p.tick()
}

// Prepared notes how much was written for a disk before the release.
func (p *Progress) Prepared(disk string, bytes int64) {
	p.update(func(s *state) { s.disk(disk).prepared = bytes })
}

// Released notes the common start.
func (p *Progress) Released() { p.update((*state).release) }

// Moved notes how far a disk is.
func (p *Progress) Moved(disk string, bytes int64) {
	p.update(func(s *state) { s.move(disk, bytes) })
}

// Stopping says that the run has been asked to stop.
func (p *Progress) Stopping() {
	if p.opts.Tell != nil { // only if it takes long
		time.AfterFunc(time.Second, func() { p.opts.Tell(stopping) })
		return
	}
	p.update(func(s *state) {
		s.stopping = true
		if s.stage == idle {
			p.printer.say(stopping)
		} else {
			p.printer.log(stopping)
		}
	})
}

// Tell says something that a person must know at once. On a terminal it stays when the phase ends.
func (p *Progress) Tell(text string) {
	if p.opts.Tell != nil {
		p.opts.Tell(text)
		return
	}
	p.update(func(s *state) {
		if p.opts.Size != nil && s.stage != idle {
			s.warnings = append(s.warnings, text)
		} else {
			p.printer.say(text)
		}
	})
}

// PhaseEnds says how long it took and what it showed, or what went wrong.
func (p *Progress) PhaseEnds(failures []trace.RunFailure) {
	var took time.Duration
	var result *analysis.Phase
	whole := len(failures) == 0 && p.state.stage == working
	// This may wait for a disk, while others have something to say.
	if whole && p.opts.Conclude != nil {
		took, result = p.opts.Conclude(p.state.current.Name)
	}
	p.update(func(s *state) {
		p.printer.wipe()
		for _, text := range s.warnings {
			p.printer.say(text)
		}
		for _, f := range failures {
			p.printer.say(f.String())
		}
		if whole {
			p.printer.log(s.conclude(took, result))
		}
		if result != nil {
			s.soFar = say.Progress(result)
		}
		s.end()
	})
}

// Tried says what the phase that has ended was to a search.
func (p *Progress) Tried(try trace.Try, o search.Outcome, s *search.Search) {
	what := scenario.TryValue(try)
	if try.Alone {
		what += ", alone"
	}
	text := fmt.Sprintf("try %d of at most %d: %s: %s", s.Made(), s.AtMost(), what, o.Verdict)
	p.update(func(state *state) {
		state.made, state.costs[state.index].tries = s.Made(), s.AtMost()-s.Made()
		state.soFar = text
		p.printer.log(indent + text)
	})
}
