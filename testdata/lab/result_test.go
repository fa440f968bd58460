package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/tell/report/text"
	"github.com/hubbench/hubbench/internal/test/evidence"
	plans "github.com/hubbench/hubbench/pkg/scenario"
)

// What is generated is a scenario whose warm-up takes longer than the kernel's grant on one disk at least,
// whose disks are busy together for seconds after that, and whose phases read what is there already.
func TestScenarioOfPatterns(t *testing.T) {
	for _, short := range []bool{false, true} {
		all := patterns(short)
		s, err := plans.Load("lab.yaml", []byte(scenario(all, []string{"/a", "/b", "/c"})))
		if err != nil {
			t.Fatal(err)
		}
		plan, err := s.Plan()
		if err != nil {
			t.Fatal(err)
		}
		for i, p := range all {
			phase := plan.Phases[i]
			var warm, first, last float64
			for j, job := range phase.Jobs {
				var bytes int64
				for _, size := range job.Sizes[:job.IO.Discard] {
					bytes += size
				}
				ends := float64(job.Bytes()) / p.share(j)
				warm, last = max(warm, float64(bytes)/p.share(j)), max(last, ends)
				if first == 0 || ends < first {
					first = ends
				}
			}
			t.Logf("%s: together from %.2f to %.2f s, the last ends after %.2f s or sooner", p.name(), warm, first, last)
			want := 3.5
			switch {
			case short:
				want = 2
			case limit(p.letters) <= writeLimit:
				want = 7.5
			}
			if phase.Name != p.name() || warm < 1.05*warmUp.Seconds() || first-warm < want || last-first < 0.2 {
				t.Errorf("%s: %q, want a warm-up of a second and %g s together, and the disks to end one by one", p.name(), phase.Name, want)
			}
		}
		for _, disk := range plan.Disks {
			for j, stock := range plan.Stock(disk.Name) {
				t.Logf("disk %s, %s: %d MB, of which %d MB are written before", disk.Name, all[j].name(), stock.Space/1e6, stock.Before/1e6)
				if all[j].letters == "WRR" && stock.Before > 0 {
					t.Errorf("disk %s writes %d bytes before WRR: they were there", disk.Name, stock.Before)
				}
			}
		}
	}
}

func TestResult(t *testing.T) {
	one := newResult("WWW", "WWW", true, false)
	one.ours, one.theirs = []float64{119e6, 130e6, 118.9e6, 118.7e6, 110e6}, []float64{100e6}
	both := newResult("RWW", "RWW", true, false)
	both.ours = []float64{195e6, 195.9e6, 195e6, 195e6, 210e6}
	f := one.finding()
	want := evidence.Finding{
		Claim: "lab-limit", Case: "WWW, three partitions of one device, median of 5", Unit: "B/s", Truth: writeLimit, Measured: 118.9e6,
		Low: 110e6, High: 130e6, Limit: "within 1 % of the limit", Pass: true,
	}
	if f != want {
		t.Errorf("got %+v", f)
	}
	if f := both.finding(); f.Pass || f.Truth != readLimit+writeLimit || f.Limit != "within 2 % of the two limits' sum" {
		t.Errorf("got %+v", f)
	}
	single := newResult("WRR", "WRR", true, true)
	if single.ours = []float64{191e6}; !single.holds() || !strings.Contains(single.finding().Case, "one run") {
		t.Errorf("got %+v", single.finding())
	}
	var out strings.Builder
	if err := text.Write(&out, document([]*result{one, both}), text.Options{Width: 100}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	for _, want := range []string{"hubbench was off in 1 of 2 cases: RWW.", "fio too was far below the truth (WWW)", "holds", "is off"} {
		if !slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, want) }) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
