package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/tell/manual"
	"github.com/hubbench/hubbench/internal/tell/output"
	"github.com/hubbench/hubbench/pkg/strictyaml"
)

func newHelp(p program) *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND | TOPIC]",
		Short: "Explain a command or a topic",
		Long: `Explain a command, as hubbench COMMAND --help does, or a topic of the manual. A name
of both, such as report, is explained as both.

` + topicsHelp(),
		Args:      cobra.ArbitraryArgs,
		ValidArgs: topics(),
		RunE: func(cmd *cobra.Command, args []string) error {
			return runHelp(p, cmd.Root(), args)
		},
	}
}

func topics() (names []string) {
	for _, t := range manual.Topics() {
		names = append(names, t.Name)
	}
	return names
}

func runHelp(p program, root *cobra.Command, args []string) error {
	if len(args) == 0 {
		return root.Help()
	}
	cmd, rest, err := root.Find(args)
	command := err == nil && cmd != root && len(rest) == 0
	topic := len(args) == 1 && slices.Contains(topics(), args[0])
	if !command && !topic {
		known := topics()
		for _, c := range root.Commands() {
			if c.IsAvailableCommand() {
				known = append(known, c.Name())
			}
		}
		name := strings.Join(args, " ")
		return exit.Usagef("no command or topic is called %s; try %s",
			strictyaml.Quote(name), strictyaml.Suggest(name, known))
	}
	if command {
		cmd.InitDefaultHelpFlag() // as --help lists it
		if err := cmd.Help(); err != nil || !topic {
			return err
		}
		fmt.Fprintln(p.Stdout)
	}
	text, err := manual.Topic{Name: args[0]}.Text(output.Columns(p.Stdout))
	if err != nil {
		return err
	}
	_, err = fmt.Fprint(p.Stdout, text)
	return err
}

func topicsHelp() string {
	var list strings.Builder
	list.WriteString("Topics (hubbench help TOPIC):\n")
	for _, t := range manual.Topics() {
		fmt.Fprintf(&list, "  %-11s %s\n", t.Name, t.Short)
	}
	return list.String()
}
