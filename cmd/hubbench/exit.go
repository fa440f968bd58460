package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/hubbench/hubbench/pkg/strictyaml"
)

// What an exit code says.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitPartial     = 3
	exitThreshold   = 4 // compare --fail-above
	exitInterrupted = 130
)

const exitCodesHelp = `
Exit codes: 0 ok, 1 failed, 2 bad usage or scenario, 3 partial run (results kept),
            4 threshold crossed (compare --fail-above), 130 interrupted (results kept)
`

// exitError is an error that knows its exit code.
type exitError struct {
	code int
	err  error // nil where all has been said already
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usage marks an error as the user's to mend: bad arguments, a bad scenario.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{code: exitUsage, err: err}
}

// exitCode maps an error to what the process exits with.
func exitCode(err error) int {
	var known *exitError
	var badFile *strictyaml.Error
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &known):
		return known.code
	case errors.As(err, &badFile):
		return exitUsage
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	default:
		return exitFailed
	}
}

// report says on one line what went wrong, and returns the exit code.
func report(err error, stderr io.Writer) int {
	var known *exitError
	if err != nil && !(errors.As(err, &known) && known.err == nil) {
		fmt.Fprintf(stderr, "hubbench: %s\n", oneLine(err.Error()))
	}
	return exitCode(err)
}

func oneLine(text string) string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, " ")
}

func main() {
	os.Exit(run(context.Background(), os.Args[1:], program{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr}))
}
