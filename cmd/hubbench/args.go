package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
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

// checkEvents refuses a large run's page, which carries no events, for what needs them.
func checkEvents(run *recorded.Run) error {
	if run.Trace == nil {
		return fmt.Errorf("%s carries its results but not its %s, which are too many for a page; "+
			"give the run folder", run.Path, rundir.EventsFile)
	}
	return nil
}

// inRun are the files of a run's folder beside its events.
func inRun() []string {
	return []string{rundir.ScenarioFile, rundir.InfoFile, rundir.AnalysisFile, rundir.LogFile}
}

func load(path string) (*recorded.Run, error) { return loadAs(recorded.Options{}, path) }

func loadAs(options recorded.Options, path string) (*recorded.Run, error) {
	if err := checkRun(path); err != nil {
		return nil, err
	}
	return options.Load(path)
}

// checkRun refuses a path that can only be something else than a run, and says what to give
// instead.
func checkRun(path string) error {
	stat, err := os.Stat(path)
	folder, base := filepath.Dir(path), filepath.Base(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		usual, _ := runsOf(path)
		return usagef("%s does not exist; give a run folder (%s) or an %s",
			path, usual, rundir.EventsFile)
	case errors.Is(err, fs.ErrPermission):
		return usagef("%w; give a run that you may read", err)
	case stat == nil || stat.IsDir():
		return nil // why it cannot be read is said by who opens it
	case slices.Contains(inRun(), base) && exists(filepath.Join(folder, rundir.InfoFile)):
		return usagef("%s is one file of a run; give the run's folder, %s", path, folder)
	case base == rundir.AnalysisFile:
		return usagef("%s holds the results of a run; give the run's folder, its %s or its %s",
			path, rundir.EventsFile, rundir.ReportFile)
	case isScenario(path):
		runs, _ := runsOf(path)
		return usagef("%s is a scenario; give the folder of one of its runs, %s", path, runs)
	}
	return nil
}

// checkResumable refuses a path that is not a run's folder, and says what to give instead.
func checkResumable(path string) error {
	stat, err := os.Stat(path)
	runs, try := runsOf(path)
	folder, what, instead := filepath.Dir(path), "is a file", ", "+runs
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return usagef("%s does not exist; --resume takes the folder of a run, %s", path, runs)
	case errors.Is(err, fs.ErrPermission):
		return usagef("%w; --resume takes a run that you may read", err)
	case stat == nil || stat.IsDir():
		return nil // why it cannot be read is said by who opens it
	case isScenario(path):
		what = "is a scenario"
		instead += "; hubbench run " + cells.Shell(path) + " begins a new one"
	case exists(filepath.Join(folder, rundir.InfoFile)):
		try = folder
	}
	if try != "" {
		instead = "; try --resume " + cells.Shell(try)
	}
	return usagef("%s %s, and --resume takes the folder of a run%s", path, what, instead)
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func isFolder(path string) bool {
	stat, err := os.Stat(path)
	return err == nil && stat.IsDir()
}

func isScenario(path string) bool {
	return slices.Contains([]string{".yaml", ".yml"}, strings.ToLower(filepath.Ext(path)))
}

// runsOf is where the runs of a scenario are, or usually are if the file does not say, and the
// last of them that was cut off, if there is one.
func runsOf(path string) (runs, unfinished string) {
	s, err := prepare.LoadScenario(path)
	if err != nil {
		return filepath.Join(prepare.DefaultResults, "NAME-DATE-TIME"), ""
	}
	results := prepare.ResultsOf(s)
	entries, _ := os.ReadDir(results) // by name, and so by time
	for _, entry := range slices.Backward(entries) {
		folder := filepath.Join(results, entry.Name())
		info, err := rundir.LoadInfo(folder)
		if err == nil && info != nil && info.Name == s.Name && info.Status != trace.Complete {
			unfinished = folder
			break
		}
	}
	return filepath.Join(results, s.Name+"-DATE-TIME"), unfinished
}
