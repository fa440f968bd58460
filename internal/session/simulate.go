package session

import (
	"errors"
	"fmt"
	"path/filepath"
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
	"github.com/hubbench/hubbench/pkg/model"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Simulate runs a scenario on the hub model in virtual time: on the scenario's own hub, or on that
// of a profile, or its disks on another hub.
func Simulate(to *output.Results, path, profile, hubProfile string, failBelow []string) error {
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
	assumed, err := putOn(ready, hubProfile)
	if err != nil {
		return err
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
	info.Warnings = assumed
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

// putOn puts the disks on the hub of a profile, or leaves them where they are if that is empty. It
// says what a simulation there takes for granted, beyond what the runs showed that the profiles
// were fitted to.
func putOn(ready *prepare.Ready, hubProfile string) (assumed []string, err error) {
	disks, from := ready.Profile, ready.Plan.Hub.Profile
	onHub := disks
	if hubProfile != "" {
		if onHub, err = ready.SwapHub(hubProfile); err != nil {
			return nil, exit.Usage(err)
		}
	}
	refused, err := model.Refused(onHub)
	if err != nil {
		return nil, fmt.Errorf("read the observations of %s: %w", onHub.Name, err)
	}
	if refused != "" {
		assumed = append(assumed, fmt.Sprintf("The runs contradict the model: %s. What is "+
			"simulated here is a guess.", refused))
	}
	if ready.Profile != disks {
		return append(assumed, fmt.Sprintf("The disks are those of %s, on the hub of %s. How "+
			"fast that hub lets each of them be by itself is not known: it is assumed to be as "+
			"fast as on a port of its own.", filepath.Base(from), filepath.Base(hubProfile))), nil
	}
	for _, unseen := range model.Unobserved(disks, ready.Plan) {
		assumed = append(assumed,
			unseen+": the profile holds no measurement of that, so its rate is assumed.")
	}
	return assumed, nil
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
