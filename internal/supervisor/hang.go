package supervisor

import (
	"os"
	"regexp"
	"runtime"
	"strings"
	"time"

	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/internal/measure/clock"
)

const (
	// hangSeconds looks in a row, a second apart, must find the command in the same call before a
	// person is told.
	hangSeconds = 5
	// maxIdle is how much a process computes in a second that waits: one that reads even 2 MB/s
	// needs more.
	maxIdle = 10 * time.Millisecond
)

// NotifyOfHangs tells a person whenever the command begins to wait for a file. Any operation on a
// file may wait for ever: opening it, asking whether it is there, reading, writing or renaming it.
// No command has to think of that: all are looked at from outside.
func NotifyOfHangs(command string, notify func(text string)) {
	lastCall := ""
	lastUsed := time.Duration(0)
	unchanged := 0
	for range time.Tick(time.Second) {
		call := fileCall()
		used := clock.Used()
		if call != lastCall || used-lastUsed > maxIdle {
			unchanged = 0
		}
		lastCall = call
		lastUsed = used
		if call == "" {
			continue
		}
		unchanged++
		if unchanged == hangSeconds {
			notify(device.Waiting("a file or folder given to hubbench " + command))
		}
	}
}

var (
	// What a command does, it does in the first goroutine or one that these functions begin.
	working = regexp.MustCompile(`(?s)^goroutine (1 \[syscall|` +
		`\d+ \[syscall.*(\.InParallel\[|created by .*\.Until(Interrupted|Killed)\b))`)
	// These wait for a person, a program or a reader, or say by themselves what they wait for.
	elsewhere = regexp.MustCompile(`\.ReadLine\.|os/exec\.|\.Consumer\.Write|\.NotifyIfSlow\(`)
)

// fileCall is where the command is if it is in a call of the system's, as files are read and
// written; empty if it is not, or waits for something else.
func fileCall() string {
	stacks := make([]byte, 1<<18)
	for stack := range strings.SplitSeq(string(stacks[:runtime.Stack(stacks, true)]), "\n\n") {
		if working.MatchString(stack) && !elsewhere.MatchString(stack) {
			_, calls, _ := strings.Cut(stack, "\n") // without how many minutes it has lasted
			return calls
		}
	}
	return ""
}

// Consumer is a stdout that is no file: whoever reads it may take any time.
type Consumer struct{ File *os.File }

func (c Consumer) Write(p []byte) (int, error) { return c.File.Write(p) }

// Fd makes a terminal recognizable as one.
func (c Consumer) Fd() uintptr { return c.File.Fd() }
