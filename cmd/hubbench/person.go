package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"golang.org/x/term"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/ink"
	"github.com/hubbench/hubbench/internal/tell/progress"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/pkg/forecast"
	"github.com/hubbench/hubbench/pkg/unit"
)

// How hubbench talks to people: results go to stdout, everything else to stderr; a question is only
// asked of a terminal, and every question can be answered beforehand with a flag.

// printf is fmt.Fprintf for people. Names in it, such as a folder on an unknown disk, may hold
// anything: only printable characters reach the terminal.
func printf(w io.Writer, format string, args ...any) {
	for i, arg := range args {
		switch arg.(type) {
		case string, error, fmt.Stringer:
			args[i] = cells.Clean(fmt.Sprint(arg))
		}
	}
	fmt.Fprintf(w, format, args...)
}

// sayf says something that is no result.
func (p program) sayf(format string, args ...any) { printf(p.stderr, format, args...) }

func (p program) notify(text string) { p.sayf("%s\n", cells.NoCommand(text)) }

func (p program) warn(text string) { p.sayf("warning: %s\n", text) }

// newLog logs JSON lines to w. Nothing is logged to the terminal: what people need to know is
// printed.
func newLog(w io.Writer) *zap.Logger {
	config := zap.NewProductionEncoderConfig()
	config.EncodeTime = zapcore.RFC3339NanoTimeEncoder
	core := zapcore.NewCore(zapcore.NewJSONEncoder(config), zapcore.Lock(zapcore.AddSync(w)),
		zapcore.InfoLevel)
	return zap.New(core)
}

// watch shows a run's progress on stderr, or nowhere with --quiet.
func (r *session) watch(journal *recorded.Journal) *progress.Progress {
	if r.quiet {
		return progress.New(io.Discard, progress.Options{Plan: r.ready.Plan, Notify: r.warn})
	}
	shown := progress.Options{
		Plan: r.ready.Plan, Done: r.ready.Done, Volumes: r.ready.Volumes(),
		Ink: ink.For(r.stderr, os.Getenv), Conclude: journal.Conclude,
	}
	if shown.Ink.Redraws {
		shown.Size = func() (columns, rows int) { return terminalSize(r.stderr) }
	}
	return progress.New(r.stderr, shown)
}

// askAbove is how much a run may write to real disks before a person is asked: below it, wear is
// not worth a question.
const askAbove = 100_000_000_000

// announce says what a run by folders is about to do, and asks whether to write as much to real
// disks as the plan does, including fillings and all tries of searches.
func (r *session) announce(ctx context.Context) error {
	if r.ready.Profile != nil {
		return nil
	}
	plan, err := forecastPlan(r.ready)
	if err != nil {
		return err
	}
	rounds := int64(1)
	if r.then != "" {
		rounds = 3 // it may come back to where it began
	}
	if r.drafted && !r.quiet {
		answer := report.OfPlan(*plan).Answer
		r.sayf("%s. %s\n", answer.Headline, answer.Sentence)
		if rounds > 1 {
			r.sayf("All is measured again after your change, and once more if you like.\n")
		}
	}
	question := wear(plan.Total, rounds)
	if question == "" || r.yes || !isTerminal(r.stdin) {
		return nil
	}
	r.sayf("%s Continue? [y/N] ", question)
	answer, err := readLine(ctx, r.stdin)
	if err != nil {
		return err
	}
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
		return errors.New("not started; --yes skips the question")
	}
	return nil
}

// wear says how much is written if all is measured that often; empty below askAbove.
func wear(total forecast.Forecast, rounds int64) string {
	written := rounds * total.Written()
	if written < askAbove {
		return ""
	}
	amount := strings.TrimSpace(string(total.WriteBound) + " " + unit.FormatBytes(written))
	return "This will write " + amount + " to the disks in total."
}

// requireTerminal refuses a plan with pauses without a terminal, before anything is measured.
func (r *session) requireTerminal() error {
	if r.noPause || isTerminal(r.stdin) {
		return nil
	}
	for _, phase := range r.ready.Plan.Phases[r.ready.Done:] {
		if phase.Pause != "" {
			return usagef("phase %s waits for a person (%s), but there is no terminal; "+
				"--no-pause skips the wait", phase.Name, phase.Pause)
		}
	}
	return nil
}

// pause shows what to do by hand, waits for Enter, and returns the line; an empty one if nobody is
// there to press it.
func (r *session) pause(ctx context.Context, text string) (string, error) {
	if r.noPause {
		r.sayf("not waiting: %s\n", text)
		return "", nil
	}
	r.sayf("\n%s\nPress Enter to continue: ", text)
	return readLine(ctx, r.stdin)
}

// readLine reads one line unless ctx ends first; the read itself cannot be interrupted and is left
// behind.
func readLine(ctx context.Context, r io.Reader) (string, error) {
	var line string
	err := untilInterrupted(ctx, func() (err error) {
		if line, err = bufio.NewReader(r).ReadString('\n'); errors.Is(err, io.EOF) {
			return nil
		}
		return err
	})
	if err != nil {
		return "", err // the line may still come
	}
	return line, nil
}

func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// openPage shows a page in the browser. What made it is none the worse if that fails.
func (p program) openPage(path string) {
	cmd := exec.Command("xdg-open", path)
	switch runtime.GOOS {
	case "darwin":
		cmd = exec.Command("open", path)
	case "windows":
		cmd = exec.Command("rundll32", "url.dll,FileProtocolHandler", path)
	}
	if err := cmd.Run(); err != nil {
		p.warn(oneLine(fmt.Sprintf("open the report: %v; it is at %s", err, path)))
	}
}
