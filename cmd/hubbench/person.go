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

	"golang.org/x/term"

	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/pkg/forecast"
	"github.com/hubbench/hubbench/pkg/unit"
)

// How hubbench talks to people: results go to stdout, everything else to stderr; a question is only
// asked of a terminal, and every question can be answered beforehand with a flag.

// sayf writes a line for people. Names in it, such as a folder on an unknown disk, may hold anything: only printable
// characters reach the terminal.
func sayf(w io.Writer, format string, args ...any) {
	for i, arg := range args {
		switch v := arg.(type) {
		case string:
			args[i] = cells.Clean(v)
		case error:
			args[i] = cells.Clean(v.Error())
		case fmt.Stringer:
			args[i] = cells.Clean(v.String())
		}
	}
	fmt.Fprintf(w, format, args...)
}

// askAbove is how much a run may write to real disks before a person is asked: below it, wear is not
// worth a question.
const askAbove = 100_000_000_000

// confirm asks whether to write as much to real disks as the plan does, including fillings and all tries of searches.
func confirm(ctx context.Context, p program, ready *prepare.Ready, yes bool) error {
	if yes || ready.Profile != nil || !isTerminal(p.stdin) {
		return nil
	}
	question, err := wear(ready)
	if question == "" || err != nil {
		return err
	}
	sayf(p.stderr, "%s Continue? [y/N] ", question)
	answer, err := readLine(ctx, p.stdin)
	if err != nil {
		return err
	}
	if answer = strings.ToLower(strings.TrimSpace(answer)); answer != "y" && answer != "yes" {
		return errors.New("not started; --yes skips the question")
	}
	return nil
}

// wear says how much the plan writes; empty below askAbove.
func wear(ready *prepare.Ready) (string, error) {
	forecasts, err := forecast.Of(ready.Plan, ready.Profile, ready.Volumes())
	if err != nil {
		return "", err
	}
	total := forecast.Total(forecasts)
	if total.Written() < askAbove {
		return "", nil
	}
	bound := string(total.WriteBound)
	if bound != "" {
		bound += " "
	}
	return "This will write " + bound + unit.FormatBytes(total.Written()) + " to the disks in total.", nil
}

// requireTerminal refuses a plan with pauses without a terminal, before anything is measured.
func requireTerminal(p program, ready *prepare.Ready, noPause bool) error {
	if noPause || isTerminal(p.stdin) {
		return nil
	}
	for _, phase := range ready.Plan.Phases[ready.Done:] {
		if phase.Pause != "" {
			return usage(fmt.Errorf("phase %s waits for a person (%s), but there is no terminal; --no-pause skips the wait", phase.Name, phase.Pause))
		}
	}
	return nil
}

// pause shows what to do by hand and, on a terminal, waits for Enter.
func pause(ctx context.Context, p program, text string, noPause bool) error {
	if noPause {
		sayf(p.stderr, "not waiting: %s\n", text)
		return nil
	}
	sayf(p.stderr, "\n%s\nPress Enter to continue: ", text)
	_, err := readLine(ctx, p.stdin)
	return err
}

// readLine reads one line unless ctx ends first; the read itself cannot be interrupted and is left behind.
func readLine(ctx context.Context, r io.Reader) (string, error) {
	type result struct {
		line string
		err  error
	}
	got := make(chan result, 1)
	go func() {
		line, err := bufio.NewReader(r).ReadString('\n')
		got <- result{line, err}
	}()
	select {
	case res := <-got:
		if errors.Is(res.err, io.EOF) {
			return res.line, nil
		}
		return res.line, res.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// notify writes a line for a person.
func (p program) notify(text string) { sayf(p.stderr, "%s\n", text) }

func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// openPage shows a file in the person's browser.
func openPage(path string) error {
	var cmd *exec.Cmd
	switch runtime.GOOS {
	case "darwin":
		cmd = exec.Command("open", path)
	case "windows":
		cmd = exec.Command("rundll32", "url.dll,FileProtocolHandler", path)
	default:
		cmd = exec.Command("xdg-open", path)
	}
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("open the report: %w; it is at %s", err, path)
	}
	return nil
}
