package recorded

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/test/check"
)

// Whatever else a person names in place of a run, they are told what to give instead.
func TestWhatIsNoRun(t *testing.T) {
	t.Chdir(t.TempDir())
	const scenario = "version: 1\nname: x\nresults: into\nphases: [{pattern: W}]\n" +
		"disks: [{name: A, path: /a}]\n"
	for path, text := range map[string]string{
		"x.yaml": scenario, "into/x-1/" + rundir.InfoFile: `{"name":"x","status":"partial"}`,
		"into/x-2/" + rundir.InfoFile: `{"name":"x","status":"complete"}`,
		rundir.AnalysisFile:           "{}",
	} {
		check.Must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		check.Must(t, os.WriteFile(path, []byte(text), 0o600))
	}
	info := filepath.Join("into", "x-1", rundir.InfoFile)
	for path, want := range map[string][2]string{
		"absent": {
			"absent does not exist; give a run folder (results/NAME-DATE-TIME) or an events.jsonl",
			"absent does not exist; --resume takes the folder of a run, results/NAME-DATE-TIME",
		},
		"x.yaml": {
			"x.yaml is a scenario; give the folder of one of its runs, into/x-DATE-TIME",
			"x.yaml is a scenario, and --resume takes the folder of a run; try --resume into/x-1",
		},
		info: {
			info + " is one file of a run; give the run's folder, into/x-1",
			info + " is a file, and --resume takes the folder of a run; try --resume into/x-1",
		},
		rundir.AnalysisFile: {
			rundir.AnalysisFile + " holds the results of a run; give the run's folder, its " +
				"events.jsonl or its report.html",
			rundir.AnalysisFile + " is a file, and --resume takes the folder of a run, " +
				"results/NAME-DATE-TIME",
		},
	} {
		for i, err := range []error{checkPath(path), CheckResumable(path)} {
			if code, _ := exit.Mistakes(err); code != exit.Misuse ||
				filepath.ToSlash(err.Error()) != filepath.ToSlash(want[i]) {
				t.Errorf("%s: %v, want %s", path, err, want[i])
			}
		}
	}
	for path, kept := range map[string]bool{
		"new.csv": false, "x.yaml": false, "EVENTS.jsonl": true, info: true,
		"into/x-1/report.html": false, "into/x-1/" + rundir.ScenarioFile: true,
	} {
		if err := CheckOut(path); (err != nil) != kept {
			t.Errorf("--out %s: %v", path, err)
		}
	}
}
