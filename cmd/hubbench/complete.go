package main

import (
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hubbench/hubbench/configs"
	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/tell/report/form"
	"github.com/hubbench/hubbench/pkg/foreign"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stream"
)

// What a shell completes when Tab is pressed: `hubbench completion --help` says how it is set up. A completion comes
// at once, or not at all: a large run's events are not read for it. Shells leave out what does not begin as was typed.

// complete gives every argument and flag its completion. Formats and grains have theirs where they are defined.
func complete(root *cobra.Command, p program) {
	nothing, run, folders := words(), paths(isRun), paths(func(string) bool { return false })
	runnable := first(paths(yamlWith("phases|study|workload")), nothing)
	profile := func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		files, how := paths(yamlWith("capacity"))(cmd, args, begun)
		return append(configs.Hubs(), files...), how
	}
	logs := paths(func(path string) bool { return hasEnding(path, ".log", ".json", ".csv", ".txt", ".xml") })
	args := map[string]cobra.CompletionFunc{
		"run": runnable, "simulate": runnable, "plan": orCodecs(runnable), "doctor": folders,
		"clean": first(folders, nothing), "man": first(folders, nothing),
		"analyze": first(run, nothing), "report": first(run, nothing), "compare": run, "fit": run,
		"check": run, "trend": run, "table": run, "collect": run, "import": logs,
		"predict": first(profile, ofDisk("")), "advise": first(profile, nothing),
		"init": nothing, "devices": nothing, "schema": nothing, "version": nothing,
	}
	tables, disk, codecs := listed(offered(p, "table", "csv")), ofDisk(""), ofDisk("=", stream.CodecNames()...)
	flags := map[string]cobra.CompletionFunc{ // of one command, or of all that have a flag of this name
		"phase": listed(phasesOf), "trend disk": listed(disksOf),
		"chart": listed(partsOf((*report.Figure).Name)), "compare chart": listed(offered(p, "chart", "svg")),
		"table": listed(partsOf((*report.Table).Name)), "compare table": tables, "predict table": tables,
		"resume": paths(func(path string) bool { return isFolder(path) && isRun(path) }), "expect": run,
		"into": folders, "run out": folders, "simulate out": folders, "import out": folders,
		"out": cobra.FixedCompletions(nil, cobra.ShellCompDirectiveDefault), "limits": paths(yamlWith("expect")),
		"profile": profile, "disks": pluggedIn(p), "allow": checkCodes,
		"init from": words(scenarioNames()...), "import from": words(append(foreign.Formats(), "auto")...),
		"fail-below":  rates,
		"advise play": codecs, "advise record": codecs, "advise pace": ofDisk("="),
		"advise read": disk, "advise write": disk, "advise probe": disk, "advise direct": disk,
	}
	for _, cmd := range root.Commands() {
		if function := args[cmd.Name()]; function != nil {
			cmd.ValidArgsFunction = function
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			function := flags[cmd.Name()+" "+f.Name]
			if function == nil {
				function = flags[f.Name]
			}
			if function != nil {
				_ = cmd.RegisterFlagCompletionFunc(f.Name, function) // fails only for a flag that has one
			}
		})
	}
}

func words(list ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp)
}

func scenarioNames() (names []string) {
	for _, name := range configs.Scenarios() {
		names = append(names, cobra.CompletionWithDesc(name, configs.About(name)))
	}
	return names
}

// checkCodes completes the last of several codes with commas between them.
func checkCodes(_ *cobra.Command, _ []string, begun string) (codes []string, _ cobra.ShellCompDirective) {
	for _, c := range device.Codes() {
		if !c.Always {
			codes = append(codes, cobra.CompletionWithDesc(begun[:strings.LastIndexByte(begun, ',')+1]+c.Name, c.Finds))
		}
	}
	return codes, cobra.ShellCompDirectiveNoFileComp
}

// first completes the first argument by one function, and the others by another.
func first(one, others cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return one(cmd, args, begun)
		}
		return others(cmd, args, begun)
	}
}

