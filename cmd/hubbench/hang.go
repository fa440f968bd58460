package main

import (
	"os"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/internal/measure/clock"
)

// Any operation on a file may wait for ever: opening it, asking whether it is there, reading,
// writing or renaming it. No command has to think of that: all are looked at from outside.

const (
	// tellAfter looks in a row, a second apart, must find the command in the same call before a
	// person is told.
	tellAfter = 5
	// maxIdle is how much a process computes in a second that waits: one that reads even 2 MB/s
	// needs more.
	maxIdle = 10 * time.Millisecond
)

// notifyOfHangs tells a person whenever the command begins to wait for a file.
func notifyOfHangs(command string, notify func(text string)) {
	call, used, found := "", time.Duration(0), 0
	for range time.Tick(time.Second) {
		now, usedNow := fileCall(), clock.Used()
		if now != call || usedNow-used > maxIdle {
			found = 0
		}
		if call, used = now, usedNow; call == "" {
			continue
		}
		if found++; found == tellAfter {
			notify(device.Waiting("a file or folder given to hubbench " + command))
		}
	}
}

var (
	// What a command does, it does in the first goroutine or one that these functions begin.
	doing = regexp.MustCompile(`(?s)^goroutine (1 \[syscall|` +
		`\d+ \[syscall.*(\.InParallel\[|created by .*\.until(Interrupted|Killed)\b))`)
	other = regexp.MustCompile(`\.readLine\.|os/exec\.|\.consumer\.Write|\.NotifyIfSlow\(`)
)

// fileCall is where the command is if it is in a call of the system's, as files are read and
// written; empty if it is not, or waits for a person, a program that it started or one that reads
// its output, or has said by itself what it waits for.
func fileCall() string {
	stacks := make([]byte, 1<<18)
	for stack := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
		if doing.MatchString(stack) && !other.MatchString(stack) {
			_, calls, _ := strings.Cut(stack, "\n") // without how many minutes it has lasted
			return calls
		}
	}
	return ""
}

// consumer is a stdout that is no file: whoever reads it may take any time.
type consumer struct{ file *os.File }

func (c consumer) Write(p []byte) (int, error) { return c.file.Write(p) }

func (c consumer) Fd() uintptr { return c.file.Fd() }
