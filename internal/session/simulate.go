package session

import (
	"errors"
	"fmt"
	"time"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/internal/measure/life"
	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/output"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/pkg/foreign"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/limit"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Simulate runs a scenario on the hub model in virtual time: on the scenario's own hub, or on that
// of a profile.
func Simulate(to *output.Results, path, profile string, failBelow []string) error {
	ready, err := prepare.Load(path, to.Notify)
	if err == nil && profile != "" {
		err = ready.Simulate(profile)
	}
	if err != nil {
		return exit.Usage(err)
	}
	if ready.Profile == nil {
		return exit.Usagef("%s has real disks; name the hub to simulate them on, "+
			"such as --profile goshen-ridge", path)
	}
	if to.MinRates, err = limit.MinRates(failBelow, ready.Plan); err != nil {
		return exit.Usage(err)
	}
	began := time.Now()
	dir, err := ready.Create(to.Folder, began)
	if err != nil {
		return err
	}
	info := ready.Info(to.Tool, began)
	info.Simulated = true
	err = hub.Simulate(ready.Plan, ready.Profile, func(e *trace.Event) error {
		if e.Type == trace.RunType {
			e.Started = info.Started
		}
		return dir.Append(*e)
	})
	if err == nil {
		info.Status = trace.Complete
		info.State = life.Concluded
		err = dir.WriteJSON(rundir.InfoFile, info)
	}
	if err := errors.Join(err, dir.Close()); err != nil {
		return err
	}
	return to.Conclude(dir)
}

// maxImport is how much is imported at once. It is held in memory, several times as large as it is
// read, and is as much as fio logs of eight million requests.
const maxImport = 256 << 20

// Import makes a run of what another tool recorded.
func Import(to *output.Results, paths []string, read foreign.Options) error {
	var files []foreign.InputFile
	bytesLeft := int64(maxImport)
	for _, path := range paths {
		data, err := filesystem.ReadFile(path, bytesLeft)
		if err != nil && recorded.Exists(path) {
			err = fmt.Errorf("%w; all files together may have %d MiB", err, maxImport>>20)
		}
		if err != nil {
			return exit.Usagef("read %s: %w", path, err)
		}
		bytesLeft -= int64(len(data))
		files = append(files, foreign.InputFile{Name: path, Data: data})
	}
	made, err := foreign.Import(files, read)
	if err != nil {
		return exit.Usage(err)
	}
	info := rundir.Info{Tool: made.Tool, Name: "imported", Status: trace.Complete,
		Warnings: made.Notes}
	if !made.Started.IsZero() {
		info.Started = made.Started.Format(time.RFC3339)
	}
	ready := &prepare.Ready{Plan: &scenario.Plan{Name: info.Name}, Scenario: &scenario.Scenario{}}
	dir, err := ready.Create(to.Folder, time.Now())
	if err != nil {
		return err
	}
	if err = dir.AppendLines(made.Events); err == nil {
		err = dir.WriteJSON(rundir.InfoFile, info)
	}
	if err := errors.Join(err, dir.Close()); err != nil {
		return fmt.Errorf("write the run: %w", err)
	}
	return to.Conclude(dir)
}
