//go:build unix

package awake

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"

	"go.uber.org/zap"
)

// canSleep reports whether the system knows a way to sleep: every Mac does, virtual machines mostly
// have none. Linux lists them in a file: https://docs.kernel.org/admin-guide/pm/sleep-states.html
func canSleep() bool {
	states, err := os.ReadFile("/sys/power/state")
	return err != nil || len(bytes.TrimSpace(states)) > 0
}

// keep runs a tool that keeps the machine awake for as long as it runs. systemd's lock against
// sleep, systemd-inhibit(1), holds while the command that it runs goes on: ours is cat, which ends
// with its stdin. caffeinate(8) forbids idle sleep of the system (-i), of disks (-m) and, on mains,
// all of it (-s), for as long as this process lives (-w). So nothing remains of it when this
// process is killed. lost receives, once, why the machine is not kept awake.
func keep(log *zap.Logger, lost func(error)) (release func()) {
	command := []string{
		"systemd-inhibit", "--what=sleep:idle", "--who=hubbench", "--why=disks are being measured",
		"--mode=block", "cat",
	}
	if runtime.GOOS == "darwin" {
		command = []string{"caffeinate", "-i", "-m", "-s", "-w", strconv.Itoa(os.Getpid())}
	}
	cmd := exec.Command(command[0], command[1:]...)
	// It gets no terminal: a Ctrl-C must not end it before the run, and it must not ask for a
	// password.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	stdin, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		log.Info("the machine is not kept awake", zap.Error(err))
		lost(err)
		return func() {}
	}
	log.Info("the machine is kept awake", zap.Strings("by", command),
		zap.Int("pid", cmd.Process.Pid))
	released, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		err := cmd.Wait()
		select {
		case <-released:
		default:
			// The tool could not, or was ended.
			log.Info("the machine is no longer kept awake", zap.Error(err))
			lost(fmt.Errorf("%s ended by itself: %w", command[0],
				cmp.Or(err, errors.New("it said nothing"))))
		}
	}()
	return func() {
		close(released)
		_ = stdin.Close()
		// What it runs ends with its stdin; the tool itself has nothing to clean up.
		_ = cmd.Process.Kill()
		<-gone
	}
}
