// Package progress shows a run under way to a person: on a terminal the phase, each disk's rate and what is left,
// drawn over and over; elsewhere plain lines. It shows and never measures: what it prints is for the eye, the numbers
// come from the trace. Start at New; state.go is what it knows,
// terminal.go the picture.
package progress

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// printer shows the state of a phase under way.
type printer interface {
	draw(s *state)
	stop(s *state)          // says that the run has been asked to stop
	wipe()                  // what is drawn over and over goes; what comes next is there to stay
	say(under, text string) // prints a paragraph that stays, under an indent
}

// Options say what is shown, and how.
type Options struct {
	Plan *scenario.Plan
	Size func() (columns, rows int) // of the terminal; nil if there is none
	// what the hub carries of a phase, bytes per second; 0, or nil: not known
	Limit func(phase *scenario.Phase) float64
	// what was recorded of a phase that is whole; nil: nothing is said of it
	Conclude func(phase string) (took time.Duration, say string)
	// says what a person must know at once; nil: it is shown with the rest
	Tell func(text string)
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
	p := &Progress{opts: opts, printer: &lines{w: w}, clock: time.Now, state: state{plan: opts.Plan, speedup: 1},
		done: func() {}}
	if opts.Plan.Simulated() {
		p.state.speedup, p.state.simulated = opts.Plan.Hub.Speedup, true
	}
	if opts.Size != nil {
		drawn := &terminal{w: w, size: opts.Size}
		p.printer = drawn
		p.done = onResize(func() {
			p.mu.Lock()
			defer p.mu.Unlock()
			drawn.redraw(&p.state)
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
		took, verdict = p.opts.Conclude(p.state.current.Name)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.printer.wipe()
	now := p.clock()
	for _, f := range failures {
		p.printer.say(indent, f.String())
	}
	if whole {
		if took == 0 {
			took = p.state.passed(now)
		}
		text := "done in " + p.state.time(took)
		if verdict != "" {
			text += ". " + verdict
		}
		p.printer.say(indent, text)
	}
	p.state.end(now)
	if p.state.current.Try != nil {
		return // what comes next is known when it is judged
	}
	if text := p.state.cooldown(); text != "" && len(failures) == 0 {
		p.printer.say(indent, text)
	}
}

// indent is what stands before all that belongs to a phase.
const indent = "      "

// Tried says what the phase that has ended was to a search, and when the search is over what it has found.
func (p *Progress) Tried(try trace.Try, o search.Outcome, s *search.Search) {
	p.mu.Lock()
	defer p.mu.Unlock()
	what := scenario.TryValue(try)
	if try.Alone {
		what += ", alone"
	}
	p.printer.say(indent, fmt.Sprintf("try %d of at most %d: %s: %s", s.Made(), s.AtMost(), what, o.Verdict))
	next := p.state.cooldown()
	if coming, more := s.Next(); more {
		next = p.state.cooldownBefore(&coming)
	} else {
		p.printer.say(indent, found(try, s.Result()))
	}
	if next != "" {
		p.printer.say(indent, next)
	}
}

// found is a search's answer in words.
func found(try trace.Try, r search.Result) string {
	text := answer(try, r)
	if r.AloneOpen || r.FoundOpen {
		text += "; nothing higher was tried"
	}
	return text
}

func answer(try trace.Try, r search.Result) string {
	switch {
	case r.Unlimited:
		return "found: " + try.Disk + " needs no limit"
	case try.Kind == trace.SearchPace && r.Found != nil && *r.Found == 0:
		return "found: the streams are not clean at any pace of " + try.Disk
	case r.Alone != nil || r.AloneBetween != nil:
		return "found: " + value(try, r.Alone, r.AloneBetween) + " alone, " + value(try, r.Found,
			r.FoundBetween) + " beside the others"
	default:
		return "found: " + value(try, r.Found, r.FoundBetween)
	}
}

// value is one answer in words.
func value(try trace.Try, found *float64, between *search.Between) string {
	text := func(v *float64) string {
		if v != nil && *v == 0 {
			return "no stream"
		}
		if try.Unlimited = v == nil; v != nil {
			try.Value = *v
		}
		return scenario.TryValue(try)
	}
	if found == nil && between != nil {
		return "unsure, between " + text(&between.Low) + " and " + text(between.High)
	}
	return text(found)
}

// lineEvery is how often a log gets a line during a long phase.
const lineEvery = 30 * time.Second

// lines writes a line now and then.
type lines struct {
	w       io.Writer
	written time.Time
}

func (l *lines) draw(s *state) {
	if l.written.Before(s.released) {
		l.written = s.released
	}
	if s.now.Sub(l.written) < lineEvery {
		return
	}
	l.written = s.now
	scale := scaleOf(s.top(), "B/s")
	var disks []string
	for i := range s.disks {
		d := &s.disks[i]
		rate := scale.number(s.rate(d)) + " " + scale.unit
		if d.finished(s) {
			rate = "done"
		}
		disks = append(disks, fmt.Sprintf("%s %s files, %s", d.job.Disk, s.filesOf(d), rate))
	}
	l.say(indent, s.times()+": "+strings.Join(disks, "; "))
}

func (l *lines) stop(*state) { l.say(indent, stopping) }

func (l *lines) wipe() {}

func (l *lines) say(under, text string) { fmt.Fprintln(l.w, cells.NoCommand(under+cells.Clean(text))) }
