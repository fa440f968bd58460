package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/pkg/strictyaml"
)

// unlimited arguments may follow.
const unlimited = -1

// takes checks the number of a command's arguments, and names the one that is missing as the
// command's Use does.
func takes(minArgs, maxArgs int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if dash := cmd.ArgsLenAtDash(); dash >= 0 {
			for _, arg := range args[dash:] {
				flag, isFlag := strings.CutPrefix(arg, "--")
				name, _, _ := strings.Cut(flag, "=")
				if isFlag && cmd.Flags().Lookup(name) != nil {
					return fmt.Errorf("%s: flags go before --: %s", cmd.Name(), arg)
				}
			}
		}
		switch {
		case len(args) < minArgs:
			names := strings.Fields(strings.Replace(cmd.Use, " [flags]", "", 1))[1:]
			return fmt.Errorf("%s: %s is missing; usage: %s",
				cmd.Name(), strings.Trim(names[len(args)], "."), cmd.UseLine())
		case maxArgs != unlimited && len(args) > maxArgs:
			return fmt.Errorf("%s: too many arguments (%q); usage: %s", cmd.Name(), args[maxArgs],
				cmd.UseLine())
		}
		return nil
	}
}

func flagError(cmd *cobra.Command, err error) error {
	unknown, ok := errors.AsType[*pflag.NotExistError](err)
	if !ok || unknown.GetSpecifiedShortnames() != "" {
		return err
	}
	var known []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { known = append(known, f.Name) })
	if near := strictyaml.Nearest(unknown.GetSpecifiedName(), known); near != "" {
		return fmt.Errorf("%w; try --%s", err, near)
	}
	return fmt.Errorf("%w; %s --help lists them", err, cmd.CommandPath())
}

// checkOut refuses an --out that is a file which the command reads, or one of a run's beside its
// reports.
func checkOut(cmd *cobra.Command, inputs []string) error {
	out := cmd.Flags().Lookup("out")
	if out == nil || out.Value.String() == "" {
		return nil
	}
	path := out.Value.String()
	if name, _ := pflag.UnquoteUsage(out); name != "FOLDER" && recorded.IsFolder(path) {
		return exit.Usagef("--out %s is a folder; name a file in it", path)
	}
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f != out {
			inputs = append(inputs, f.Value.String())
		}
	})
	for _, input := range inputs {
		if recorded.SameFile(path, input) {
			return exit.Usagef("--out %s is a file that %s reads; give another name", path,
				cmd.Name())
		}
	}
	return recorded.CheckOut(path)
}
