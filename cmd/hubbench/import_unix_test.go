//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/pkg/analysis"
)

// fio runs a script that starts it in this folder.
func fio(t *testing.T, script string) {
	t.Helper()
	if _, err := exec.LookPath("fio"); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatal(err)
		}
		t.Skip("needs fio")
	}
	if out, err := exec.Command("sh", "-c", script).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

// logged are the numbers in each line of a log of fio's.
func logged(t *testing.T, name string) (lines [][4]float64) {
	t.Helper()
	for line := range strings.Lines(string(read(t, name))) {
		var l [4]float64
		_, err := fmt.Sscanf(line, "%g, %g, %g, %g", &l[0], &l[1], &l[2], &l[3])
		must(t, err)
		lines = append(lines, l)
	}
	return lines
}

// What three jobs of fio of unlike start and length moved while all of them ran is worked out from
// their logs request by request, and is what the import of the same logs says.
func TestImportOfFio(t *testing.T) {
	t.Chdir(t.TempDir())
	fio(t, `log() {
	sleep $2
	fio --name=$1 --filename=$1 --rate=$3 --runtime=$4 --rw=write --bs=32k --size=64m \
		--time_based --ioengine=psync --write_bw_log=$1 --log_unix_epoch=1 \
		--output=$1.json --output-format=json
}
log a 0 20m 5 & log b 0.7 14m 4 & log c 1.5 9m 2 & wait`)
	logs := map[string][][4]float64{}
	from, to := 0.0, math.Inf(1)
	args := []string{"import", "--out", "run"}
	for _, name := range []string{"a", "b", "c"} {
		path := name + "_bw.1.log"
		log := logged(t, path)
		logs[name] = log
		from, to = max(from, log[0][0]), min(to, log[len(log)-1][0])
		args = append(args, path, name+".json")
	}
	hubbench(t, args...)
	o := readAnalysis(t, "run").Phases[0].Overlap
	if want := (to - from) / 1e3; o == nil || math.Abs(o.DurationS-want) > 0.01*want {
		t.Fatalf("overlap %+v, want %g s", o, want)
	}
	for name, log := range logs {
		moved := 0.0
		for _, request := range log {
			if request[0] > from && request[0] <= to {
				moved += request[3]
			}
		}
		if got, want := o.Disks[name].Rate, moved/(to-from)*1e3; math.Abs(got-want) > 0.01*want {
			t.Errorf("%s: %.0f B/s in the overlap, want %.0f", name, got, want)
		}
	}
}

// How long requests took is what fio itself says, within the width of its bins, be it from the log
// of each request or from its histograms. Those lack the time after the last whole second, be it as
// long as a busy machine makes it.
func TestImportOfFioTimes(t *testing.T) {
	t.Chdir(t.TempDir())
	fio(t, "fio --name=a --filename=a --rw=randwrite --bs=16k --size=32m --rate_iops=1200"+
		" --runtime=3500ms --time_based --ioengine=psync --write_bw_log=a --write_lat_log=a"+
		" --write_hist_log=a --log_hist_msec=1000 --log_unix_epoch=1 --output=a.json"+
		" --output-format=json+")
	var result struct {
		Jobs []struct {
			Write struct {
				IOs  int64 `json:"total_ios"`
				Clat struct {
					Percentile map[string]float64
				} `json:"clat_ns"`
			}
		}
	}
	must(t, json.Unmarshal(read(t, "a.json"), &result))
	want := result.Jobs[0].Write
	var times []float64 // of each request
	for _, request := range logged(t, "a_clat.1.log") {
		times = append(times, request[1])
	}
	inHists := int64(0)
	for line := range strings.Lines(string(read(t, "a_clat_hist.1.log"))) {
		for _, bin := range strings.Split(line, ",")[3:] {
			n, err := strconv.ParseInt(strings.TrimSpace(bin), 10, 64)
			must(t, err)
			inHists += n
		}
	}
	for _, logs := range [][]string{
		{"a_clat.1.log", "a_lat.1.log", "a_slat.1.log"}, {"a_clat_hist.1.log"},
	} {
		run := "run-" + logs[0]
		hubbench(t, append([]string{"import", "a_bw.1.log", "a.json", "--out", run}, logs...)...)
		l := readAnalysis(t, run).Phases[0].Disks["a"].Latency
		if l == nil || l.P50NS == nil || l.P99NS == nil {
			t.Fatalf("%s: %+v", run, l)
		}
		each := len(logs) > 1
		requests := inHists
		if each {
			requests = want.IOs
		}
		if l.Requests != requests || requests == 0 {
			t.Errorf("%s: %d requests of %d", run, l.Requests, requests)
		}
		sorted := slices.Sorted(slices.Values(times[:min(l.Requests, int64(len(times)))]))
		for q, got := range map[float64]*int64{0.5: l.P50NS, 0.99: l.P99NS} {
			// Other requests are missing, but no more than a hundredth of them lies between.
			n := float64(len(sorted))
			low, high := sorted[int((q-0.01)*n)], sorted[int(min(q+0.009, 0.999)*n)]
			if each {
				low = want.Clat.Percentile[fmt.Sprintf("%.6f", 100*q)]
				high = low
			}
			// A bin is 1/64 wide at most.
			if v := float64(*got); v < low*(1-1./64) || v > high*(1+1./64) {
				t.Errorf("%s, p%g: %g ns, want %g to %g", run, 100*q, v, low, high)
			}
		}
	}
}

func readAnalysis(t *testing.T, out string) *analysis.Analysis {
	t.Helper()
	data := read(t, filepath.Join(out, rundir.AnalysisFile))
	var a analysis.Analysis
	must(t, json.Unmarshal(data, &a))
	return &a
}
