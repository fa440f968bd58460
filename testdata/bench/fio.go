package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
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
	type direction struct {
		Bytes float64 `json:"io_bytes"`
		Rate  float64 `json:"bw_bytes"`
	}
	var report struct {
		Jobs []struct {
			Read  direction `json:"read"`
			Write direction `json:"write"`
		} `json:"jobs"`
	}
	if start := bytes.IndexByte(out, '{'); start > 0 {
		out = out[start:] // after fio's notes
	}
	if err := json.Unmarshal(out, &report); err != nil {
		return res, fmt.Errorf("read fio's report: %w", err)
	}
	var moved float64
	for _, job := range report.Jobs {
		res.rate += job.Read.Rate + job.Write.Rate
		moved += job.Read.Bytes + job.Write.Bytes
	}
	if moved != float64(r.bytes()) {
		return res, fmt.Errorf("fio moved %.0f bytes instead of %d", moved, r.bytes())
	}
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
