package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/pkg/trace"
)

// check holds what is left of a run whose processes were ended against what was promised.
func (k *killTry) check() error {
	code, said := k.wait()
	if err := k.checkCode(code); err != nil {
		return fmt.Errorf("%w; stderr: %s", err, said)
	}
	for deadline := time.Now().Add(timeout); len(k.processes()) > 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			return fmt.Errorf("after %s there are still %v", timeout, k.processes())
		}
	}
	if k.spared {
		if err := k.checkDisks(); err != nil {
			return fmt.Errorf("before clean: %w", err)
		}
	}
	if err := k.clean(); err != nil {
		return err
	}
	if err := k.checkReadable(); err != nil {
		return err
	}
	return k.checkResumed()
}

// checkCode holds the exit code against the signals, and against what the run says of itself.
func (k *killTry) checkCode(code int) error {
	asked := k.signals[coordinatorName]
	var lost bool // a process that the run cannot do without may be gone
	for name, signal := range k.signals {
		// Others it ignores, but not in its first moments.
		lost = lost || name != coordinatorName && name != janitorName && (signal == "KILL" || signal == "TERM" || k.stage == "ready")
	}
	info, err := rundir.LoadInfo(k.out)
	if err != nil {
		info = nil // it was killed before there was one
	}
	status := "none"
	if info != nil {
		status = info.Status
	}
	var want []int
	switch {
	case asked == "KILL":
		want = []int{killedCode}
	case info == nil && asked != "":
		want = []int{exitInterrupted, killedCode} // killed by the signal itself, in its first moments
	case status == trace.Complete:
		want = []int{exitOK}
	case status == trace.Partial && asked != "" && lost:
		want = []int{exitInterrupted, exitPartial}
	case status == trace.Partial && asked != "":
		want = []int{exitInterrupted}
	case status == trace.Partial && lost:
		want = []int{exitPartial}
	}
	if !slices.Contains(want, code) {
		return fmt.Errorf("exit code %d, want one of %v; the run's status is %s", code, want, status)
	}
	return nil
}

// clean removes what nobody was left to remove.
func (k *killTry) clean() error {
	for _, disk := range k.disks() {
		if code, said := k.do("clean", disk); code != exitOK {
			return fmt.Errorf("clean: exit code %d: %s", code, said)
		}
	}
	return k.checkDisks()
}

// checkDisks looks for what is left on the disks, and for what is lost.
func (k *killTry) checkDisks() error {
	for _, disk := range k.disks() {
		entries, err := os.ReadDir(disk)
		if err != nil {
			return err
		}
		if len(entries) != 1 {
			return fmt.Errorf("%s holds %v", disk, entries)
		}
		if text, err := os.ReadFile(filepath.Join(disk, "mine.txt")); err != nil || string(text) != precious {
			return fmt.Errorf("a file that is not hubbench's: %q, %w", text, err)
		}
	}
	return nil
}

// checkReadable holds analyze to reading what was recorded.
func (k *killTry) checkReadable() error {
	events, err := os.ReadFile(filepath.Join(k.out, rundir.EventsFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	code, said := k.do("analyze", k.out)
	if _, err := os.Stat(k.out); errors.Is(err, fs.ErrNotExist) && code == exitUsage { // it ended before it made its folder
		return nil
	}
	if code != exitOK && strings.Contains(string(events), `"type":"file"`) || code != exitOK && code != exitFailed || code == exitFailed && strings.Count(said, "\n") != 1 {
		return fmt.Errorf("analyze of %d bytes of events: exit code %d: %s", len(events), code, said)
	}
	return nil
}

// checkResumed goes on with the run, and compares it with one that was not interrupted. If it had not come so far as to
// have a run.json, it is begun again, by the same command.
func (k *killTry) checkResumed() error {
	args := []string{"run", "--resume", k.out, "--quiet"}
	if _, err := os.Stat(filepath.Join(k.out, rundir.InfoFile)); errors.Is(err, fs.ErrNotExist) {
		args = runArgs()
	}
	if code, said := k.do(args...); code != exitOK {
		return fmt.Errorf("%s: exit code %d: %s", strings.Join(args, " "), code, said)
	}
	events, err := os.ReadFile(filepath.Join(k.out, rundir.EventsFile))
	if err != nil {
		return err
	}
	if diff := cmp.Diff(k.whole[k.scenario], moved(string(events))); diff != "" {
		return fmt.Errorf("resumed (-uninterrupted +resumed):\n%s", diff)
	}
	if info, err := rundir.LoadInfo(k.out); err != nil || info.Status != trace.Complete {
		return fmt.Errorf("resumed: %+v, %w", info, err)
	}
	left, err := os.ReadDir(filepath.Join(k.dir, "temp"))
	if err != nil {
		return err
	}
	if len(left) != 1 {
		return fmt.Errorf("temporary files left: %v", left)
	}
	return k.checkDisks()
}

// moved is what a run has moved: all that its events say if the disks are simulated, and of real ones, whose times differ
// from run to run, which files they moved in which phase.
func moved(events string) []string {
	if !strings.Contains(events, `"path"`) {
		return measured(events)
	}
	var files []string
	for line := range strings.Lines(events) {
		var e trace.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			files = append(files, "bad line: "+line)
		}
		switch e.Type {
		case trace.FileType:
			files = append(files, fmt.Sprint(e.Phase, e.Disk, e.Op, e.Seq, e.Bytes))
		case trace.PhaseEndType, trace.EndType:
			files = append(files, fmt.Sprint(e.Type, e.Phase, e.Status))
		case trace.ErrorType:
			files = append(files, line)
		}
	}
	slices.Sort(files)
	return files
}
