//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/pkg/analysis"
)

// What three jobs of fio of unlike start and length moved while all of them ran is worked out from their logs request by
// request, and is what the import of the same logs says.
func TestImportOfFio(t *testing.T) {
	if _, err := exec.LookPath("fio"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("needs fio")
	}
	dir := t.TempDir()
	var wait []*exec.Cmd
	for i, job := range []struct{ delay, rate, runtime string }{{"0", "20m", "5"}, {"0.7", "14m", "4"}, {"1.5", "9m", "2"}} {
		name := string(rune('a' + i))
		script := fmt.Sprintf("sleep %s; exec fio --name=%s --filename=%s --rw=write --bs=32k --size=64m --rate=%s --runtime=%s "+
			"--time_based --ioengine=psync --write_bw_log=%s --log_unix_epoch=1 --output=%s.json --output-format=json",
			job.delay, name, filepath.Join(dir, name), job.rate, job.runtime, name, name)
		cmd := exec.Command("sh", "-c", script)
		cmd.Dir = dir
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		wait = append(wait, cmd)
	}
	for _, cmd := range wait {
		if err := cmd.Wait(); err != nil {
			t.Fatal(err)
		}
	}
	type request struct{ ms, bytes int64 }
	logs := map[string][]request{}
	from, to := int64(0), int64(math.MaxInt64)
	args := []string{"import", "--out", filepath.Join(dir, "run")}
	for _, name := range []string{"a", "b", "c"} {
		path := filepath.Join(dir, name+"_bw.1.log")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			var r request
			var rate, op int64
			if _, err := fmt.Sscanf(line, "%d, %d, %d, %d", &r.ms, &rate, &op, &r.bytes); err != nil {
				t.Fatal(err)
			}
			logs[name] = append(logs[name], r)
		}
		from, to = max(from, logs[name][0].ms), min(to, logs[name][len(logs[name])-1].ms)
		args = append(args, path, filepath.Join(dir, name+".json"))
	}
	hubbench(t, args...)
	text, err := os.ReadFile(filepath.Join(dir, "run", "analysis.json"))
	if err != nil {
		t.Fatal(err)
	}
	var a analysis.Analysis
	if err := json.Unmarshal(text, &a); err != nil {
		t.Fatal(err)
	}
	o := a.Phases[0].Overlap
	if want := float64(to-from) / 1e3; o == nil || math.Abs(o.DurationS-want) > 0.01*want {
		t.Fatalf("overlap %+v, want %g s", o, want)
	}
	for name, log := range logs {
		var moved int64
		for _, r := range log {
			if r.ms > from && r.ms <= to {
				moved += r.bytes
			}
		}
		if got, want := o.Disks[name].Rate, float64(moved)/float64(to-from)*1e3; math.Abs(got-want) > 0.01*want {
			t.Errorf("%s: %.0f B/s in the overlap, want %.0f", name, got, want)
		}
	}
}

// A summary alone is printed as a table, and no run is written.
func TestImportOfScores(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	const text = "CrystalDiskMark 8.0.4 x64\n[Read]\n  SEQ    1MiB (Q=  8, T= 1):   560.000 MB/s [    534.1 IOPS] < 14950.00 us>\n"
	if err := os.WriteFile("crystal.txt", []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	if out := hubbench(t, "import", "crystal.txt", "--disk", "T7=crystal.txt", "--format", "csv"); !strings.Contains(out, `T7,"SEQ 1MiB (Q=8, T=1)",read,560,534.1,14.95 ms`) {
		t.Error(out)
	}
	for _, format := range []string{"text", "md", "html", "json"} {
		if out := hubbench(t, "import", "crystal.txt", "--format", format); !strings.Contains(out, "SEQ 1MiB (Q=8, T=1)") {
			t.Errorf("%s: %s", format, out)
		}
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 1 {
		t.Errorf("%v, %v", files, err)
	}
}
