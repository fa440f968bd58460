package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/tell/manual"
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
