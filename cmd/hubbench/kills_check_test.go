package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/measure/testfolder"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/trace"
)

// check holds what is left of a run whose processes were ended against what was promised.
func (k *killTry) check() error {
	code, said := k.wait()
	if err := k.checkCode(code); err != nil {
		return fmt.Errorf("%w; stderr: %s", err, said)
	}
	if !check.Within(timeout, func() bool { return len(k.processes()) == 0 }) {
		return fmt.Errorf("after %s there are still %v", timeout, k.processes())
	}
	if k.spared {
		var err error
		// A worker may still be ending whose start a killed run had no time to log.
		if !check.Within(timeout, func() bool { err = k.checkDisks(); return err == nil }) {
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
		// Others it ignores, but not in its first moments, which begin before the test reads of the
		// next phase.
		lost = lost || name != coordinatorName && name != janitorName &&
			(signal == "KILL" || signal == "TERM" || k.stage == "ready" || k.stage == "between")
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
	case (info == nil || k.kind == resumedRun && status == rundir.Running) && asked != "":
		// Killed by the signal itself, in its first moments.
		want = append(earlyCodes(), exit.Interrupted)
	case status == trace.Complete:
		want = []int{exit.OK}
	case status == trace.Partial && asked != "" && lost:
		want = []int{exit.Interrupted, exit.Partial}
	case status == trace.Partial && asked != "":
		want = []int{exit.Interrupted}
	case status == trace.Partial && lost:
		want = []int{exit.Partial}
	}
	if !slices.Contains(want, code) {
		return fmt.Errorf("exit code %d, want one of %v; the run's status is %s", code, want,
			status)
	}
	return nil
}

// clean has hubbench clean remove what a killed run has left. Where that holds files of others it
// leaves them, though they be called as its own, and the folder until they are gone.
func (k *killTry) clean() error {
	left, err := filepath.Glob(filepath.Join(k.dir, "[AC]", testfolder.Prefix+"*"))
	if err != nil {
		return err
	}
	k.left = len(left)
	for _, folder := range left {
		if err := k.others.plant(folder, "data-000099.bin", "data-000098.bin"); err != nil {
			return err
		}
	}
	for again := range 2 {
		for _, disk := range k.disks() {
			if code, said := k.do("clean", disk); code != exit.OK {
				return fmt.Errorf("clean: exit code %d: %s", code, said)
			}
		}
		if err := k.others.check(); err != nil {
			return fmt.Errorf("after clean: %w", err)
		}
		if len(left) == 0 || again == 1 {
			break
		}
		for _, folder := range left {
			if err := k.others.take(folder); err != nil {
				return err
			}
		}
	}
	return k.checkDisks()
}

// checkDisks looks for what is left on the disks, and for what is lost.
func (k *killTry) checkDisks() error {
	err := k.others.check()
	for _, disk := range k.disks() {
		err = errors.Join(err, k.others.alone(disk))
	}
	return err
}

// checkReadable holds analyze to reading what was recorded.
func (k *killTry) checkReadable() error {
	events, err := recordOf(k.out)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	code, said := k.do("analyze", k.out)
	// It ended before it made its folder.
	if _, err := os.Stat(k.out); errors.Is(err, fs.ErrNotExist) && code == exit.Misuse {
		return nil
	}
	fails := code == exit.Failed && strings.Count(said, "\n") == 1 &&
		!strings.Contains(events, `"type":"file"`)
	if code != exit.OK && !fails {
		return fmt.Errorf("analyze of %d bytes of events: exit code %d: %s", len(events), code,
			said)
	}
	return nil
}

// checkResumed goes on with the run, and compares it with one that was not interrupted. If it had
// not come so far as to have a run.json, it is begun again, by the same command.
func (k *killTry) checkResumed() error {
	args := k.resumeArgs()
	info, err := rundir.LoadInfo(k.out)
	if err != nil {
		return err
	}
	if info == nil {
		args = k.compressing(runArgs())
	} else if err := k.others.plant(k.out, "hard.bin", "symbolic.bin"); err != nil {
		return err
	}
	before, _ := snapshot(k.out) // none if it was killed before it made its folder
	record, _ := recordOf(k.out)
	if code, said := k.do(args...); code != exit.OK {
		return fmt.Errorf("%s: exit code %d: %s", strings.Join(args, " "), code, said)
	}
	events, err := recordOf(k.out)
	if err != nil {
		return err
	}
	kept, read := 0, 0
	for line := range strings.Lines(record) {
		read += len(line)
		if strings.HasPrefix(line, `{"type":"phase_end"`) &&
			strings.Contains(line, `"status":"complete"`) {
			kept = read
		}
	}
	if !strings.HasPrefix(events, record[:kept]) {
		return fmt.Errorf("the events of phases that were complete have changed; they were %s",
			record[:kept])
	}
	if info != nil && info.Status == trace.Complete && strings.Contains(record, `{"type":"end"`) {
		if err := k.checkKept(before); err != nil {
			return err
		}
	}
	if diff := cmp.Diff(k.whole[k.scenario], moved(events)); diff != "" {
		return fmt.Errorf("resumed (-uninterrupted +resumed):\n%s", diff)
	}
	if info, err := rundir.LoadInfo(k.out); err != nil || info.Status != trace.Complete {
		return fmt.Errorf("resumed: %+v, %w", info, err)
	}
	if err := k.others.alone(k.temp()); err != nil {
		return err
	}
	return k.checkDisks()
}

// checkKept holds a run that was complete when it was resumed to having written over nothing.
func (k *killTry) checkKept(before map[string]string) error {
	after, err := snapshot(k.out)
	if err != nil {
		return err
	}
	for name, was := range before {
		switch is, left := after[name]; {
		case left && is != was:
			return fmt.Errorf("the run was complete, and %s was written again", name)
		case !left && name != rundir.EventsFile && !strings.HasSuffix(name, ".part"):
			return fmt.Errorf("the run was complete, and %s was removed", name)
		}
	}
	return nil
}

// moved is what a run has moved: all that its events say if the disks are simulated, and of real
// ones, whose times differ from run to run, which files they moved in which phase.
func moved(events string) []string {
	if !strings.Contains(events, `"path"`) {
		return measured(events)
	}
	var files []string
	r := trace.NewReader(strings.NewReader(events), "events")
	for r.Next() {
		switch e := r.Event(); e.Type {
		case trace.FileType:
			files = append(files, fmt.Sprint(e.Phase, e.Disk, e.Op, e.Seq, e.Bytes))
		case trace.PhaseEndType, trace.EndType:
			files = append(files, fmt.Sprint(e.Type, e.Phase, e.Status))
		case trace.ErrorType:
			files = append(files, string(trace.AppendEvent(nil, e)))
		}
	}
	if len(r.Warnings()) > 0 || r.Err() != nil {
		files = append(files, fmt.Sprint("bad lines: ", r.Warnings(), r.Err()))
	}
	slices.Sort(files)
	return files
}
