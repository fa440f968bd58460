// Package exit has the exit codes of hubbench, and the errors that carry one.
package exit

import (
	"errors"
	"fmt"
)

// The exit codes. Scripts rely on them: none changes its meaning.
const (
	OK          = 0
	Failed      = 1
	Misuse      = 2 // Misuse is a bad command line or scenario.
	Partial     = 3 // Partial runs keep their results; checks and gates cannot tell.
	Threshold   = 4
	Interrupted = 130
)

// Error is an error that knows its exit code.
type Error struct {
	Code int
	Err  error
}

func (e *Error) Error() string { return e.Err.Error() }

// Unwrap returns what went wrong.
func (e *Error) Unwrap() error { return e.Err }

// Errorf is fmt.Errorf for an error that ends hubbench with a code.
func Errorf(code int, format string, args ...any) error {
	return &Error{Code: code, Err: fmt.Errorf(format, args...)}
}

// Usage marks an error as one that the user can fix: bad arguments, a bad scenario.
func Usage(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Code: Misuse, Err: err}
}

// Usagef is fmt.Errorf for a mistake that the user can fix.
func Usagef(format string, args ...any) error { return Errorf(Misuse, format, args...) }

// Mistakes returns the exit code of an error, and its causes, which are several if the error is
// nothing but a list. A list with words around it is one cause.
func Mistakes(err error) (code int, causes []error) {
	if err == nil {
		return OK, nil
	}
	known, ok := errors.AsType[*Error](err)
	if !ok {
		return Failed, []error{err}
	}
	if list, ok := known.Err.(interface{ Unwrap() []error }); ok {
		return known.Code, list.Unwrap()
	}
	return known.Code, []error{err}
}
