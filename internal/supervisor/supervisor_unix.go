//go:build unix

package supervisor

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/measure/coordinator"
)

// supervisedVariable, in the environment, says that there is a supervisor: it holds the descriptors
// of the pipes from and to it, its number, and a secret that already waits in the first. In the
// environment of anybody else it has no effect.
const supervisedVariable = "HUBBENCH_SUPERVISED"

// pipesFormat is the variable's value.
const pipesFormat = "%d %d %d %s"

// The pipes to and from the supervisor, after stdin, stdout and stderr.
const (
	requestFile = 3 + iota // gets the secret, and a byte for each signal that asks the command to end
	codeFile               // takes the exit code
)

// endTimeout is how long a process that has given its exit code may take to end.
const endTimeout = 500 * time.Millisecond

// supervise runs the command line in a second process; not ok if none can be had.
func supervise() (code int, ok bool) {
	self, err := os.Executable()
	if err != nil {
		return 0, false
	}
	requestRead, requestWrite, err := os.Pipe()
	if err != nil {
		return 0, false
	}
	defer requestWrite.Close()
	defer requestRead.Close()
	codeRead, codeWrite, err := os.Pipe()
	if err != nil {
		return 0, false
	}
	defer codeRead.Close()
	defer codeWrite.Close()
	secret := rand.Text()
	if _, err := requestWrite.WriteString(secret); err != nil {
		return 0, false
	}
	cmd := exec.Command(self, os.Args[1:]...)
	cmd.Args[0] = os.Args[0]
	cmd.Stdin = os.Stdin
	cmd.Stdout = os.Stdout
	cmd.Stderr = os.Stderr
	cmd.ExtraFiles = []*os.File{requestRead, codeWrite}
	cmd.Env = append(os.Environ(), supervisedVariable+"="+
		fmt.Sprintf(pipesFormat, requestFile, codeFile, os.Getpid(), secret))
	coordinator.DieWithParent(cmd, syscall.SIGKILL)
	runtime.LockOSThread() // its end would count as this process's
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, endingSignals()...)
	if err := cmd.Start(); err != nil {
		signal.Stop(signals)
		runtime.UnlockOSThread()
		return 0, false
	}
	_ = requestRead.Close() // now only the other process's
	_ = codeWrite.Close()
	ended := make(chan struct{})
	go func() {
		_ = cmd.Wait() // its exit is checked below
		close(ended)
	}()
	reported := make(chan int, 1)
	go func() {
		var code [1]byte
		if n, _ := codeRead.Read(code[:]); n == 1 {
			reported <- int(code[0])
		}
	}()
	for {
		select {
		case <-signals:
			_, _ = requestWrite.Write([]byte{1}) // fails if it has ended
		case code := <-reported:
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

// supervised returns the other side: it gives the requests that come from the supervisor to the
// context of the commands, and a function that ends this process with an exit code. Without a
// supervisor it is not ok: signals ask, and exit ends. They do as well if the supervisor's pipes
// cannot be used.
func supervised(
	ctx context.Context, exitWith func(code int),
) (_ context.Context, end func(code int), ok bool) {
	requestPipe, codePipe, parent := pipes(os.Getenv(supervisedVariable))
	_ = os.Unsetenv(supervisedVariable) // for the processes that are started here
	if requestPipe == nil {
		// A process that did not know its supervisor would start one, which would start the next.
		return ctx, exitWith, parent == os.Getppid()
	}
	end = func(code int) {
		_, _ = codePipe.Write([]byte{byte(code)})
		// A request that does not return keeps all files of the process open, so that readers of
		// its output wait.
		_ = os.Stdin.Close()
		_ = os.Stdout.Close()
		_ = os.Stderr.Close()
		exitWith(code)
	}
	// A terminal's signals come here too. They are asked for and not read, instead of ignored,
	// which would be inherited.
	signal.Notify(make(chan os.Signal, 1), endingSignals()...)
	r := &requests{signals: make(chan os.Signal, 8)}
	go func() {
		for request := make([]byte, 1); ; {
			n, err := requestPipe.Read(request)
			switch {
			case err != nil: // the supervisor was killed: so is this process
				exitWith(exit.Failed)
			case n == 0:
			case r.taken.Load():
				r.signals <- os.Interrupt
			default:
				end(exit.Interrupted)
			}
		}
	}()
	return context.WithValue(ctx, requestsKey{}, r), end, true
}

// pipes opens the pipes that the variable names, if its secret waits in the first; parent is the
// process that it names. What somebody else left under these numbers may be anything: it is not
// waited for.
func pipes(variable string) (request, code *os.File, parent int) {
	var requestFd, codeFd int
	var secret string
	_, err := fmt.Sscanf(variable, pipesFormat, &requestFd, &codeFd, &parent, &secret)
	if err != nil || !isPipe(requestFd) || !isPipe(codeFd) {
		return nil, nil, parent
	}
	ready := []unix.PollFd{{Fd: int32(requestFd), Events: unix.POLLIN}}
	if n, err := unix.Poll(ready, 0); err != nil || n != 1 || ready[0].Revents&unix.POLLIN == 0 {
		return nil, nil, parent
	}
	got := make([]byte, len(secret))
	n, err := unix.Read(requestFd, got)
	if err != nil || n == 0 || string(got[:n]) != secret {
		return nil, nil, parent
	}
	unix.CloseOnExec(requestFd)
	unix.CloseOnExec(codeFd)
	return os.NewFile(uintptr(requestFd), "requests"), os.NewFile(uintptr(codeFd), "exit code"),
		parent
}

// isPipe reports whether a descriptor is that of a pipe.
func isPipe(fd int) bool {
	var st unix.Stat_t
	return unix.Fstat(fd, &st) == nil && st.Mode&unix.S_IFMT == unix.S_IFIFO
}
