package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/test/testdisk"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/testdata/fio"
)

// partition is the size of each; memory is taken as it is written.
const partition = 1280 << 20

// missing is what this machine lacks, nil if it lacks nothing.
func missing() error {
	if os.Geteuid() != 0 {
		return fmt.Errorf("%w: root's rights, to make a block device and limit it (try sudo make lab)", errMissing)
	}
	for program, of := range map[string]string{"fio": "fio", "mkfs.xfs": "xfsprogs"} {
		if _, err := exec.LookPath(program); err != nil {
			return fmt.Errorf("%w: the program %s (of the package %s)", errMissing, program, of)
		}
	}
	return nil
}

// lab is the device and what measures it.
type lab struct {
	disk  *testdisk.Disk
	roots []string // of the disks A, B, C
	opts  options
	log   io.Writer
}

// measure makes the device, measures it, and removes it.
func measure(ctx context.Context, opts options, log io.Writer) (results []*result, err error) {
	if err := missing(); err != nil {
		return nil, err
	}
	if _, err := os.Stat(opts.hubbench); err != nil {
		return nil, fmt.Errorf("%w: build it first, with `make build`", err)
	}
	l := &lab{opts: opts, log: log}
	l.disk, err = testdisk.New(testdisk.Options{Bytes: int64(len(names)) * partition, Partitions: len(names)})
	if err != nil {
		return nil, lacks(err)
	}
	defer func() { err = errors.Join(err, l.disk.Close()) }()
	for part := range len(names) {
		if err := l.disk.Format(part+1, "mkfs.xfs", "-q", "-f"); err != nil {
			return nil, err
		}
		root, err := l.disk.Mount(part+1, "")
		if err != nil {
			return nil, err
		}
		l.roots = append(l.roots, root)
	}
	if err := l.disk.Limit(readLimit, writeLimit); err != nil {
		return nil, lacks(err)
	}
	return l.compare(ctx)
}

// lacks separates what a container may not do, or a kernel cannot, from what fails.
func lacks(err error) error {
	for _, lack := range []error{unix.EPERM, unix.EACCES, os.ErrNotExist, testdisk.ErrNoLimits} {
		if errors.Is(err, lack) {
			return fmt.Errorf("%w: %w", errMissing, err)
		}
	}
	return err
}

// compare measures each pattern by hubbench and by fio, one after the other so that both meet what a busy
// machine does.
func (l *lab) compare(ctx context.Context) (list []*result, err error) {
	all, times := patterns(l.opts.short), 5
	if l.opts.short {
		times = 1
	}
	together, alone := map[pattern]*result{}, map[pattern]*result{}
	for _, p := range all {
		together[p] = newResult(p.name(), p.letters, true, l.opts.short)
		list = append(list, together[p])
		if p.alone {
			alone[p] = newResult("C after that", p.letters[2:], false, l.opts.short)
			list = append(list, alone[p])
		}
	}
	for i := range times {
		fmt.Fprintf(l.log, "run %d of %d\n", i+1, times)
		phases, err := l.runHubbench(ctx, i, all)
		if err != nil {
			return nil, fmt.Errorf("hubbench: %w", err)
		}
		for _, p := range all {
			if err := rates(p, phases[p.name()], together[p], alone[p]); err != nil {
				return nil, fmt.Errorf("%s: %w", p.name(), err)
			}
			if i%2 == 1 {
				continue // fio is not what is judged, and need not be measured as often
			}
			rate, err := l.runFio(ctx, p)
			if err != nil {
				return nil, fmt.Errorf("fio, %s: %w", p.name(), err)
			}
			together[p].theirs = append(together[p].theirs, rate)
		}
	}
	return list, nil
}

// command runs a program within the limit, and has it clean up after itself when the lab is interrupted.
func (l *lab) command(ctx context.Context, name string, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute) // many times what any takes
	defer cancel()
	cmd := l.disk.Command(ctx, name, args...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // a terminal's Ctrl-C comes from here alone, once
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 10 * time.Second
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s%s", cmp.Or(context.Cause(ctx), err), stderr.String(), out)
	}
	return out, nil
}

// runHubbench measures all patterns in one run, as a user does, and returns its phases by name.
func (l *lab) runHubbench(ctx context.Context, run int, all []pattern) (map[string]analysis.Phase, error) {
	file, out := filepath.Join(l.disk.Dir, "lab.yaml"), filepath.Join(l.disk.Dir, fmt.Sprint("run-", run+1))
	if l.opts.out != "" {
		out = filepath.Join(l.opts.out, filepath.Base(out))
	}
	if err := os.WriteFile(file, []byte(scenario(all, l.roots)), 0o600); err != nil {
		return nil, err
	}
	args := []string{"run", file, "--out", out, "--yes", "--quiet", "--allow", "same_disk"}
	if _, err := l.command(ctx, l.opts.hubbench, args...); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(filepath.Join(out, rundir.AnalysisFile))
	if err != nil {
		return nil, err
	}
	var a analysis.Analysis
	if err := json.Unmarshal(data, &a); err != nil {
		return nil, err
	}
	phases := map[string]analysis.Phase{}
	for _, phase := range a.Phases {
		phases[phase.Phase] = phase
	}
	return phases, nil
}

// rates adds what hubbench says of a phase: the rate of all disks together, and of the one that goes on alone.
func rates(p pattern, phase analysis.Phase, together, alone *result) error {
	switch {
	case phase.Overlap == nil:
		return errors.New("no overlap")
	case phase.Overlap.StartS < warmUp.Seconds():
		return fmt.Errorf("the overlap begins after %.2f s, in the first second, in which the limit does not hold",
			phase.Overlap.StartS)
	}
	together.ours = append(together.ours, phase.Overlap.Rate)
	if !p.alone {
		return nil
	}
	i := slices.IndexFunc(phase.Stages, func(s analysis.Stage) bool {
		return slices.Equal(s.Active, []string{"C"}) && s.StartS > phase.Overlap.StartS
	})
	if i < 0 {
		return errors.New("no stage of C alone")
	}
	alone.ours = append(alone.ours, phase.Stages[i].Rate)
	return nil
}

// runFio measures a pattern with a job for each disk.
func (l *lab) runFio(ctx context.Context, p pattern) (rate float64, err error) {
	args := []string{
		"--output-format=json", "--name=global", "--group_reporting",
		"--ioengine=libaio", "--direct=1", "--filename_format=fio",
		fmt.Sprint("--bs=", block), fmt.Sprint("--iodepth=", depth), fmt.Sprint("--size=", 2*fileSize),
		fmt.Sprintf("--ramp_time=%dms", warmUp.Milliseconds()),
	}
	switch {
	case p.alone:
	case l.opts.short:
		args = append(args, "--time_based", "--runtime=2")
	default:
		args = append(args, "--time_based", "--runtime=4")
	}
	for i, root := range l.roots {
		rw := map[byte]string{'R': "read", 'W': "write"}[p.letters[i]]
		args = append(args, "--name="+names[i:i+1], "--directory="+root, "--rw="+rw)
		if p.alone {
			args = append(args, fmt.Sprint("--io_size=", p.files[i]*fileSize/2))
		}
	}
	out, err := l.command(ctx, "fio", args...)
	if err != nil {
		return 0, err
	}
	total, groups, err := fio.Total(out)
	if err == nil && groups != 1 {
		err = fmt.Errorf("its report has %d groups instead of one", groups)
	}
	return total.Rate, err
}
