//go:build darwin

// Command probe is run by the loader to show what only a rare meeting of processes would: that a
// timer rings though its descriptor has the number of a pipe's end that is closed here, but open in
// a child, which is written to.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"golang.org/x/sys/unix"
)

func main() {
	if err := run(); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func run() error {
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	child := exec.Command("/bin/cat") // Any program of this machine will do.
	child.Stdin = read
	if err := child.Start(); err != nil {
		return err
	}
	queue, err := unix.Kqueue()
	if err != nil {
		return err
	}
	if err := read.Close(); err != nil { // its number is the timer's now
		return err
	}
	timer := []unix.Kevent_t{{Ident: 1, Filter: unix.EVFILT_TIMER,
		Flags: unix.EV_ADD | unix.EV_ONESHOT, Fflags: unix.NOTE_NSECONDS, Data: 1}}
	if _, err := unix.Kevent(queue, timer, nil, nil); err != nil {
		return err
	}
	time.Sleep(10 * time.Millisecond)
	if _, err := write.WriteString("x"); err != nil {
		return err
	}
	time.Sleep(100 * time.Millisecond) // Go's own queue is looked at
	rang := make([]unix.Kevent_t, 1)
	n, err := unix.Kevent(queue, nil, rang, &unix.Timespec{Sec: 1})
	if err != nil {
		return err
	}
	if err := write.Close(); err != nil {
		return err
	}
	if err := child.Wait(); err != nil {
		return err
	}
	if n != 1 {
		return errors.New("the timer never rang")
	}
	return nil
}
