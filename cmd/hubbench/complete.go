package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/configs"
	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/tell/report/form"
)

// What a shell completes when Tab is pressed: `hubbench completion --help` says how it is set up.

// complete gives the commands' arguments and flags their completions.
func complete(root *cobra.Command) {
	scenario := files("yaml", "yml")
	run := files("jsonl", "html")
	args := map[string]cobra.CompletionFunc{
		"run": first(scenario), "plan": first(scenario), "simulate": first(scenario),
		"analyze": first(run), "report": first(run), "compare": run, "fit": run,
		"predict": profileAndDisks, "advise": first(profiles), "mount": profileAndFolder, "clean": first(folders), "doctor": folders,
		"init": words(), "devices": words(), "schema": words(),
	}
	flags := map[string]map[string]cobra.CompletionFunc{
		"run":      {"resume": folders, "out": folders},
		"simulate": {"profile": profiles, "out": folders},
		"report":   {"phase": phases, "chart": parts((*report.Figure).Name), "table": parts((*report.Table).Name)},
		"analyze":  {"phase": phases, "chart": parts((*report.Figure).Name), "table": parts((*report.Table).Name)},
		"init":     {"out": files("yaml", "yml")},
		"mount":    {"backing": folders},
		"fit":      {"out": files("yaml", "md", "html", "json", "txt")},
	}
	for _, cmd := range root.Commands() {
		cmd.ValidArgsFunction = args[cmd.Name()]
		for name, function := range flags[cmd.Name()] {
			_ = cmd.RegisterFlagCompletionFunc(name, function) // fails only for an unknown flag
		}
	}
}

// files completes files with one of the endings, and folders.
func files(endings ...string) cobra.CompletionFunc {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return endings, cobra.ShellCompDirectiveFilterFileExt
	}
}

func folders(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

// first completes the first argument only.
func first(function cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return function(cmd, args, begun)
	}
}

// profiles completes a built-in hub profile, or the file of another.
func profiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return configs.Hubs(), cobra.ShellCompDirectiveDefault
}

// profileAndDisks completes a hub profile, and then its disks.
func profileAndDisks(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return profiles(cmd, args, begun)
	}
	profile, err := prepare.LoadProfile(args[0])
	if err != nil {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	for _, d := range profile.Disks {
		if !slices.Contains(args[1:], d.Name) {
			names = append(names, cobra.CompletionWithDesc(d.Name, d.About))
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// profileAndFolder completes a hub profile, and then a folder.
func profileAndFolder(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return profiles(cmd, args, begun)
	}
	return folders(cmd, args, begun)
}

// phases completes a phase of the run that is the command's argument.
func phases(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	var names []string
	if info, err := rundir.LoadInfo(args[0]); err == nil && info != nil && info.Plan != nil {
		for _, phase := range info.Plan.Phases {
			names = append(names, cobra.CompletionWithDesc(phase.Name, phase.Label()))
		}
	} else if run, err := load(args[0]); err == nil {
		for i := range run.Analysis.Phases {
			names = append(names, run.Analysis.Phases[i].Phase)
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}

// parts completes the name of a table or a figure of the run that is the command's argument, or of its phase.
func parts[B report.Block](nameOf func(B) string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		run, err := load(args[0])
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		phase, _ := cmd.Flags().GetString("phase")
		list, _ := form.Collect[B](run.Document(), phase)
		var names []string
		for _, block := range list {
			names = append(names, nameOf(block))
		}
		return slices.Compact(slices.Sorted(slices.Values(names))), cobra.ShellCompDirectiveNoFileComp
	}
}

func words(list ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp)
}
