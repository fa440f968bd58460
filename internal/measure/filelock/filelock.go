// Package filelock locks files for one process: a lock goes with its process, however that ends, so what
// a killed run has left can be distinguished from what a living one uses. Start at Take.
package filelock

import "errors"

// ErrBusy is returned when another living process holds the file.
var ErrBusy = errors.New("a running hubbench is using it")