func orCodecs(others cobra.CompletionFunc) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		if codecs, _ := cmd.Flags().GetBool("codecs"); codecs {
			return stream.CodecNames(), cobra.ShellCompDirectiveNoFileComp
		}
		return others(cmd, args, begun)
	}
}

// rates completes DISK.PHASE= of the scenario that is the first argument.
func rates(_ *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
	const how = cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	if len(args) == 0 {
		return nil, how
	}
	text, _ := os.ReadFile(args[0]) // an unreadable scenario completes nothing
	s, err := scenario.Load(args[0], text)
	if err != nil {
		return nil, how
	}
	plan, err := s.Plan()
	if err != nil {
		return nil, how
	}
	for name := range ratesOf(plan) {
		names = append(names, name+"=")
	}
	return names, how
}

// listed completes a word of a list that depends on the arguments so far, of which there must be one.
func listed(list func(cmd *cobra.Command, args []string) []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
		if len(args) > 0 {
			names = list(cmd, args)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// beforeWord is what stands before a word of DISK=4xCODEC.
var beforeWord = regexp.MustCompile(`^[^=]*=(\d+x)?`)

// ofDisk completes a disk of the profile that is the first argument, and after a sign one of a list.
func ofDisk(sign string, list ...string) cobra.CompletionFunc {
	return func(_ *cobra.Command, args []string, begun string) (out []string, how cobra.ShellCompDirective) {
		how = cobra.ShellCompDirectiveNoFileComp
		if sign != "" && strings.Contains(begun, sign) {
			for _, word := range list {
				if word = beforeWord.FindString(begun) + word; strings.HasPrefix(word, begun) { // zsh is slow with many
					out = append(out, word)
				}
			}
			return out, how
		}
		if len(args) == 0 {
			return nil, how
		}
		profile, err := prepare.LoadProfile(args[0])
		if err != nil {
			return nil, how
		}
		for _, d := range profile.Disks {
			if !slices.Contains(args[1:], d.Name) {
				out = append(out, cobra.CompletionWithDesc(d.Name+sign, d.About))
			}
		}
		if sign != "" {
			how |= cobra.ShellCompDirectiveNoSpace
		}
		return out, how
	}
}

// paths completes paths that are what is wanted, and the folders on the way to them.
func paths(is func(path string) bool) cobra.CompletionFunc {
	return func(_ *cobra.Command, _ []string, begun string) (out []string, how cobra.ShellCompDirective) {
		typed, base := filepath.Split(begun)
		home, _ := os.UserHomeDir()
		folder := typed
		how = cobra.ShellCompDirectiveNoFileComp
		if rest, ok := strings.CutPrefix(typed, "~"+string(filepath.Separator)); ok {
			folder = filepath.Join(home, rest)
		} else if home != "" && strings.HasPrefix(typed, home) {
			how = cobra.ShellCompDirectiveDefault // bash and zsh have put it in place of a ~: they complete that themselves
		}
		entries, _ := os.ReadDir(filepath.Clean(folder)) // nothing to complete if it is none
		for _, e := range entries {
			name, path := e.Name(), filepath.Join(folder, e.Name())
			switch {
			case !strings.HasPrefix(name, base), strings.HasPrefix(name, ".") && base == "":
			case is(path):
				out = append(out, typed+name)
			case isFolder(path):
				out = append(out, typed+name+string(filepath.Separator))
				how |= cobra.ShellCompDirectiveNoSpace
			}
		}
		return out, how
	}
}

func isRun(path string) bool {
	if isFolder(path) {
		return exists(filepath.Join(path, rundir.EventsFile)) || exists(filepath.Join(path, rundir.EventsFile+".zst"))
	}
	return hasEnding(strings.TrimSuffix(path, ".zst"), ".jsonl", ".html")
}

func hasEnding(path string, endings ...string) bool {
	return slices.Contains(endings, strings.ToLower(filepath.Ext(path))) && !isFolder(path)
}

// yamlWith tells hubbench's files from one another, and from those of other programs, by a key that they have.
func yamlWith(keys string) func(path string) bool {
	key := regexp.MustCompile(`(?m)^["']?(` + keys + `)["']?\s*:`)
	return func(path string) bool {
		if !isScenario(path) || !small(path) {
			return false
		}
		data, _ := os.ReadFile(path)
		return key.Match(data)
	}
}

// small reports whether a completion has the time to read a file. A pipe might wait.
func small(path string) bool {
	const limit = 4 << 20
	stat, err := os.Stat(path)
	return err == nil && stat.Mode().IsRegular() && stat.Size() < limit
}

// outline is what is in a run, or is planned; as much of analysis.json.
type outline struct {
	Order  []string        `json:"order"`
	Phases []outlinedPhase `json:"phases"`
}

type outlinedPhase struct {
	Name  string `json:"phase"`
	Title string `json:"title"`
}

// outlineOf finds it where it is told at once: in the analysis, else in the plan, else in the events if they are few.
func outlineOf(path string) (out outline) {
	add := func(plan *scenario.Plan) {
		for _, d := range plan.Disks {
			out.Order = append(out.Order, d.Name)
		}
		for i := range plan.Phases {
			out.Phases = append(out.Phases, outlinedPhase{plan.Phases[i].Name, plan.Phases[i].Label()})
		}
	}
	if isScenario(path) {
		if s, err := prepare.LoadScenario(path); err == nil {
			if plan, err := s.Plan(); err == nil {
				add(plan)
			}
		}
		return out
	}
	folder := path
	if name := filepath.Base(path); strings.HasPrefix(name, rundir.EventsFile) || name == rundir.ReportFile {
		folder = filepath.Dir(path)
	}
	if results := filepath.Join(folder, rundir.AnalysisFile); small(results) {
		data, _ := os.ReadFile(results)
		if json.Unmarshal(data, &out) == nil {
			return out
		}
	}
	if info, err := rundir.LoadInfo(folder); err == nil && info != nil && info.Plan != nil {
		add(info.Plan)
	} else if run := loadSmall(path); run != nil {
		data, _ := json.Marshal(run.Analysis)
		_ = json.Unmarshal(data, &out) // it has these keys
	}
	return out
}

func phasesOf(_ *cobra.Command, args []string) (names []string) {
	for _, phase := range outlineOf(args[0]).Phases {
		names = append(names, cobra.CompletionWithDesc(phase.Name, phase.Title))
	}
	return names
}

func disksOf(_ *cobra.Command, args []string) []string { return outlineOf(args[0]).Order }

// loadSmall loads a run whose events are few; nil if they are not.
func loadSmall(path string) *recorded.Run {
	events := path
	if isFolder(path) {
		events = filepath.Join(path, rundir.EventsFile)
	}
	if !isRun(path) || !small(events) {
		return nil
	}
	run, err := load(path)
	if err != nil {
		return nil
	}
	return run
}

// partsOf are the names of a run's figures or tables; none of a large run, which takes long to read.
func partsOf[B report.Block](nameOf func(B) string) func(*cobra.Command, []string) []string {
	return func(cmd *cobra.Command, args []string) (names []string) {
		run := loadSmall(args[0])
		if run == nil {
			return nil
		}
		phase, _ := cmd.Flags().GetString("phase")
		list, _ := form.Collect[B](run.Document(false), phase)
		for _, block := range list {
			names = append(names, nameOf(block))
		}
		return slices.Compact(slices.Sorted(slices.Values(names)))
	}
}

// offered are the names that a command lists if it is given one that is not there.
func offered(p program, flag, format string) func(*cobra.Command, []string) []string {
	return func(cmd *cobra.Command, args []string) []string {
		again := newRoot(program{stdin: strings.NewReader(""), stdout: io.Discard, stderr: io.Discard, look: p.look})
		again.SetArgs(append([]string{cmd.Name(), "--format", format, "--" + flag, "?"}, args...))
		err := again.ExecuteContext(cmd.Context())
		if err == nil {
			return nil
		}
		_, names, _ := strings.Cut(err.Error(), "try one of ")
		return strings.FieldsFunc(names, func(r rune) bool { return r == ',' || r == ' ' })
	}
}
