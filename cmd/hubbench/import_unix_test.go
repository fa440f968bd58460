//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/pkg/analysis"
)

// What three jobs of fio of unlike start and length moved while all of them ran is worked out from
// their logs request by request, and is what the import of the same logs says.
func TestImportOfFio(t *testing.T) {
	needsFio(t)
	dir := t.TempDir()
	var wait []*exec.Cmd
	for i, job := range []struct{ delay, rate, runtime string }{{"0", "20m", "5"},
		{"0.7", "14m", "4"}, {"1.5", "9m", "2"}} {
		name := string(rune('a' + i))
		script := fmt.Sprintf("sleep %s; exec fio --name=%s --filename=%s --rw=write --bs=32k --size=64m --rate=%s --runtime=%s "+
			"--time_based --ioengine=psync --write_bw_log=%s --log_unix_epoch=1 --output=%s.json --output-format=json",
			job.delay, name, filepath.Join(dir, name), job.rate, job.runtime, name, name)
		cmd := exec.Command("sh", "-c", script)
		cmd.Dir = dir
		must(t, cmd.Start())
		wait = append(wait, cmd)
	}
	for _, cmd := range wait {
		must(t, cmd.Wait())
	}
	type request struct{ ms, bytes int64 }
	logs := map[string][]request{}
	from, to := int64(0), int64(math.MaxInt64)
	args := []string{"import", "--out", filepath.Join(dir, "run")}
	for _, name := range []string{"a", "b", "c"} {
		path := filepath.Join(dir, name+"_bw.1.log")
		text, err := os.ReadFile(path)
		must(t, err)
		for line := range strings.Lines(string(text)) {
			var r request
			var rate, op int64
			if _, err := fmt.Sscanf(line, "%d, %d, %d, %d", &r.ms, &rate, &op,
				&r.bytes); err != nil {
				t.Fatal(err)
			}
			logs[name] = append(logs[name], r)
		}
		from, to = max(from, logs[name][0].ms), min(to, logs[name][len(logs[name])-1].ms)
		args = append(args, path, filepath.Join(dir, name+".json"))
	}
	hubbench(t, args...)
	text, err := os.ReadFile(filepath.Join(dir, "run", "analysis.json"))
	must(t, err)
	var a analysis.Analysis
	must(t, json.Unmarshal(text, &a))
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
		if got, want := o.Disks[name].Rate,
			float64(moved)/float64(to-from)*1e3; math.Abs(got-want) > 0.01*want {
			t.Errorf("%s: %.0f B/s in the overlap, want %.0f", name, got, want)
		}
	}
}

func needsFio(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("fio"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("needs fio")
	}
}

// How long requests took is what fio itself says, within the width of its bins, be it from the log
// of each request or from its histograms. Those lack the time after the last whole second.
func TestImportOfFioTimes(t *testing.T) {
	needsFio(t)
	dir := t.TempDir()
	cmd := exec.Command("fio", "--name=a", "--filename=a", "--rw=randwrite", "--bs=16k",
		"--size=32m", "--rate_iops=1200", "--runtime=3500ms",
		"--time_based", "--ioengine=psync", "--write_bw_log=a", "--write_lat_log=a",
		"--write_hist_log=a", "--log_hist_msec=1000",
		"--log_unix_epoch=1", "--output=a.json", "--output-format=json+")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Chdir(dir)
	read := func(name string, into any) {
		text, err := os.ReadFile(name)
		if err == nil {
			err = json.Unmarshal(text, into)
		}
		must(t, err)
	}
	var fio struct {
		Jobs []struct {
			Write struct {
				IOs  int64 `json:"total_ios"`
				Clat struct {
					Percentile map[string]float64
				} `json:"clat_ns"`
			}
		}
	}
	read("a.json", &fio)
	write := fio.Jobs[0].Write
	var times []float64 // by hand, of each request
	text, err := os.ReadFile("a_clat.1.log")
	must(t, err)
	for line := range strings.Lines(string(text)) {
		var ms, ns float64
		if _, err := fmt.Sscanf(line, "%g, %g", &ms, &ns); err != nil {
			t.Fatal(err)
		}
		times = append(times, ns)
	}
	for _, logs := range [][]string{{"a_clat.1.log", "a_lat.1.log", "a_slat.1.log"},
		{"a_clat_hist.1.log"}} {
		run := "run-" + logs[0]
		hubbench(t, append([]string{"import", "a_bw.1.log", "a.json", "--out", run}, logs...)...)
		var a analysis.Analysis
		read(filepath.Join(run, "analysis.json"), &a)
		l := a.Phases[0].Disks["a"].Latency
		if l == nil || l.P50NS == nil || l.P99NS == nil {
			t.Fatalf("%s: %+v", run, l)
		}
		each := len(logs) > 1
		if each && l.Requests != write.IOs || l.Requests < write.IOs*7/10 ||
			l.Requests > write.IOs {
			t.Errorf("%s: %d requests of %d", run, l.Requests, write.IOs)
		}
		times := slices.Sorted(slices.Values(times[:min(l.Requests, int64(len(times)))]))
		for q, got := range map[float64]*int64{0.5: l.P50NS, 0.99: l.P99NS} {
			// A bin is 1/64 wide at most. Of other requests, no more than a hundredth of them lies
			// between.
			low, high := times[int(max(0, q-0.01)*float64(len(times)))],
				times[int(min(q+0.009, 0.999)*float64(len(times)))]
			if want := write.Clat.Percentile[fmt.Sprintf("%.6f", 100*q)]; each {
				low, high = want, want
			}
			if v := float64(*got); v < low*(1-1./64) || v > high*(1+1./64) {
				t.Errorf("%s, p%g: %g ns, want %g to %g", run, 100*q, v, low, high)
			}
		}
	}
}

// What iostat said of two disks is a run of both.
func TestImportOfDevices(t *testing.T) {
	t.Chdir(t.TempDir())
	const text = `Linux 6.1.0 (bench) 	11/24/26 	_x86_64_	(2 CPU)

Device            r/s     rkB/s     w/s     wkB/s  %util
sda              1.00      1.00    1.00      1.00   1.00
sdb              1.00      1.00    1.00      1.00   1.00

Device            r/s     rkB/s     w/s     wkB/s  %util
sda             10.00 100000.00    0.00      0.00  99.00
sdb              0.00      0.00   10.00  50000.00  99.00
`
	must(t, os.WriteFile("iostat.txt", []byte(text), 0o644))
	out := hubbench(t, "import", "iostat.txt", "--interval", "4s", "--disk", "T7=sda,X9=sdb",
		"--out", "run")
	for _, want := range []string{`T7 reads and X9 writes`, `T7\s+102 `, `X9\s+51\.2 `} {
		if !regexp.MustCompile(want).MatchString(out) {
			t.Errorf("no %s in %s", want, out)
		}
	}
}
