package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/measure/interrupt"
)

const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitPartial     = 3
	exitThreshold   = 4 // compare --fail-above, a check of doctor
	exitInterrupted = 130
)

const exitCodesHelp = `
Exit codes: 0 ok, 1 failed, 2 bad usage or scenario, 3 partial run (results kept),
            4 threshold crossed (compare --fail-above) or check failed (doctor),
            130 interrupted (results kept)
`

// exitError is an error that knows its exit code.
type exitError struct {
	code int
	err  error // nil if everything is printed already
}

func (e *exitError) Error() string {
	if e.err == nil {
		return fmt.Sprintf("exit code %d", e.code)
	}
	return e.err.Error()
}

func (e *exitError) Unwrap() error { return e.err }

// usage marks an error as one that the user can fix: bad arguments, a bad scenario.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{code: exitUsage, err: err}
}

// exitCode maps an error to what the process exits with.
func exitCode(err error) int {
	var known *exitError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &known):
		return known.code
	case errors.Is(err, context.Canceled), errors.Is(err, interrupt.ErrEarly):
		return exitInterrupted
	default:
		return exitFailed
	}
}

// maxMistakes is how many mistakes are printed at once.
const maxMistakes = 10

// printError prints an error, on a line for each cause, and returns the exit code.
func printError(err error, stderr io.Writer) int {
	all := causes(err)
	for _, cause := range all[:min(len(all), maxMistakes)] {
		sayf(stderr, "hubbench: %s\n", oneLine(cause.Error()))
	}
	if more := len(all) - maxMistakes; more > 0 {
		sayf(stderr, "hubbench: and %d more\n", more)
	}
	return exitCode(err)
}

// causes lists what to print of an error: itself, each of several mistakes, or nothing if it is printed already.
func causes(err error) []error {
	var known *exitError
	if !errors.As(err, &known) {
		return slices.DeleteFunc([]error{err}, func(err error) bool { return err == nil })
	}
	if known.err == nil {
		return nil
	}
	// One that is nothing but a list: what is wrapped has words around it.
	if several, ok := known.err.(interface{ Unwrap() []error }); ok {
		return several.Unwrap()
	}
	return []error{err}
}

func oneLine(text string) string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, " ")
}

func exit(code int) { os.Exit(code) }
