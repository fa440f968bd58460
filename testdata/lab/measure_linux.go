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

	"github.com/hubbench/hubbench/internal/rundir"
	"github.com/hubbench/hubbench/internal/testdisk"
	"github.com/hubbench/hubbench/pkg/analysis"
)

// partition is the size of each; memory is taken as it is written.
const partition = 1 << 30

// missing is what this machine lacks, nil where it lacks nothing.
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
	if l.disk, err = testdisk.New(testdisk.Options{Bytes: int64(len(names)) * partition, Partitions: len(names)}); err != nil {
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

// lacks tells apart what a container may not do, or a kernel cannot, from what fails.
func lacks(err error) error {
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) || errors.Is(err, os.ErrNotExist) || errors.Is(err, testdisk.ErrNoLimits) {
		return fmt.Errorf("%w: %w", errMissing, err)
	}
	return err
}

// compare measures each pattern by hubbench and by fio, in turns.
func (l *lab) compare(ctx context.Context) ([]*result, error) {
	all, times, measured := patterns(l.opts.short), 5, 4*time.Second
	if l.opts.short {
		times = 1
	}
	var list []*result
	together, after := map[string]*result{}, map[string]*result{}
	for _, p := range all {
		together[p.name()] = newResult(p.name(), p.truth(names), times)
		list = append(list, together[p.name()])
		if p.after != "" {
			after[p.name()] = newResult(among(p.after)+" after that", p.truth(p.after), times)
			list = append(list, after[p.name()])
		}
	}
	for i := range times {
		began := time.Now()
		if err := l.runHubbench(ctx, i, all, measured, together, after); err != nil {
			return nil, fmt.Errorf("hubbench: %w", err)
		}
		between := time.Now()
		for _, p := range all {
			rate, err := l.runFio(ctx, p, measured)
			if err != nil {
				return nil, fmt.Errorf("fio, %s: %w", p.name(), err)
			}
			together[p.name()].theirs = append(together[p.name()].theirs, rate)
		}
		fmt.Fprintf(l.log, "run %d of %d: hubbench %.0f s, fio %.0f s\n", i+1, times, between.Sub(began).Seconds(), time.Since(between).Seconds())
	}
	return list, nil
}

// command runs a program within the limit, and has it clean up after itself where the lab is interrupted.
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

// runHubbench measures all patterns in one run, as a user does.
func (l *lab) runHubbench(ctx context.Context, run int, all []pattern, measured time.Duration, together, after map[string]*result) error {
	file, out := filepath.Join(l.disk.Dir, "lab.yaml"), filepath.Join(l.disk.Dir, fmt.Sprint("run-", run+1))
	if l.opts.out != "" {
		out = filepath.Join(l.opts.out, filepath.Base(out))
	}
	if err := os.WriteFile(file, []byte(scenario(all, l.roots, measured)), 0o600); err != nil {
		return err
	}
	if _, err := l.command(ctx, l.opts.hubbench, "run", file, "--out", out, "--yes", "--quiet", "--allow", "same_disk"); err != nil {
		return err
	}
	data, err := os.ReadFile(filepath.Join(out, rundir.AnalysisFile))
	if err != nil {
		return err
	}
	var a analysis.Analysis
	if err := json.Unmarshal(data, &a); err != nil {
		return err
	}
	for _, p := range all {
		i := slices.IndexFunc(a.Phases, func(phase analysis.Phase) bool { return phase.Phase == p.name() })
		if i < 0 || a.Phases[i].Overlap == nil {
			return fmt.Errorf("no overlap of %s", p.name())
		}
		phase := a.Phases[i]
		if phase.Overlap.StartS < warmUp.Seconds() {
			return fmt.Errorf("the overlap of %s begins after %g s: within the first second, in which the limit does not hold", p.name(), phase.Overlap.StartS)
		}
		together[p.name()].ours = append(together[p.name()].ours, phase.Overlap.Rate)
		if p.after == "" {
			continue
		}
		j := slices.IndexFunc(phase.Stages, func(s analysis.Stage) bool { return strings.Join(s.Active, "") == p.after })
		if j < 0 {
			return fmt.Errorf("%s never worked alone in %s", among(p.after), p.name())
		}
		after[p.name()].ours = append(after[p.name()].ours, phase.Stages[j].Rate)
	}
	return nil
}

// runFio measures a pattern with a job for each disk.
func (l *lab) runFio(ctx context.Context, p pattern, measured time.Duration) (rate float64, err error) {
	args := []string{
		"--output-format=json", "--name=global", "--group_reporting", "--ioengine=libaio", "--direct=1", "--filename_format=fio",
		fmt.Sprint("--bs=", block), fmt.Sprint("--iodepth=", depth), fmt.Sprint("--size=", 2*fileSize), fmt.Sprintf("--ramp_time=%dms", warmUp.Milliseconds()),
	}
	if p.files == nil {
		args = append(args, "--time_based", fmt.Sprintf("--runtime=%dms", measured.Milliseconds()))
	}
	for i, root := range l.roots {
		disk := string(names[i])
		args = append(args, "--name="+disk, "--directory="+root, "--rw="+map[string]string{"R": "read", "W": "write"}[p.letter(i)])
		if p.files != nil {
			args = append(args, fmt.Sprint("--io_size=", p.files[disk]*fileSize))
		}
	}
	out, err := l.command(ctx, "fio", args...)
	if err != nil {
		return 0, err
	}
	type direction struct {
		Rate float64 `json:"bw_bytes"`
	}
	var said struct {
		Jobs []struct {
			Read  direction `json:"read"`
			Write direction `json:"write"`
		} `json:"jobs"`
	}
	if start := slices.Index(out, '{'); start > 0 {
		out = out[start:] // after fio's notes
	}
	if err := json.Unmarshal(out, &said); err != nil || len(said.Jobs) != 1 {
		return 0, fmt.Errorf("its report has %d groups (%w)", len(said.Jobs), err)
	}
	return said.Jobs[0].Read.Rate + said.Jobs[0].Write.Rate, nil
}
