package foreign

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
)

// histogram is a line of fio's histogram log.
func histogram(ms, op int, requests map[int]int) string {
	var out strings.Builder
	fmt.Fprintf(&out, "%d, %d, 4096", ms, op)
	for bin := range fioAllBins {
		fmt.Fprintf(&out, ", %d", requests[bin])
	}
	return out.String() + "\n"
}

// The times of 5000 requests, of which every 50th takes 5 ms and the others 1 ms, are those of the
// run, request by request or from a histogram, and whether the clock is the wall's or the job's.
func TestFioTimes(t *testing.T) {
	const slow, fast = 5_000_000, 1_000_000
	for _, zero := range []int{0, epoch} {
		var bw, clat, lat, hist strings.Builder
		for i := range 5000 {
			ms, ns := zero+i+1, fast
			if i%50 == 0 {
				ns = slow
			}
			fmt.Fprintf(&bw, "%d, 4096, 0, 4096, 0, 0\n", ms)
			fmt.Fprintf(&clat, "%d, %d, 0, 4096, 0, 0\n", ms, ns)
			fmt.Fprintf(&lat, "%d, %d, 0, 4096, 0, 0\n", ms, 2*ns)
		}
		for s := range 5 {
			// 958 to 967 us, 4.98 to 5.01 ms.
			hist.WriteString(histogram(zero+1000*(s+1), 0,
				map[int]int{14*64 - 8: 980, 16*64 + 12: 20}))
		}
		files := map[string]InputFile{
			"bw":   {"a_bw.1.log", []byte(bw.String())},
			"clat": {"a_clat.1.log", []byte(clat.String())},
			"lat":  {"a_lat.1.log", []byte(lat.String())},
			"hist": {"a_clat_hist.1.log", []byte(hist.String())}, "slat": {"a_slat.1.log", nil},
		}
		for _, tt := range []struct {
			logs     string
			p50, p99 int64
			note     string
		}{
			{"bw clat", fast, slow, ""},
			{"lat hist slat clat bw", fast, slow, "a_clat_hist.1.log, a_lat.1.log: left out"},
			{"bw lat", 2 * fast, 2 * slow, ""},
			{"bw hist", binNS(14*64-8, fioAllBins), binNS(16*64+12, fioAllBins), ""},
			{"bw lat hist", binNS(14*64-8, fioAllBins), binNS(16*64+12, fioAllBins),
				"a_lat.1.log: left out"},
		} {
			var list []InputFile
			for log := range strings.FieldsSeq(tt.logs) {
				list = append(list, files[log])
			}
			got, run := imported(t, tt.logs, list, Options{})
			l := analysis.Analyze(run, analysis.Options{}).Phases[0].Disks["a"].Latency
			if l == nil || l.Requests < 4000 || l.P50NS == nil || l.P99NS == nil ||
				off(*l.P50NS, tt.p50) > 0.001 || off(*l.P99NS, tt.p99) > 0.001 {
				t.Errorf("%s: %+v, want %d and %d", tt.logs, l, tt.p50, tt.p99)
			}
			// The first one: nothing to check the bytes against.
			notes := strings.Join(got.Notes[1:], "\n")
			if !strings.Contains(notes, tt.note) || (notes == "") != (tt.note == "") {
				t.Errorf("%s: %q, want %q", tt.logs, notes, tt.note)
			}
		}
	}
}

// fio that asked for nothing for 0.7 s, and then for 2 s, still has the times of all its requests.
func TestFioTimesOfPauses(t *testing.T) {
	var bw, clat strings.Builder
	for i := range 4000 {
		ms := i + 1
		if i >= 1500 {
			ms += 700
		}
		if i >= 2500 {
			ms += 2000
		}
		fmt.Fprintf(&bw, "%d, 4096, 0, 4096, 0, 0\n", ms)
		fmt.Fprintf(&clat, "%d, %d, 0, 4096, 0, 0\n", ms, 1000*(i+1))
	}
	_, run := imported(t, "pauses", []InputFile{
		{"a_bw.1.log", []byte(bw.String())}, {"a_clat.1.log", []byte(clat.String())},
	}, Options{})
	l := analysis.Analyze(run, analysis.Options{}).Phases[0].Disks["a"].Latency
	if l == nil || l.Requests != 4000 || l.P50NS == nil || off(*l.P50NS, 2_000_000) > 0.001 {
		t.Errorf("%+v, want 4000 requests and 2 ms", l)
	}
}

// off is how far a is from b, as a share.
func off(a, b int64) float64 { return max(float64(a)/float64(b), float64(b)/float64(a)) - 1 }

// What has no distribution makes none, and that is said once.
func TestFioTimesLeftOut(t *testing.T) {
	mean := func(name string) InputFile {
		return InputFile{name, []byte("500, 800000, 1, 0, 0\n1000, 900000, 1, 0, 0\n")}
	}
	for _, tt := range []struct {
		name  string
		files []InputFile
		want  string
	}{
		{"means", []InputFile{mean("a_clat.1.log"), mean("a_lat.1.log")},
			"a_clat.1.log, a_lat.1.log: left out; means over time"},
		{"another job's", []InputFile{mean("b_clat.1.log")}, "b_clat.1.log: left out"},
		{"of which fio", []InputFile{{"a_clat.1.log", []byte("500, 800000, 1, 4096\n")}},
			"nothing says that it is of fio 3, in ns"},
	} {
		files := append(tt.files, InputFile{"a_bw.1.log", []byte(averaged(0, 0, 1000, 10, 1, nil))})
		got, err := Import(files, Options{})
		if err != nil || strings.Count(strings.Join(got.Notes, "\n"), tt.want) != 1 || bytes.Contains(got.Events, []byte(`"latency"`)) {
			t.Errorf("%s: %v, %+v, want %q", tt.name, err, got, tt.want)
		}
	}
	for _, tt := range []struct{ name, text, want string }{
		{"a_clat_hist.1.log", "1000, 0, 4096, 1, 2, 3\n", `line 1: "1000, 0, 4096, 1, 2, 3" is no line of fio's log of clat_hist`},
		{"a_clat.1.log", histogram(1000, 1, nil), "is no line of fio's log of clat"},
		{"a_clat_hist.1.log", histogram(1000, 0, nil) + "2000, 0, 40", "line 2:"},
	} {
		_, err := Import([]InputFile{{tt.name, []byte(tt.text)}}, Options{Format: "fio-log"})
		check.Refused(t, tt.name, err, tt.want)
	}
}

// Bins follow one another without a gap, each is as wide as fio says, and coarse ones hold the fine
// ones that they are made of.
func TestBins(t *testing.T) {
	for _, tt := range []struct {
		bin, of int
		want    int64
	}{
		{0, fioAllBins, 0}, {127, fioAllBins, 127}, {128, fioAllBins, 129}, {191, fioAllBins, 255},
		{192, fioAllBins, 258},
		{fioAllBins - 1, fioAllBins, 127<<27 + 1<<26}, {0, fioAllBins / 4, 2},
		{48, fioAllBins / 4, 264}, {28, 29, 96 << 27},
	} {
		check.Same(t, fmt.Sprintf("bin %d of %d", tt.bin, tt.of), tt.want, binNS(tt.bin, tt.of))
	}
}
