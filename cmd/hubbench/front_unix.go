//go:build unix

package main

import (
	"context"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"github.com/hubbench/hubbench/internal/measure/coordinator"
)

// A process with a request to a disk that hangs cannot be killed until the disk is back, and its
// parent, such as a shell, waits as long. So commands do their work in a second process. The first
// touches no disk: it passes signals on, and exits with the code that the second reports, even if
// the second cannot end.

// behindFront, in the environment, says that there is such a process before this one.
const behindFront = "HUBBENCH_BEHIND_FRONT"

// The pipes to and from the process in front, after stdin, stdout and stderr.
const (
	askedFile = 3 + iota // gets a byte for each signal that asks the command to end
	codeFile             // takes the exit code
)

// endTimeout is how long a process that has given its exit code may take to end.
const endTimeout = 500 * time.Millisecond

// front runs the command line in a second process; not ok if this is that process, or none can be
// had.
func front() (code int, ok bool) {
	if os.Getenv(behindFront) != "" {
		return 0, false
	}
	self, err := os.Executable()
	if err != nil {
		return 0, false
	}
	askedRead, asked, err := os.Pipe()
	if err != nil {
		return 0, false
	}
	defer asked.Close()
	defer askedRead.Close()
	codes, codeWrite, err := os.Pipe()
	if err != nil {
		return 0, false
	}
	defer codes.Close()
	defer codeWrite.Close()
	cmd := exec.Command(self, os.Args[1:]...)
	cmd.Args[0] = os.Args[0]
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.ExtraFiles = []*os.File{askedRead, codeWrite}
	cmd.Env = append(os.Environ(), behindFront+"=1")
	coordinator.DieWithParent(cmd, syscall.SIGKILL)
	runtime.LockOSThread() // its end would count as this process's
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, askingSignals()...)
	if err := cmd.Start(); err != nil {
		signal.Stop(signals)
		runtime.UnlockOSThread()
		return 0, false
	}
	_ = askedRead.Close() // now only the other process's
	_ = codeWrite.Close()
	ended, given := make(chan struct{}), make(chan int, 1)
	go func() {
		_ = cmd.Wait() // its exit is checked below
		close(ended)
	}()
	go func() {
		var code [1]byte
		if n, _ := codes.Read(code[:]); n == 1 {
			given <- int(code[0])
		}
	}()
	for {
		select {
		case <-signals:
			_, _ = asked.Write([]byte{1}) // fails if it has ended
		case code := <-given:
			select {
			case <-ended:
			case <-time.After(endTimeout):
			}
			return code, true
		case <-ended:
			if status, ok := cmd.ProcessState.Sys().(syscall.WaitStatus); ok && status.Signaled() {
				return 128 + int(status.Signal()), true
			}
			return cmd.ProcessState.ExitCode(), true
		}
	}
}

// behind is the other side: it gives the asks that come from the process in front to the context of the
// commands, and what ends this process with an exit code. Without such a process, signals ask, and exit ends.
func behind(ctx context.Context, exit func(code int)) (context.Context, func(code int)) {
	if os.Getenv(behindFront) == "" {
		return ctx, exit
	}
	_ = os.Unsetenv(behindFront) // for the processes that are started here
	syscall.CloseOnExec(askedFile)
	syscall.CloseOnExec(codeFile)
	asked, codes := os.NewFile(askedFile, "asked"), os.NewFile(codeFile, "code")
	end := func(code int) {
		_, _ = codes.Write([]byte{byte(code)})
		// A request that does not return keeps all files of the process open, so that readers of its output wait.
		_, _, _ = os.Stdin.Close(), os.Stdout.Close(), os.Stderr.Close()
		exit(code)
	}
	// Those of a terminal come here too. They are asked for and not read, instead of ignored, which would be inherited.
	signal.Notify(make(chan os.Signal, 1), askingSignals()...)
	a := &asks{each: make(chan os.Signal, 8)}
	go func() {
		for ask := make([]byte, 1); ; {
			n, err := asked.Read(ask)
			switch {
			case err != nil: // the process in front was killed: so is this one
				exit(exitFailed)
			case n == 0:
			case a.taken.Load():
				a.each <- os.Interrupt
			default:
				end(exitInterrupted)
			}
		}
	}()
	return context.WithValue(ctx, asksKey{}, a), end
}
