package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/configs"
	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/manual"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/tell/report/form"
	"github.com/hubbench/hubbench/pkg/strictyaml"
)

func newHelp(p program) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | TOPIC]",
		Short: "Explain a command or a topic",
		Long: `Explain a command, as hubbench COMMAND --help does, or a topic of the manual. A name of both, such as
report, is explained as both.

` + topicsHelp(),
		Args: func(*cobra.Command, []string) error { return nil },
		RunE: func(cmd *cobra.Command, args []string) error { return runHelp(p, cmd.Root(), args) },
		ValidArgsFunction: func(cmd *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var names []string
			for _, t := range manual.Topics() {
				names = append(names, cobra.CompletionWithDesc(t.Name, t.Short))
			}
			for _, c := range cmd.Root().Commands() {
				if c.IsAvailableCommand() && !isTopic(c.Name()) {
					names = append(names, cobra.CompletionWithDesc(c.Name(), c.Short))
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
}

func runHelp(p program, root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return root.Help()
	}
	cmd, rest, err := root.Find(args)
	command := err == nil && cmd != root && len(rest) == 0
	topic := isTopic(args[0])
	if !command && (!topic || len(args) > 1) {
		return usage(unknownTopic(root, strings.Join(args, " ")))
	}
	if command {
		cmd.InitDefaultHelpFlag() // as --help lists it
		if err := cmd.Help(); err != nil || !topic {
			return err
		}
		fmt.Fprintln(p.stdout)
	}
	text, err := manual.Topic{Name: args[0]}.Text(columns(p.stdout))
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(p.stdout, text)
	return err
}

func isTopic(name string) bool {
	return slices.ContainsFunc(manual.Topics(), func(t manual.Topic) bool { return t.Name == name })
}

func unknownTopic(root *cobra.Command, name string) error {
	var topics []string
	for _, t := range manual.Topics() {
		topics = append(topics, t.Name)
	}
	all := slices.Clone(topics)
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			all = append(all, c.Name())
		}
	}
	err := "no command or topic is called " + strictyaml.Quote(name)
	if near := strictyaml.Nearest(name, all); near != "" {
		return fmt.Errorf("%s; try %s", err, near)
	}
	return fmt.Errorf("%s; the topics are %s, and hubbench --help lists the commands", err, strings.Join(topics, ", "))
}

func topicsHelp() string {
	var list strings.Builder
	list.WriteString("Topics (hubbench help TOPIC):\n")
	for _, t := range manual.Topics() {
		fmt.Fprintf(&list, "  %-11s %s\n", t.Name, t.Short)
	}
	return list.String()
}

// What a shell completes when Tab is pressed: `hubbench completion --help` says how it is set up.

func complete(root *cobra.Command) {
	scenario, run, nothing := first(files("yaml", "yml"), words()), files("jsonl", "html"), words()
	args := map[string]cobra.CompletionFunc{
		"run": scenario, "plan": scenario, "simulate": scenario, "doctor": folders, "clean": first(folders, nothing),
		"analyze": first(run, nothing), "report": first(run, nothing), "compare": run, "fit": run,
		"check": run, "trend": run, "atlas": run, "table": run, "collect": run, "import": files("log", "json", "csv"),
		"predict": first(profiles, listed(disksOf)), "advise": first(profiles, nothing), "mount": first(profiles, folders),
		"init": nothing, "devices": nothing, "schema": nothing, "man": first(folders, nothing),
	}
	parts := map[string]cobra.CompletionFunc{
		"phase": listed(phasesOf),
		"chart": listed(partsOf((*report.Figure).Name)), "table": listed(partsOf((*report.Table).Name)),
	}
	flags := map[string]map[string]cobra.CompletionFunc{
		"run": {"resume": folders, "out": folders}, "simulate": {"profile": profiles, "out": folders},
		"check": {"limits": files("yaml", "yml")}, "collect": {"into": folders}, "import": {"out": folders},
		"report": parts, "analyze": parts, "mount": {"backing": folders},
		"init": {"out": files("yaml", "yml")}, "fit": {"out": files("yaml", "md", "html", "json", "txt")},
	}
	for _, cmd := range root.Commands() {
		cmd.ValidArgsFunction = args[cmd.Name()]
		for name, function := range flags[cmd.Name()] {
			_ = cmd.RegisterFlagCompletionFunc(name, function) // fails only for an unknown flag
		}
	}
}

func files(endings ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(endings, cobra.ShellCompDirectiveFilterFileExt)
}

func words(list ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(list, cobra.ShellCompDirectiveNoFileComp)
}

func folders(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveFilterDirs
}

func profiles(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return configs.Hubs(), cobra.ShellCompDirectiveDefault
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

// listed completes a word of a list that depends on the arguments so far, of which there must be one.
func listed(list func(cmd *cobra.Command, args []string) []string) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, _ string) (names []string, _ cobra.ShellCompDirective) {
		if len(args) > 0 {
			names = list(cmd, args)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

func disksOf(_ *cobra.Command, args []string) (names []string) {
	profile, err := prepare.LoadProfile(args[0])
	if err != nil {
		return nil
	}
	for _, d := range profile.Disks {
		if !slices.Contains(args[1:], d.Name) {
			names = append(names, cobra.CompletionWithDesc(d.Name, d.About))
		}
	}
	return names
}

func phasesOf(_ *cobra.Command, args []string) (names []string) {
	if info, err := rundir.LoadInfo(args[0]); err == nil && info != nil && info.Plan != nil {
		for _, phase := range info.Plan.Phases {
			names = append(names, cobra.CompletionWithDesc(phase.Name, phase.Label()))
		}
	} else if run, err := load(args[0]); err == nil {
		for i := range run.Analysis.Phases {
			names = append(names, run.Analysis.Phases[i].Name)
		}
	}
	return names
}

func partsOf[B report.Block](nameOf func(B) string) func(*cobra.Command, []string) []string {
	return func(cmd *cobra.Command, args []string) (names []string) {
		run, err := load(args[0])
		if err != nil {
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
