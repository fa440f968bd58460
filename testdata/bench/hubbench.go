package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// scenario is the row as a user would write it.
func (r row) scenario(folders []string) string {
	var s strings.Builder
	fmt.Fprintf(&s, "version: 1\nname: bench\nallow_system_disk: true\ndisks:\n")
	for i, folder := range folders {
		fmt.Fprintf(&s, "  - {name: D%d, path: %q}\n", i, folder)
	}
	access := "sequential"
	if r.random {
		access = "random"
	}
	fmt.Fprintf(&s, "workload: {files: %d, sizes: [%d], block: %d, depth: %d, access: %s, flush: fsync}\n", r.passes, r.size, r.block, r.depth, access)
	fmt.Fprintf(&s, "phases:\n  - {pattern: %s}\n", strings.Repeat(strings.ToUpper(r.op[:1]), r.workers))
	return s.String()
}

// runHubbench runs the row as a user does, with a folder for each worker, and reads the events.
func runHubbench(hubbench, dir string, r row) (res result, err error) {
	home, err := os.MkdirTemp("", "hubbench-bench-")
	if err != nil {
		return res, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(home)) }()
	var folders []string
	for i := range r.workers {
		folder, err := filepath.Abs(filepath.Join(dir, fmt.Sprintf("bench-hubbench.%d", i)))
		if err != nil {
			return res, err
		}
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return res, err
		}
		defer func() { _ = os.Remove(folder) }() // an empty folder at worst
		folders = append(folders, folder)
	}
	scenario, out := filepath.Join(home, "bench.yaml"), filepath.Join(home, "run")
	if err := os.WriteFile(scenario, []byte(r.scenario(folders)), 0o600); err != nil {
		return res, err
	}
	cmd := exec.Command(hubbench, "run", scenario, "--out", out, "--yes", "--quiet")
	if text, err := cmd.CombinedOutput(); err != nil {
		return res, fmt.Errorf("hubbench: %w\n%s", err, text)
	}
	if err := checkModes(filepath.Join(out, "run.json")); err != nil {
		return res, err
	}
	if res.rate, err = r.rateOf(filepath.Join(out, "events.jsonl")); err != nil {
		return res, err
	}
	res.cpu = r.perUnit(cmd.ProcessState)
	return res, nil
}

// checkModes refuses to compare anything but direct requests.
func checkModes(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var run struct {
		Effective map[string]map[string]struct {
			Cache    string
			Warnings []string
		}
	}
	if err := json.Unmarshal(text, &run); err != nil {
		return fmt.Errorf("read run.json: %w", err)
	}
	if len(run.Effective) == 0 {
		return errors.New("run.json does not say how the bytes were moved")
	}
	for _, disks := range run.Effective {
		for name, mode := range disks {
			if mode.Cache != "direct" || len(mode.Warnings) > 0 {
				return fmt.Errorf("disk %s: %s %q: not what is to be compared", name, mode.Cache, mode.Warnings)
			}
		}
	}
	return nil
}

// rateOf adds up the disks' rates, each from the start of its first file to the end of its last, as fio has it.
func (r row) rateOf(path string) (float64, error) {
	f, err := os.Open(path)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	type span struct{ start, end, bytes int64 }
	disks := map[string]*span{}
	var total int64
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var e struct {
			Type, Disk string
			Bytes      int64
			Start      int64 `json:"start_ns"`
			End        int64 `json:"end_ns"`
		}
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return 0, fmt.Errorf("read events.jsonl: %w", err)
		}
		if e.Type != "file" {
			continue
		}
		if disks[e.Disk] == nil {
			disks[e.Disk] = &span{start: e.Start}
		}
		disks[e.Disk].end = e.End
		disks[e.Disk].bytes += e.Bytes
		total += e.Bytes
	}
	if total != r.bytes() {
		return 0, fmt.Errorf("hubbench moved %d bytes instead of %d", total, r.bytes())
	}
	var rate float64
	for _, s := range disks {
		rate += float64(s.bytes) / float64(s.end-s.start) * 1e9
	}
	return rate, nil
}
