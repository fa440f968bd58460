package coordinator

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/hubbench/hubbench/internal/diskio"
	"github.com/hubbench/hubbench/internal/filelock"
	"github.com/hubbench/hubbench/pkg/scenario"
)

const (
	// cleanTimeout is how long a run that is over waits for its janitor; one whose disk hangs goes on by itself.
	cleanTimeout = 5 * time.Second
	// busyTimeout is how long a janitor waits for workers that are still ending.
	busyTimeout = 30 * time.Second
	busyRetry   = 20 * time.Millisecond
)

// janitor is a process that outlives the run, however that ends, and then removes its test files: those that a phase
// leaves for the next one have no worker, and a coordinator that was killed cleans up nothing. Where it has been killed
// itself, who is left does its work: the coordinator, or the workers that have lost that too (see worker).
type janitor struct {
	stdin      io.Closer
	over       chan struct{} // closed when the run is
	complaints chan []string // of the janitor, when it has ended
}

// newJanitor starts the run's janitor; nil where no disk is real.
func newJanitor(s *starter, opts Options) (*janitor, error) {
	folders := realFolders(opts.Plan)
	if len(folders) == 0 {
		return nil, nil
	}
	args := append([]string{opts.RunID}, folders...)
	cmd := opts.Janitor(args...)
	stdin, stdout, err := s.start(cmd)
	if err != nil {
		return nil, fmt.Errorf("start clean-up process: %w", err)
	}
	opts.Log.Info("clean-up process started", zap.Int("pid", cmd.Process.Pid))
	j := &janitor{stdin: stdin, complaints: make(chan []string, 1), over: make(chan struct{})}
	go func() {
		var said []string
		for lines := bufio.NewScanner(stdout); lines.Scan(); {
			said = append(said, lines.Text())
		}
		if err := cmd.Wait(); err != nil {
			opts.Log.Warn("the clean-up process has failed: the test files are removed without it", zap.Error(err))
			<-j.over
			said = removeRuns(opts.RunID, folders)
		}
		j.complaints <- said
	}()
	return j, nil
}

// realFolders are the folders of a plan's real disks.
func realFolders(plan *scenario.Plan) (folders []string) {
	for _, disk := range plan.Disks {
		if !disk.Simulated() {
			folders = append(folders, disk.Path)
		}
	}
	return folders
}

// finish lets the janitor do its work, and returns what it could not remove.
func (j *janitor) finish() []string {
	if j == nil {
		return nil
	}
	close(j.over)
	_ = j.stdin.Close() // its end is the sign to begin
	select {
	case said := <-j.complaints:
		return said
	case <-time.After(cleanTimeout):
		return []string{"test files are still being removed; if a disk hangs, run hubbench clean when it is back"}
	}
}

// Clean is the janitor's work: when stdin ends, it removes the run's test files in all folders, and writes a line to stdout
// for each that it cannot.
func Clean(stdin io.Reader, stdout io.Writer, runID string, folders []string) {
	_, _ = io.Copy(io.Discard, stdin) // whatever ends it
	for _, text := range removeRuns(runID, folders) {
		_, _ = fmt.Fprintln(stdout, text) // a coordinator that is gone cannot be told
	}
	diskio.ForgetRun(runID)
}

// removeRuns removes a run's test files in all folders, and says what it could not.
func removeRuns(runID string, folders []string) (complaints []string) {
	errs := make([]error, len(folders))
	var each sync.WaitGroup
	for i, folder := range folders {
		each.Go(func() { errs[i] = removeRun(folder, runID) }) // a disk that hangs holds up no other
	}
	each.Wait()
	for i, err := range errs {
		if err != nil {
			text := strings.ReplaceAll(err.Error(), "\n", "; ")
			complaints = append(complaints, fmt.Sprintf("test files left in %s: %s; try hubbench clean %s", folders[i], text, folders[i]))
		}
	}
	return complaints
}

// removeRun removes a run's test files in a folder once its last worker has let go of them.
func removeRun(folder, runID string) error {
	for deadline := time.Now().Add(busyTimeout); ; time.Sleep(busyRetry) {
		err := diskio.RemoveRun(folder, runID)
		if !errors.Is(err, filelock.ErrBusy) || time.Now().After(deadline) {
			return err
		}
	}
}
