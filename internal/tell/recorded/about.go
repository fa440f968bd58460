package recorded

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Document is the report of the run, or no more than its answer.
func (r *Run) Document(answerAlone bool) *report.Document {
	return report.OfRun(report.RunData{
		Trace: r.Trace, Analysis: r.Analysis, About: about(r.Loaded), AnswerAlone: answerAlone,
	})
}

// Method is what run.json says about how the run was made; nil if there is none, or no plan in it.
func (r *Run) Method() *compare.Method {
	info := r.Info
	if info == nil || info.Plan == nil {
		return nil
	}
	return &compare.Method{
		Tool: info.Tool, Host: info.Host.Name, System: info.Host.System(), Plan: info.Plan,
		Effective: info.Effective, Simulated: info.Simulated,
	}
}

// about is what a report says of how and where a run was made; a lone events file says nothing of
// it.
func about(loaded *rundir.Loaded) report.About {
	run := loaded.Info
	if run == nil {
		return report.About{}
	}
	info := report.About{
		Tool:     run.Tool,
		Host:     run.Host.Name,
		OS:       run.Host.System(),
		Warnings: slices.Clone(run.Warnings),
	}
	if run.Doctor != nil {
		for _, check := range run.Doctor.Checks {
			if check.Verdict == trace.Fail {
				info.Warnings = append(info.Warnings, report.Unsound(check, run.Doctor.Date))
			}
		}
	}
	info.Failures = run.Failures
	if run.Plan == nil {
		return info
	}
	info.Planned = run.Plan.Phases
	if run.Status == trace.Partial {
		info.Resume = "hubbench run --resume " + cells.Shell(filepath.Base(loaded.Folder))
	}
	info.Seed = fmt.Sprint(run.Plan.Seed)
	switch hub := run.Plan.Hub; {
	case run.Plan.Simulated():
		info.Hub = "hub " + cmp.Or(hub.Name, hub.Profile)
		if hub.Name != "" { // A model may have the name of a real hub.
			info.Hub += " by the profile " + hub.Profile
		}
	case hub != nil && hub.Name != "":
		info.Hub = "hub " + hub.Name
	}
	for _, phase := range loaded.Trace.Phases {
		for _, disk := range run.Plan.Disks {
			if mode, ok := run.Effective[phase.Name][disk.Name]; ok {
				info.Modes = append(info.Modes,
					report.Mode{Phase: phase.Name, Disk: disk.Name, Effective: mode})
			}
		}
	}
	return info
}
