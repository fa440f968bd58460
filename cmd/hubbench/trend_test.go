package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/trace"
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
		"Trend of WW on dock\nbench07 has been 7.", "% slower since 30 Mar 2026\n",
		"\nIn the same run: A's firmware 1.2 → 1.4. 1,200 runs of 20 hosts: 1 changed,\n" +
			"19 are steady.\n",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("%q is not in:\n%s", want, said)
		}
	}
	if n := strings.Count(said, "\n"); n > 15 {
		t.Errorf("%d lines:\n%s", n, said)
	}
	folder, err := os.Getwd()
	must(t, err)
	shown := ""
	for _, format := range []string{"md", "svg", "html"} {
		shown = hubbench(t, append(args, "--format", format)...)
		for _, private := range []string{"bench0", "bench1", folder, "S3CR3T"} {
			if strings.Contains(shown, private) || !strings.Contains(shown, "Host 8") {
				t.Errorf("as %s it shows %q, or not host 8", format, private)
			}
		}
	}
	if !strings.Contains(shown, "<h1>Host 8 has been 7.") ||
		!strings.Contains(shown, "s firmware 1.2 → 1.4. 1,200 runs") {
		t.Error("the page does not say that host 8 fell, with its firmware")
	}
	main := shown[strings.Index(shown, "<main>"):]
	if strings.Index(main, "Host 8") > strings.Index(main, "Host 1<") {
		t.Error("Host 8 does not come first in the page")
	}
	code, _, why := does(t, nil, append(args, "--fail-above", "5")...)
	if code != exit.Threshold || !strings.Contains(why, "fell by more than 5% on 1 of 20 hosts") {
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

// Runs that began in the same second are in one order, whatever shows them and wherever they lie.
func TestTrendOfOneSecond(t *testing.T) {
	paths := fleet(t, []int{7}, 16, 8)
	for _, path := range paths {
		text := string(read(t, path))
		_, after, _ := strings.Cut(text, `"started":"`)
		started, _, _ := strings.Cut(after, `"`)
		write(t, path, strings.ReplaceAll(text, started, "2026-03-01T08:00:00Z"))
	}
	levels := func(format string) []string {
		shown := hubbench(t, append([]string{"trend", "--format", format}, paths...)...)
		if format == "csv" { // which has the ends of an interval in two columns
			shown = regexp.MustCompile(`(?m)^(?:[^,]*,){4}(\d\.\d\d),(\d\.\d\d),.*$`).
				ReplaceAllString(shown, "$1 to $2")
		}
		all := regexp.MustCompile(`\d\.\d\d to \d\.\d\d`).FindAllString(shown, -1)
		if all == nil {
			t.Errorf("no level is in:\n%s", shown)
		}
		return slices.Compact(all)
	}
	want := levels("csv")
	check.Same(t, "levels for others", want, levels("md"))
	slices.Reverse(paths)
	check.Same(t, "levels, with the runs given the other way round", want, levels("csv"))
	folder, from := t.TempDir(), slices.Clone(paths)
	for i, path := range from {
		paths[i] = filepath.Join(folder, fmt.Sprint(i%2), filepath.Base(path))
		must(t, os.MkdirAll(filepath.Dir(paths[i]), 0o700))
		must(t, os.Rename(path, paths[i]))
	}
	check.Same(t, "levels, with the runs elsewhere", want, levels("csv"))
}
