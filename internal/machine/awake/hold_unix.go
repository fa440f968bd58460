//go:build unix

package awake

import (
	"cmp"
	"errors"
	"fmt"
	"os/exec"
	"syscall"

	"go.uber.org/zap"
)

// hold runs a tool that keeps the machine awake for as long as it runs. The tool reads this process's end from its
// stdin, or watches the process itself: nothing remains of it when this process is killed. lost receives, once, why
// the machine is not kept awake.
func hold(log *zap.Logger, lost func(error), command []string) (release func()) {
	cmd := exec.Command(command[0], command[1:]...)
	// It gets no terminal: a Ctrl-C must not end it before the run, and it must not ask for a password.
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
	log.Info("the machine is kept awake", zap.Strings("by", command), zap.Int("pid", cmd.Process.Pid))
	released, gone := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(gone)
		err := cmd.Wait()
		select {
		case <-released:
		default:
			log.Info("the machine is no longer kept awake", zap.Error(err)) // the tool could not, or was ended
			lost(fmt.Errorf("%s ended by itself: %w", command[0], cmp.Or(err, errors.New("it said nothing"))))
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
