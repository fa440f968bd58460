package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/pkg/trace"
)

// What becomes of a run whose output goes nowhere. It is measured, recorded and reported all the same, and who prints into
// nothing is told where.
func TestFaultsOfTheOutput(t *testing.T) {
	c := faults(t, "stdout and stderr closed, full, or cut off by a reader")
	for _, tc := range []struct {
		name, args, to string
		code           int
		says           string
	}{
		{"a reader that has read enough", "--quiet", "| head -1", exitOK, `^fault\n$`},
		{"a reader that is gone", "--json", "| true", exitOK, `(?m)^\[1/2\] `},
		{"stdout is closed", "--quiet", ">&-", exitOK, `^$`},
		{"stdout is full", "--quiet", ">/dev/full", exitFailed, `^hubbench: [^\n]*no space left on device; the results are in OUT\n$`},
		{"stderr is full", "", "2>/dev/full", exitOK, `report: `},
		{"stderr is closed", "", "2>&-", exitOK, `report: `},
		{"all are closed", "", "<&- >&- 2>&-", exitOK, `^$`},
	} {
		c.try(tc.name, func(t *testing.T) {
			t.Parallel()
			a, b := inMemory(t), inMemory(t)
			dir := t.TempDir()
			r := &faultRun{t: t, out: filepath.Join(dir, "out"), said: &said{}}
			scenario := filepath.Join(dir, "s.yaml")
			text := endless(a, b, "- {pattern: WW}\n- {pattern: RR}")
			if err := os.WriteFile(scenario, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			command := fmt.Sprintf(`hubbench run %s --yes --allow same_disk,busy,background --out %s %s %s; exit "${PIPESTATUS[0]}"`, scenario, r.out, tc.args, tc.to)
			r.beginCommand("bash", "-c", command)
			r.ends(tc.code, strings.ReplaceAll(tc.says, "OUT", r.out))
			r.before = readEvents(t, r.out)
			r.keeps()
			r.leaves(a, b)
			for _, file := range []string{rundir.AnalysisFile, rundir.ReportFile} {
				if info, err := os.Stat(filepath.Join(r.out, file)); err != nil || info.Size() == 0 {
					t.Errorf("%s: %v", file, err)
				}
			}
			if info, err := rundir.LoadInfo(r.out); err != nil || info.Status != trace.Complete {
				t.Errorf("run.json: %+v, %v", info, err)
			}
		})
	}
}
