package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trend"
)

// fleet writes runs of some benches with docks of one model, of which bench 7 falls by 8 % at one
// run, with another firmware of its disk A.
func fleet(t *testing.T, benches []int, runs, at int) (paths []string) {
	t.Helper()
	t.Chdir(t.TempDir()) // A command line on Windows has no room for 1,200 full paths.
	r := rand.New(rand.NewPCG(20, 8))
	day := time.Date(2026, 3, 1, 9, 0, 0, 0, time.UTC)
	for _, bench := range benches {
		for run := range runs {
			rate, firmware := 1e9*(1+0.02*r.NormFloat64()), "1.2"
			if bench == 7 && run >= at {
				rate *= 0.92
				firmware = "1.4"
			}
			disk := hardware.Drive{Model: "T7", Firmware: firmware, Serial: "S3CR3T"}
			text := trace.AppendEvent(nil, &trace.Event{
				Type: trace.RunType, Version: 1, Name: "dock",
				Started: day.AddDate(0, 0, run).Format(time.RFC3339),
				Disks:   []trace.Disk{{Name: "A"}, {Name: "B"}},
				Hardware: &hardware.Setup{
					Host:  &hardware.Host{Name: fmt.Sprintf("bench%02d", bench)},
					Hub:   &hardware.Hub{Name: "dock"},
					Disks: map[string]hardware.Unit{"A": {Drive: disk}},
				},
			})
			for phase, disks := range map[string]string{"A alone": "A", "WW": "AB"} {
				for disk := range strings.SplitSeq(disks, "") {
					for seq := range 5 {
						fileNS := int64(1e9 / rate * 1e9)
						text = trace.AppendEvent(text, &trace.Event{
							Type: trace.FileType, Phase: phase, Disk: disk, Op: trace.Write,
							Seq: seq, Bytes: 1e9,
							StartNS: int64(seq) * fileNS, EndNS: int64(seq+1) * fileNS,
						})
					}
				}
			}
			text = trace.AppendEvent(text,
				&trace.Event{Type: trace.EndType, Status: trace.Complete})
			name := fmt.Sprintf("bench%02d-%02d.jsonl", bench, run)
			paths = append(paths, write(t, name, text))
		}
	}
	return paths
}

// Of 20 benches with 60 runs each, the one that falls by 8 % at run 30 comes first, and the 19
// steady ones show nothing. What people show to others names no host.
func TestTrendFindsTheBenchThatFell(t *testing.T) {
	var benches []int
	for bench := range 20 {
		benches = append(benches, bench)
	}
	paths := fleet(t, benches, 60, 29)
	args := append([]string{"trend"}, paths...)
	said := hubbench(t, args...)
	for _, want := range []string{
		"Trend of WW on dock\nbench07 has been 7.", " % slower since 30 Mar 2026\n",
		"  In the same run: A's firmware 1.2 → 1.4. 1,200 runs of 20 hosts: 1 changed,\n  19 are steady.\n",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in:\n%s", want, said)
		}
	}
	if n := strings.Count(said, "\n"); n > 15 {
		t.Errorf("%d lines:\n%s", n, said)
	}
	shown := hubbench(t, append(args, "--format", "html")...)
	folder, err := os.Getwd()
	must(t, err)
	for _, private := range []string{"bench0", "bench1", folder, "S3CR3T"} {
		if strings.Contains(shown, private) {
			t.Errorf("%q is in the page", private)
		}
	}
	if !strings.Contains(shown, "<h1>Host 8 has been 7.") ||
		!strings.Contains(shown, "s firmware 1.2 → 1.4</small>") {
		t.Error("the page does not say that host 8 fell, with its firmware")
	}
	main := shown[strings.Index(shown, "<main>"):]
	if strings.Index(main, "Host 8") > strings.Index(main, "Host 1<") {
		t.Error("Host 8 does not come first in the page")
	}
	code, _, why := does(t, nil, append(args, "--fail-above", "5")...)
	if code != exit.Threshold || !strings.Contains(why, "fell by more than 5 % on 1 of 20 hosts") {
		t.Errorf("--fail-above 5: exit code %d, %s", code, why)
	}
}

// A newest run that ended before its phase was measured does not pass a gate.
func TestTrendOfACutRun(t *testing.T) {
	paths := fleet(t, []int{1}, 7, 9)
	if code, _, why := does(t, nil, append([]string{"trend", "--fail-above", "5"},
		paths...)...); code != 0 {
		t.Errorf("all complete: exit code %d, %s", code, why)
	}
	newest := paths[len(paths)-1]
	var kept []string
	for line := range strings.Lines(string(read(t, newest))) {
		if !strings.Contains(line, `"phase":"WW"`) {
			kept = append(kept, strings.Replace(line, `"status":"complete"`, `"status":"partial"`, 1))
		}
	}
	write(t, newest, strings.Join(kept, ""))
	code, _, why := does(t, nil, append([]string{"trend", "--fail-above", "5"}, paths...)...)
	if code != exit.Threshold || !strings.Contains(why, "the newest run of 1 host ended before") {
		t.Errorf("the newest cut: exit code %d, %s", code, why)
	}
}

// A catalogue says what its runs do, whatever folders its files are in, and if a run stands in two.
func TestTrendOfACatalogue(t *testing.T) {
	paths := fleet(t, []int{3, 7}, 12, 6)
	dir := filepath.Join(t.TempDir(), "catalogue")
	hubbench(t, append([]string{"collect", "--into", dir}, paths...)...)
	month := filepath.Join(dir, "disk", "month=2026-12")
	must(t, os.MkdirAll(month, 0o755))
	files, err := filepath.Glob(filepath.Join(dir, "disk", "month=*", "*.parquet"))
	must(t, err)
	if len(files) != len(paths) {
		t.Fatalf("%d files of %d runs", len(files), len(paths))
	}
	for i, file := range files {
		if i%2 == 0 {
			text, err := os.ReadFile(file)
			must(t, err)
			write(t, filepath.Join(month, fmt.Sprintf("compact-%d.parquet", i)), text)
		}
		if i%4 == 0 {
			must(t, os.Remove(file))
		}
	}
	levels := func(args ...string) (list []trend.HostSeries) {
		must(t,
			json.Unmarshal([]byte(hubbench(t,
				append(append([]string{"trend"}, args...), "--json")...)), &list))
		for i := range list {
			for k := range list[i].Stretches {
				list[i].Stretches[k].First = "" // a path, or an id
			}
		}
		return list
	}
	want := levels(paths...)
	if len(want) != 2 || len(want[0].Stretches) != 1 || len(want[1].Stretches) != 2 {
		t.Errorf("of the runs: %+v", want)
	}
	check.Same(t, "what a catalogue says", want, levels(dir))
	check.Same(t, "what both say", want, levels(append(paths, dir)...))
	folder, err := os.Getwd()
	must(t, err)
	for _, format := range []string{"md", "svg"} {
		for _, args := range [][]string{{dir}, paths} {
			shown := hubbench(t, append(append([]string{"trend"}, args...), "--format", format)...)
			for _, private := range []string{"bench0", filepath.Dir(dir), folder, "S3CR3T"} {
				if strings.Contains(shown, private) {
					t.Errorf("%q is in the trend as %s", private, format)
				}
			}
			if !strings.Contains(shown, "Host 2") {
				t.Errorf("no host 2 in the trend as %s", format)
			}
		}
	}
}
