package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"go.uber.org/zap"

	"github.com/hubbench/hubbench/internal/coordinator"
	"github.com/hubbench/hubbench/internal/diskio"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// childVariable makes this program the coordinator of one run, whose process tree can then be weighed.
const childVariable = "HUBBENCH_BENCH_CHILD"

// order is what the coordinator is told, and answer what it says.
type order struct {
	Hubbench string
	Plan     scenario.Plan
}

type answer struct {
	Rates []float64 // of each worker
	Bytes int64
}

// runHubbench runs the row with workers of the real hubbench, each in a folder of its own.
func runHubbench(hubbench, dir string, r row) (res result, err error) {
	o := order{Hubbench: hubbench, Plan: scenario.Plan{Phases: []scenario.Phase{{Name: "bench", Roles: map[string]scenario.Role{}}}}}
	phase := &o.Plan.Phases[0]
	for i := range r.workers {
		folder := filepath.Join(dir, fmt.Sprintf("bench-hubbench.%d", i))
		if err := os.MkdirAll(folder, 0o700); err != nil {
			return res, err
		}
		defer func() { err = errors.Join(err, os.Remove(folder)) }()
		job := scenario.Job{
			Disk: string(rune('A' + i)), Role: r.role, Seed: uint64(i),
			IO: scenario.IO{Mode: "direct", Block: r.block, Depth: r.depth, Flush: "fsync", Verify: "off", Preallocate: true},
		}
		for range r.passes {
			job.Sizes = append(job.Sizes, r.size)
		}
		if r.random {
			job.IO.Access = "random"
		}
		// fio writes its file anew and then over it; hubbench would first lay it out, which nobody asks for.
		job.IO.OneFile = r.role == scenario.Read
		o.Plan.Disks = append(o.Plan.Disks, scenario.Disk{Name: job.Disk, Path: folder})
		phase.Roles[job.Disk] = r.role
		phase.Jobs = append(phase.Jobs, job)
	}
	text, err := json.Marshal(o)
	if err != nil {
		return res, err
	}
	self, err := os.Executable()
	if err != nil {
		return res, err
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childVariable+"=1")
	cmd.Stdin, cmd.Stderr = bytes.NewReader(text), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return res, fmt.Errorf("hubbench: %w", err)
	}
	var a answer
	if err := json.Unmarshal(out, &a); err != nil {
		return res, fmt.Errorf("read the coordinator's answer: %w", err)
	}
	if a.Bytes != r.bytes() {
		return res, fmt.Errorf("hubbench moved %d bytes instead of %d", a.Bytes, r.bytes())
	}
	for _, rate := range a.Rates {
		res.rate += rate
	}
	res.cpu = r.perUnit(cmd.ProcessState)
	return res, nil
}

// coordinate runs the plan that it is told.
func coordinate(in io.Reader, out io.Writer) error {
	var o order
	if err := json.NewDecoder(in).Decode(&o); err != nil {
		return err
	}
	w := &watch{spans: map[string][2]int64{}, bytes: map[string]int64{}}
	result, err := coordinator.Run(context.Background(), coordinator.Options{
		Plan: &o.Plan, RunID: fmt.Sprintf("bench-%d", os.Getpid()), Journal: w, Watcher: w, WorkerLog: io.Discard, Log: zap.NewNop(),
		Command: func() *exec.Cmd { return exec.Command(o.Hubbench, "worker") },
		Modes:   checkModes, Stall: time.Minute,
	})
	if err != nil {
		return err
	}
	if len(result.Failures) > 0 {
		return errors.New(result.Failures[0].String())
	}
	var a answer
	for disk, span := range w.spans {
		a.Bytes += w.bytes[disk]
		a.Rates = append(a.Rates, float64(w.bytes[disk])/float64(span[1]-span[0])*1e9)
	}
	return json.NewEncoder(out).Encode(a)
}

// checkModes refuses to compare anything but direct requests.
func checkModes(_ string, modes map[string]diskio.Effective) error {
	for disk, m := range modes {
		if m.Cache != "direct" || len(m.Warnings) > 0 {
			return fmt.Errorf("disk %s: %s %s %q: not what is to be compared", disk, m.Engine, m.Cache, m.Warnings)
		}
	}
	return nil
}

// watch takes the files' spans.
type watch struct {
	spans map[string][2]int64 // from the start of a disk's first file to the end of its last
	bytes map[string]int64
}

// Append notes the files among the events.
func (w *watch) Append(events ...trace.Event) error {
	for _, e := range events {
		if e.Type != trace.FileType {
			continue
		}
		span, ok := w.spans[e.Disk]
		if !ok {
			span[0] = e.StartNS
		}
		span[1] = e.EndNS
		w.spans[e.Disk] = span
		w.bytes[e.Disk] += e.Bytes
	}
	return nil
}

// PhaseBegins does nothing, as the other calls do: nobody watches.
func (w *watch) PhaseBegins(int, scenario.Phase) {}

// Released does nothing.
func (w *watch) Released() {}

// Moved does nothing.
func (w *watch) Moved(string, int64) {}

// PhaseEnds does nothing.
func (w *watch) PhaseEnds([]coordinator.Failure) {}
