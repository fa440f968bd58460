// Package progress shows a run under way to a person: on a terminal the phase, each disk's pace and what is left,
// drawn over and over; elsewhere plain lines. It shows and never measures: what it prints is for the eye, the numbers
// come from the trace. state.go is what it knows, terminal.go and lines.go are the two ways to show it. Start at New.
package progress

import (
	"fmt"
	"io"
	"time"

	"github.com/hubbench/hubbench/internal/coordinator"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/unit"
)

// printer shows the state of a phase under way.
type printer interface {
	draw(s *state)
	wipe() // what is drawn over and over goes; what comes next is there to stay
}

// Progress follows a run. It is a coordinator.Watcher.
type Progress struct {
	w       io.Writer
	printer printer
	clock   func() time.Time
	state   state
}

// New shows the progress of a plan on w: live where w is a terminal.
func New(w io.Writer, live bool, plan *scenario.Plan) *Progress {
	p := &Progress{w: w, printer: &lines{w: w}, clock: time.Now, state: state{plan: plan, speedup: 1}}
	if live {
		p.printer = &terminal{w: w}
	}
	if plan.Hub != nil {
		p.state.speedup = plan.Hub.Speedup
	}
	return p
}

// PhaseBegins says what comes now.
func (p *Progress) PhaseBegins(index int, phase scenario.Phase) {
	p.state.begin(index)
	fmt.Fprintf(p.w, "[%d/%d] %s: %s; %s\n", index+1, len(p.state.plan.Phases), phase.Name, phase.Who(), work(&phase))
}

// work says what a phase is to move, or when it ends.
func work(phase *scenario.Phase) string {
	switch {
	case phase.Stop == scenario.StopTime:
		return "for " + unit.FormatSeconds(phase.Limit.Seconds())
	case phase.Target > 0:
		return "about " + unit.FormatSeconds(phase.Target.Seconds())
	default:
		return fmt.Sprintf("%d files, %s", phase.Files(), unit.FormatBytes(phase.Bytes()))
	}
}

// Released notes the common start.
func (p *Progress) Released() { p.state.release(p.clock()) }

// Moved shows how far a disk is.
func (p *Progress) Moved(disk string, files int, bytes int64) {
	if p.state.released.IsZero() {
		return
	}
	p.state.move(disk, files, bytes, p.clock())
	p.printer.draw(&p.state)
}

// PhaseEnds says how long it took, or what went wrong.
func (p *Progress) PhaseEnds(failures []coordinator.Failure) {
	p.printer.wipe()
	now := p.clock()
	for _, f := range failures {
		fmt.Fprintf(p.w, "      %s\n", f)
	}
	if len(failures) == 0 && !p.state.released.IsZero() {
		fmt.Fprintf(p.w, "      done in %s\n", unit.FormatSeconds(now.Sub(p.state.released).Seconds()))
	}
	p.state.end(now)
}
