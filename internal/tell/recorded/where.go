package recorded

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Exists reports whether there is anything at a path.
func Exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// IsFolder reports whether a path leads to a folder.
func IsFolder(path string) bool {
	stat, err := os.Stat(path)
	return err == nil && stat.IsDir()
}

// IsInRun reports whether a file lies in the folder of a run.
func IsInRun(path string) bool {
	return Exists(filepath.Join(filepath.Dir(path), rundir.InfoFile))
}

// besideEvents are the files of a run's folder that are neither its events nor its page.
func besideEvents() []string {
	return []string{rundir.ScenarioFile, rundir.InfoFile, rundir.AnalysisFile, rundir.LogFile}
}

// CheckOut refuses a file to write results to if it is one that a run's results are made from, by
// what the file is, whatever path leads to it.
func CheckOut(path string) error {
	resolved, err := filepath.EvalSymlinks(path)
	if err != nil { // A new file can't be opened, for example.
		resolved = path
	}
	protected := []string{rundir.EventsFile, rundir.PackedFile}
	if IsInRun(resolved) {
		protected = append(protected, besideEvents()...)
	}
	for _, name := range protected {
		isCalledSo := strings.EqualFold(filepath.Base(resolved), name)
		if isCalledSo || SameFile(path, filepath.Join(filepath.Dir(resolved), name)) {
			return exit.Usagef("--out %s is the %s of a run, which no result replaces; "+
				"give another name", path, name)
		}
	}
	return nil
}

// SameFile reports whether two paths lead to one regular file.
func SameFile(path, other string) bool {
	a, err := os.Stat(path)
	if err != nil || !a.Mode().IsRegular() {
		return false
	}
	b, err := os.Stat(other)
	return err == nil && os.SameFile(a, b)
}

// CheckDistinct refuses a run that is given twice: its noise would count as agreement.
func CheckDistinct(runs []*Run) error {
	for i, run := range runs {
		for _, other := range runs[:i] {
			// The id of a lone events file is made from its events, and equal ones may be from two
			// disks.
			hasID := run.Info != nil || other.Info != nil
			sameID := hasID && run.Analysis.Origin.Run == other.Analysis.Origin.Run
			if sameID || SameFile(run.Events, other.Events) {
				return exit.Usagef("%s and %s are the same run; give each run once", other.Path,
					run.Path)
			}
		}
	}
	return nil
}

// checkPath refuses a path that can only be something else than a run, and says what to give
// instead.
func checkPath(path string) error {
	stat, err := os.Stat(path)
	folder, base := filepath.Dir(path), filepath.Base(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		usual, _ := runsOf(path)
		return exit.Usagef("%s does not exist; give a run folder (%s) or an %s",
			path, usual, rundir.EventsFile)
	case errors.Is(err, fs.ErrPermission):
		return exit.Usagef("%w; give a run that you may read", err)
	case stat == nil || stat.IsDir():
		return nil // why it cannot be read is said by who opens it
	case slices.Contains(besideEvents(), base) && IsInRun(path):
		return exit.Usagef("%s is one file of a run; give the run's folder, %s", path, folder)
	case base == rundir.AnalysisFile:
		return exit.Usagef("%s holds the results of a run; give the run's folder, its %s or its %s",
			path, rundir.EventsFile, rundir.ReportFile)
	case prepare.IsScenario(path):
		runs, _ := runsOf(path)
		return exit.Usagef("%s is a scenario; give the folder of one of its runs, %s", path, runs)
	}
	return nil
}

// CheckResumable refuses a path that is not a run's folder, and says what to give instead.
func CheckResumable(path string) error {
	stat, err := os.Stat(path)
	runs, try := runsOf(path)
	what, instead := "is a file", ", "+runs
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return exit.Usagef("%s does not exist; --resume takes the folder of a run, %s", path, runs)
	case errors.Is(err, fs.ErrPermission):
		return exit.Usagef("%w; --resume takes a run that you may read", err)
	case stat == nil || stat.IsDir():
		return nil // why it cannot be read is said by who opens it
	case prepare.IsScenario(path):
		what = "is a scenario"
		instead += "; hubbench run " + cells.Shell(path) + " begins a new one"
	case IsInRun(path):
		try = filepath.Dir(path)
	}
	if try != "" {
		instead = "; try --resume " + cells.Shell(try)
	}
	return exit.Usagef("%s %s, and --resume takes the folder of a run%s", path, what, instead)
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
