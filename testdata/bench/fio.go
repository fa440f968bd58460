package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/hubbench/hubbench/testdata/fio"
)

// runFio runs the row with fio, on files of its own that are gone afterwards.
func runFio(dir string, r row, extra string) (res result, err error) {
	defer func() {
		files, _ := filepath.Glob(filepath.Join(dir, "bench-fio.*")) // the pattern is well formed
		for _, f := range files {
			_ = os.Remove(f) // it only takes space, and fio would say so
		}
	}()
	common := []string{
		"--name=bench-fio", "--filename_format=bench-fio.$jobnum", "--directory=" + dir,
		"--ioengine=" + fioEngine(), "--direct=1",
		fmt.Sprintf("--numjobs=%d", r.workers), fmt.Sprintf("--size=%d", r.size), "--output-format=json",
	}
	if r.op == "read" {
		prepare := append([]string{"--rw=write", "--bs=1m", "--iodepth=8", "--end_fsync=1"}, common...)
		if out, err := exec.Command("fio", prepare...).CombinedOutput(); err != nil {
			return res, fmt.Errorf("fio: %w\n%s", err, out)
		}
	}
	args := append([]string{
		"--rw=" + map[bool]string{true: "rand"}[r.random] + r.op, fmt.Sprintf("--bs=%d", r.block),
		fmt.Sprintf("--iodepth=%d", r.depth), fmt.Sprintf("--loops=%d", r.passes),
	}, common...)
	if r.op == "write" {
		args = append(args, "--end_fsync=1")
	}
	if extra != "" {
		args = append(args, extra)
	}
	cmd := exec.Command("fio", args...)
	out, err := cmd.Output()
	if err != nil {
		return res, fmt.Errorf("fio: %w\n%s", err, out)
	}
	report, err := fio.ReadReport(out)
	if err != nil {
		return res, err
	}
	total := report.Total()
	if total.Bytes != float64(r.bytes()) {
		return res, fmt.Errorf("fio moved %.0f bytes instead of %d", total.Bytes, r.bytes())
	}
	res.rate = total.Rate
	res.cpu = r.perUnit(cmd.ProcessState)
	return res, nil
}

// fioEngine is fio's fastest on this system.
func fioEngine() string {
	switch runtime.GOOS {
	case "linux":
		return "io_uring"
	case "windows":
		return "windowsaio"
	default:
		return "posixaio"
	}
}

// perUnit is the processor time of an ended process tree for each GB, or each million random requests.
func (r row) perUnit(tree *os.ProcessState) float64 {
	units := float64(r.bytes()) / 1e9
	if r.random {
		units = float64(r.bytes()/r.block) / 1e6
	}
	return (tree.UserTime() + tree.SystemTime()).Seconds() / units
}
