// Command hubbench measures what SSDs on one hub do to each other. Each command is a constructor,
// an options struct, and a function that does the work over the packages in internal and pkg. Start
// at newRoot.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/unit"
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

func run(ctx context.Context, args []string, p program) int {
	root := newRoot(p)
	root.SetArgs(args)
	root.SetIn(p.stdin)
	root.SetOut(p.stdout)
	root.SetErr(p.stderr)
	began := false
	root.PersistentPreRunE = func(cmd *cobra.Command, args []string) error {
		began = true
		return checkOut(cmd, args)
	}
	err := root.ExecuteContext(ctx)
	if err != nil && !began {
		err = usage(err) // cobra refused the command line before any command ran
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
		{"Ask a model of the hub", []*cobra.Command{newFit(p), newPredict(p), newAdvise(p)}},
		{"This machine", []*cobra.Command{newDevices(p), newDoctor(p), newClean(p)}},
	} {
		root.AddGroup(&cobra.Group{ID: group.title, Title: group.title + ":"})
		for _, cmd := range group.commands {
			cmd.GroupID = group.title
		}
		root.AddCommand(group.commands...)
	}
	root.AddCommand(newSchema(p), newMan(), newVersion(p), newWorker(p), newJanitor(p), newClock(p))
	root.InitDefaultCompletionCmd()
	if c, _, err := root.Find([]string{"completion"}); err == nil {
		c.Short = "Set up your shell so that Tab completes"
		c.Long = `Print a script that lets Tab complete commands, flags, formats and files. The packages for Linux and
Homebrew install it; otherwise add the line of your shell to its start-up file:

    bash (~/.bashrc)                   source <(hubbench completion bash)
    zsh (~/.zshrc, after compinit)     source <(hubbench completion zsh)
    fish (~/.config/fish/config.fish)  hubbench completion fish | source
    PowerShell ($PROFILE)              hubbench completion powershell | Out-String | Invoke-Expression`
		c.Example = "  hubbench completion bash > ~/.local/share/bash-completion/completions/hubbench"
	}
	noteExitCodes(root)
	noteExitCodes(help)
	return root
}

func newVersion(p program) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  takes(0, 0),
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(p.stdout, versionLine())
			return err
		},
	}
}

// toolVersion is the version for run.json and the version command.
func toolVersion() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" &&
		info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "unversioned"
}

// versionLine is what version and --version print.
func versionLine() string {
	return fmt.Sprintf("hubbench %s %s/%s %s\n", toolVersion(), runtime.GOOS, runtime.GOARCH,
		runtime.Version())
}

const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitPartial     = 3
	exitThreshold   = 4
	exitInterrupted = 130
)

// exitCode is a code that a command can return, and what it means.
type exitCode struct {
	code     int
	commands []string // none: all
	meaning  string
}

func exitCodes() []exitCode {
	return []exitCode{
		{exitOK, nil, "ok"},
		{exitFailed, nil, "failed"},
		{exitUsage, nil, "bad usage or scenario"},
		{exitPartial, []string{"run"}, "partial run, results kept"},
		{exitPartial, []string{"check"}, "a limit cannot be judged"},
		{exitPartial, []string{"compare", "trend"}, "a fall can't be ruled out (--fail-above)"},
		{exitThreshold, []string{"run", "simulate"}, "a rate is too low (--fail-below)"},
		{exitThreshold, []string{"compare", "trend"}, "a rate fell (--fail-above)"},
		{exitThreshold, []string{"check"}, "a limit failed"},
		{exitThreshold, []string{"doctor"}, "a check failed"},
		{exitInterrupted, []string{"run"}, "interrupted, results kept"},
		{exitInterrupted, []string{"doctor"}, "interrupted"},
	}
}

// exitCodesOf returns the codes of a command, and those of all for hubbench itself.
func exitCodesOf(cmd *cobra.Command) (codes []exitCode) {
	for _, c := range exitCodes() {
		switch {
		case c.commands == nil || slices.Contains(c.commands, cmd.Name()):
		case cmd.Name() == "hubbench":
			c.meaning = unit.List(c.commands) + ": " + c.meaning
		default:
			continue
		}
		codes = append(codes, c)
	}
	return codes
}

// exitCodesKey is the annotation that the template of usages takes the codes from.
const exitCodesKey = "exit codes"

func noteExitCodes(cmd *cobra.Command) {
	var text strings.Builder
	text.WriteString("\nExit codes:\n")
	for _, c := range exitCodesOf(cmd) {
		fmt.Fprintf(&text, "  %-3d  %s\n", c.code, c.meaning)
	}
	cmd.Annotations = map[string]string{exitCodesKey: text.String()}
	for _, child := range cmd.Commands() {
		noteExitCodes(child)
	}
}

// exitError is an error that knows its exit code.
type exitError struct {
	code int
	err  error
}

func (e *exitError) Error() string { return e.err.Error() }

func (e *exitError) Unwrap() error { return e.err }

// usage marks an error as one that the user can fix: bad arguments, a bad scenario.
func usage(err error) error {
	if err == nil {
		return nil
	}
	return &exitError{code: exitUsage, err: err}
}

// usagef is fmt.Errorf for a mistake that the user can fix.
func usagef(format string, args ...any) error {
	return exitf(exitUsage, format, args...)
}

func exitf(code int, format string, args ...any) error {
	return &exitError{code, fmt.Errorf(format, args...)}
}

// maxMistakes is how many mistakes are printed at once.
const maxMistakes = 10

// printError prints an error, on a line for each of several mistakes, and returns the exit code.
func (p program) printError(err error) int {
	if err == nil {
		return exitOK
	}
	code, all := exitFailed, []error{err}
	if known, ok := errors.AsType[*exitError](err); ok {
		code = known.code
		// One that is nothing but a list: what is wrapped has words around it.
		if several, ok := known.err.(interface{ Unwrap() []error }); ok {
			all = several.Unwrap()
		}
	} else if errors.Is(err, context.Canceled) || errors.Is(err, errEarly) {
		code = exitInterrupted
	}
	for _, cause := range all[:min(len(all), maxMistakes)] {
		p.sayf("hubbench: %s\n", oneLine(cause.Error()))
	}
	if more := len(all) - maxMistakes; more > 0 {
		p.sayf("hubbench: and %d more\n", more)
	}
	return code
}

func oneLine(text string) string {
	lines := strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' })
	for i := range lines {
		lines[i] = strings.TrimSpace(lines[i])
	}
	return strings.Join(lines, " ")
}
