// Package progress shows a run under way to a person: on a terminal the phase, each disk's rate and what is left,
// drawn over and over; elsewhere plain lines. It shows and never measures: what it prints is for the eye, the numbers
// come from the trace. state.go is what it knows; terminal.go (with frame.go) and lines.go are the two ways to show it.
// Start at New.
package progress

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// printer shows the state of a phase under way.
type printer interface {
	draw(s *state)
	redraw(s *state)        // at once, as the terminal has another size
	stop(s *state)          // says that the run has been asked to stop
	wipe()                  // what is drawn over and over goes; what comes next is there to stay
	say(under, text string) // prints a paragraph that stays, under an indent
}

// Options say what is shown, and how.
type Options struct {
	Plan     *scenario.Plan
	Size     func() (columns, rows int)                          // of the terminal; nil if there is none
	Limit    func(phase *scenario.Phase) float64                 // what the hub carries of a phase, bytes per second; 0, or nil: not known
	Conclude func(phase string) (took time.Duration, say string) // what was recorded of a phase that is whole; nil: nothing is said of it
	Tell     func(text string)                                   // says what a person must know at once; nil: it is shown with the rest
}

// Progress follows a run. It is a coordinator.Watcher.
type Progress struct {
	mu      sync.Mutex // the terminal's size changes whenever it likes
	opts    Options
	printer printer
	clock   func() time.Time
	state   state
	done    func() // ends the watch over the terminal's size
}

// New shows the progress of a plan on w. Close ends it.
func New(w io.Writer, opts Options) *Progress {
	p := &Progress{opts: opts, printer: &lines{w: w}, clock: time.Now, state: state{plan: opts.Plan, speedup: 1}, done: func() {}}
	if opts.Plan.Simulated() {
		p.state.speedup, p.state.simulated = opts.Plan.Hub.Speedup, true
	}
	if opts.Size != nil {
		p.printer = &terminal{w: w, size: opts.Size}
		p.done = onResize(func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			p.printer.redraw(&p.state)
		})
	}
	return p
}

// Close ends what New began.
func (p *Progress) Close() { p.done() }

// PhaseBegins announces the phase.
func (p *Progress) PhaseBegins(index int, phase scenario.Phase) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state.begin(index, phase)
	if p.opts.Limit != nil {
		p.state.limit = p.opts.Limit(&phase)
	}
	p.printer.say("", fmt.Sprintf("[%d/%d] %s; %s", index+1, len(p.state.plan.Phases), phase.Label(), work(&phase)))
}

// work says what a phase is to move, or when it ends.
func work(phase *scenario.Phase) string {
	switch {
	case phase.Steady > 0:
		return "until steady, for " + unit.FormatSeconds(phase.Limit.Seconds()) + " at most"
	case phase.Stop == scenario.StopTime:
		return "for " + unit.FormatSeconds(phase.Limit.Seconds())
	case phase.Target > 0:
		return "about " + unit.FormatSeconds(phase.Target.Seconds())
	case phase.Files() == 1:
		return "1 file, " + unit.FormatBytes(phase.Bytes())
	default:
		return fmt.Sprintf("%d files, %s", phase.Files(), unit.FormatBytes(phase.Bytes()))
	}
}

// Released notes the common start.
func (p *Progress) Released() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state.release(p.clock())
}

// Moved shows how far a disk is.
func (p *Progress) Moved(disk string, files int, bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.state.released.IsZero() {
		return
	}
	p.state.move(disk, files, bytes, p.clock())
	p.printer.draw(&p.state)
}

// Stopping says that the run has been asked to stop.
func (p *Progress) Stopping() {
	if p.opts.Tell != nil { // only if it takes long
		time.AfterFunc(time.Second, func() { p.opts.Tell(stopping) })
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state.stopping = true
	p.printer.stop(&p.state)
}

// Tell says something that a person must know at once.
func (p *Progress) Tell(text string) {
	if p.opts.Tell != nil {
		p.opts.Tell(text)
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.printer.wipe()
	p.printer.say(indent, text)
}

// PhaseEnds says how long it took and what it showed, or what went wrong.
func (p *Progress) PhaseEnds(failures []trace.RunFailure) {
	whole := len(failures) == 0 && !p.state.released.IsZero()
	took, verdict := time.Duration(0), ""
	if whole && p.opts.Conclude != nil { // which may wait for a disk, while others have something to say
		took, verdict = p.opts.Conclude(p.state.phase().Name)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.printer.wipe()
	now := p.clock()
	for _, f := range failures {
		p.printer.say(indent, f.String())
	}
	if whole {
		p.printer.say(indent, p.conclusion(now, took, verdict))
	}
	p.state.end(now)
	if p.state.current.Try != nil {
		return // what comes next is known when it is judged
	}
	if text := p.state.cooldown(); text != "" && len(failures) == 0 {
		p.printer.say(indent, text)
	}
}

func (p *Progress) conclusion(now time.Time, took time.Duration, verdict string) string {
	if took == 0 {
		took = p.state.passed(now)
	}
	text := "done in " + p.state.time(took)
	if verdict != "" {
		text += ". " + verdict
	}
	return text
}

// indent is what stands before all that belongs to a phase.
const indent = "      "
