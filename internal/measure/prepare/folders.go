package prepare

import (
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/measure/rundir"
)

// IsScenario reports whether a path is called as a scenario is.
func IsScenario(path string) bool {
	ending := strings.ToLower(filepath.Ext(path))
	return ending == ".yaml" || ending == ".yml"
}

// AreFolders reports whether the arguments of run are folders on disks, and not a scenario.
func AreFolders(args []string) (bool, error) {
	for _, arg := range args {
		stat, err := os.Stat(arg)
		isFile := err == nil && !stat.IsDir()
		_, err = os.Stat(filepath.Join(arg, rundir.ScenarioFile))
		isRun := err == nil
		if !isFile && !IsScenario(arg) && !isRun {
			continue
		}
		if len(args) > 1 {
			return false, exit.Usagef("%s is a scenario; run takes one scenario alone, "+
				"or one or more folders on disks", arg)
		}
		return false, nil
	}
	return true, nil
}

// Folders returns the arguments as absolute paths, each once.
func Folders(args []string) ([]string, error) {
	var paths []string
	for _, arg := range args {
		path, err := filepath.Abs(arg)
		if err != nil {
			return nil, err
		}
		stat, err := os.Stat(path)
		switch {
		case err != nil:
			return nil, exit.Usagef("%s does not exist; give a folder on the disk", arg)
		case !stat.IsDir():
			return nil, exit.Usagef("%s is a file; give a folder on the disk", arg)
		case !slices.Contains(paths, path):
			paths = append(paths, path)
		}
	}
	return paths, nil
}
