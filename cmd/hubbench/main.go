// Command hubbench measures what SSDs on one hub do to each other. This folder holds one file per
// command; each command is a constructor, an options struct, and a function that does the work over
// the packages in internal and pkg. Start at newRoot; exit.go says what the exit codes mean.
package main

import (
	"context"
	"io"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/pkg/hardware"
)

// version is set by the Makefile from the repository's tags.
var version string

// program is what a command needs from outside, so that a test can replace it.
type program struct {
	stdin  io.Reader
	stdout io.Writer // results
	stderr io.Writer // everything else

	look func(context.Context) (*hardware.Inventory, error) // nil: device.Look
}

// toolVersion is the version for run.json and the version command.
func toolVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "unversioned"
}

// run runs the command line and returns the exit code.
func run(ctx context.Context, args []string, p program) int {
	root := newRoot(p)
	root.SetArgs(args)
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	began := false
	root.PersistentPreRun = func(*cobra.Command, []string) { began = true }
	err := root.ExecuteContext(ctx)
	if err != nil && !began {
		err = usage(err) // cobra refused the command line before any command ran
	}
	return printError(err, p.stderr)
}

func newRoot(p program) *cobra.Command {
	root := &cobra.Command{
		Use:   "hubbench",
		Short: "Measure what SSDs on one hub do to each other",
		Long: `hubbench runs several SSDs on one hub against each other, one process per disk, all started
at the same instant, and reports how much bandwidth each got while all of them were busy, who
took it from whom, and how long the others needed to recover.`,
		Example: `  hubbench run configs/demo.yaml      try it: the disks are simulated
  hubbench init                       write a scenario for the disks that are plugged in
  hubbench plan hubbench.yaml         see what it would do
  hubbench run hubbench.yaml --open   do it, and open the report`,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.Version = toolVersion() // so that there is a --version
	root.SetVersionTemplate(versionLine())
	root.SetFlagErrorFunc(flagError)
	root.SetHelpCommand(newHelp(p))
	root.SetUsageTemplate(root.UsageTemplate() + "{{if not .HasParent}}\n" + topicsHelp() + "{{end}}" + exitCodesHelp)
	root.CompletionOptions.HiddenDefaultCmd = true
	root.AddCommand(
		newRun(p), newPlan(p), newSimulate(p),
		newAnalyze(p), newReport(p), newCompare(p), newFit(p), newPredict(p), newAdvise(p),
		newInit(p), newDevices(p), newDoctor(p), newMount(p), newSchema(p), newClean(p),
		newVersion(p), newWorker(p), newJanitor(p), newClock(p),
	)
	complete(root)
	return root
}
