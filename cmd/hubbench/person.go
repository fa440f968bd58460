package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"time"
	"unicode"

	"golang.org/x/term"

	"github.com/hubbench/hubbench/internal/cells"
	"github.com/hubbench/hubbench/pkg/unit"
)

// How hubbench talks to people: results go to stdout, everything else to stderr; a question is only
// asked of a terminal, and every question can be answered beforehand with a flag.

// sayf writes a line for people. What it names, such as a folder of a disk that comes from somebody else, may hold anything:
// nothing of that reaches the terminal but what can be seen.
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

// confirm asks whether to write as much as the plan does to real disks, with what fills volumes and all tries of searches.
func (r *prepared) confirm(ctx context.Context, p program, yes bool) error {
	if yes || r.profile != nil || !isTerminal(p.stdin) {
		return nil
	}
	question, err := r.wear()
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

// wear says how much the plan writes, if that is worth a question.
func (r *prepared) wear() (string, error) {
	forecasts, err := r.forecasts()
	if err != nil {
		return "", err
	}
	var total forecast
	for _, f := range forecasts {
		total = total.plus(f)
	}
	written := total.written()
	if written < askAbove {
		return "", nil
	}
	bound := string(total.WriteBound)
	if bound != "" {
		bound += " "
	}
	return "This will write " + bound + unit.FormatBytes(written) + " to the disks in total.", nil
}

// requireTerminal refuses a plan with pauses if nobody can press Enter, before anything is measured.
func (r *prepared) requireTerminal(p program, opts runOptions) error {
	if opts.noPause || isTerminal(p.stdin) {
		return nil
	}
	for _, phase := range r.plan.Phases[r.done:] {
		if phase.Pause != "" {
			return usage(fmt.Errorf("phase %s waits for a person (%s), but there is no terminal; --no-pause skips the wait", phase.Name, phase.Pause))
		}
	}
	return nil
}

// pause shows what is to be done by hand and waits for Enter, if somebody is there.
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

// isTerminal reports whether a person sits at a stream.
func isTerminal(stream any) bool {
	file, ok := stream.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// newRunID names a run's test folders: when, and four random digits against two runs in one second.
func newRunID(began time.Time) string {
	var tail [2]byte
	_, _ = rand.Read(tail[:]) // never fails
	return began.UTC().Format("20060102-150405") + "-" + hex.EncodeToString(tail[:])
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

// quoteForShell writes a path so that it can be pasted into a command line.
func quoteForShell(path string) string {
	plain := func(r rune) bool {
		return unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("/_-.,:+@%", r) || r == filepath.Separator
	}
	switch {
	case path != "" && !strings.ContainsFunc(path, func(r rune) bool { return !plain(r) }):
		return path
	case runtime.GOOS == "windows":
		return `"` + path + `"`
	default:
		return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
	}
}
