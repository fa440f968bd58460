// Command hubbench measures what SSDs on one hub do to each other. Each command is a file
// with its flags and one call of what does the work, in the packages of internal and pkg. Start at
// newRoot.
package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/internal/tell/output"
	"github.com/hubbench/hubbench/pkg/hardware"
)

// program is what a command needs from outside, so that a test can replace it.
type program struct {
	output.Streams
	look func(context.Context) (*hardware.Inventory, error) // nil: device.Look
}

func run(ctx context.Context, args []string, p program) int {
	root := newRoot(p)
	root.SetArgs(args)
	root.SetIn(p.Stdin)
	root.SetOut(p.Stdout)
	root.SetErr(p.Stderr)
	began := false
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		began = true
		return checkOut(cmd, args)
	}
	err := root.ExecuteContext(ctx)
	if err != nil && !began {
		err = exit.Usage(err) // cobra refused the command line before any command ran
	}
	return p.printError(err)
}

func newRoot(p program) *cobra.Command {
	root := &cobra.Command{
		Use:   "hubbench",
		Short: "Measure what SSDs on one hub do to each other",
		Long: `hubbench runs several SSDs on one hub against each other, one process per disk, all started
at the same instant, and reports how fast each was with all of them busy, which disk crowds out
which, and how soon the slowed ones recover.`,
		Example: `  hubbench run /Volumes/A /Volumes/B  measure two disks, each alone and both together
  hubbench init --demo                write a scenario of simulated disks, to try it
  hubbench init                       write one for the disks that are plugged in
  hubbench plan hubbench.yaml         see what it would do
  hubbench run hubbench.yaml --open   do it, and open the report`,
		SilenceErrors: true,
		SilenceUsage:  true,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.Version = toolVersion() // so that there is a --version
	root.SetVersionTemplate(versionLine())
	root.SetFlagErrorFunc(flagError)
	help := newHelp(p)
	root.SetHelpCommand(help)
	root.SetUsageTemplate(root.UsageTemplate() + "{{if not .HasParent}}\n" + topicsHelp() +
		"{{end}}" +
		`{{index .Annotations "` + exitCodesKey + `"}}`)
	for _, group := range []struct {
		title    string
		commands []*cobra.Command
	}{
		{"Measure", []*cobra.Command{newInit(p), newPlan(p), newRun(p), newSimulate(p)}},
		{"Read a run", []*cobra.Command{newAnalyze(p), newReport(p), newCompare(p), newCheck(p),
			newImport(p)}},
		{"Many runs", []*cobra.Command{newTrend(p), newTable(p), newCollect(p)}},
		{"Ask a model of the hub", []*cobra.Command{newFit(p), newPredict(p)}},
		{"This machine", []*cobra.Command{newDevices(p), newDoctor(p), newClean(p)}},
	} {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title + ":"})
		for _, cmd := range group.commands {
			cmd.GroupID = group.title
		}
		root.AddCommand(group.commands...)
	}
	root.AddCommand(newSchema(p), newMan(), newVersion(p), newWorker(p), newJanitor(p), newClock(p))
	describeCompletion(root)
	noteExitCodes(root)
	noteExitCodes(help)
	return root
}

// lookAround finds out what is plugged in.
func (p program) lookAround(ctx context.Context) (*hardware.Inventory, error) {
	if p.look != nil {
		return p.look(ctx)
	}
	return device.Look(ctx, false)
}
