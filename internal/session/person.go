package session

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/tell/ink"
	"github.com/hubbench/hubbench/internal/tell/output"
	"github.com/hubbench/hubbench/internal/tell/progress"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/pkg/forecast"
	"github.com/hubbench/hubbench/pkg/unit"
)

// progress shows a run's progress on stderr, or nowhere with --quiet.
func (r *session) progress(journal *recorded.Journal) *progress.Progress {
	if r.Quiet {
		return progress.New(io.Discard, progress.Options{Plan: r.ready.Plan, Notify: r.Warn})
	}
	shown := progress.Options{
		Plan: r.ready.Plan, Done: r.ready.Done, Volumes: r.ready.Volumes(),
		Ink: ink.For(r.Stderr, r.Getenv), Conclude: journal.Conclude,
	}
	if shown.Ink.Redraws {
		shown.Size = func() (columns, rows int) { return output.TerminalSize(r.Stderr) }
	}
	return progress.New(r.Stderr, shown)
}

// AskAbove is how much a run may write to real disks before a person is asked: below it, wear is
// not worth a question.
const AskAbove = 100_000_000_000

// announce says what a run by folders is about to do, and asks whether to write as much to real
// disks as the plan does, including fillings and all tries of searches.
func (r *session) announce(ctx context.Context) error {
	if r.ready.Profile != nil {
		return nil
	}
	plan, err := Forecast(r.ready)
	if err != nil {
		return err
	}
	rounds := int64(1)
	if r.Then != "" {
		rounds = 3 // it may come back to where it began
	}
	if r.drafted && !r.Quiet {
		page := report.OfPlan(*plan).Page
		r.Notef("%s. %s\n", page.Headline, page.Sub)
		if rounds > 1 {
			r.Notef("All is measured again after your change, and once more if you like.\n")
		}
	}
	question := wear(plan.Total, rounds)
	if question == "" || r.Yes || !r.HasTerminal() {
		return nil
	}
	r.Notef("%s Continue? [y/N] ", question)
	answer, err := r.ReadLine(ctx)
	if err != nil {
		return err
	}
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
		return errors.New("not started; --yes skips the question")
	}
	return nil
}

// wear says how much is written if all is measured that often; empty below AskAbove.
func wear(total forecast.Forecast, rounds int64) string {
	written := rounds * total.Written()
	if written < AskAbove {
		return ""
	}
	amount := strings.TrimSpace(string(total.WriteBound) + " " + unit.FormatBytes(written))
	return "This will write " + amount + " to the disks in total."
}

// requireTerminal refuses a plan with pauses without a terminal, before anything is measured.
func (r *session) requireTerminal() error {
	if r.NoPause || r.HasTerminal() {
		return nil
	}
	for _, phase := range r.ready.Plan.Phases[r.ready.Done:] {
		if phase.Pause != "" {
			return exit.Usagef("phase %s waits for a person (%s), but there is no terminal; "+
				"--no-pause skips the wait", phase.Name, phase.Pause)
		}
	}
	return nil
}

// pause shows what to do by hand, waits for Enter, and returns the line; an empty one if nobody is
// there to press it.
func (r *session) pause(ctx context.Context, text string) (string, error) {
	if r.NoPause {
		r.Notef("not waiting: %s\n", text)
		return "", nil
	}
	r.Notef("\n%s\nPress Enter to continue: ", text)
	return r.ReadLine(ctx)
}
