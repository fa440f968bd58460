package main

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/evidence"
	"github.com/hubbench/hubbench/internal/report/text"
	plans "github.com/hubbench/hubbench/pkg/scenario"
)

// What is generated is a scenario whose warm-up takes longer than the kernel's grant on the slowest disk, and whose disks
// are busy together for as long as the pattern says.
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
			if phase.Name != p.name() || p.alone == 0 != (phase.Limit > 0) {
				t.Errorf("phase %q of %s ends after %s", phase.Name, p.name(), phase.Limit)
			}
			for j, job := range phase.Jobs {
				rate := limit(p.letter(j)) / float64(strings.Count(p.letters, p.letter(j)))
				warm := time.Duration(float64(job.IO.Discard*fileSize) / p.share() * 1e9)
				if warm < warmUp {
					t.Errorf("%s: %s warms up for %s", p.name(), job.Disk, warm)
				}
				busy := phase.Limit
				if busy == 0 {
					busy = time.Duration(float64(job.Bytes()) / rate * 1e9)
				}
				if busy < warm+p.measured-time.Millisecond {
					t.Errorf("%s: %s is busy for %s, want %s", p.name(), job.Disk, busy, warm+p.measured)
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
	if single.ours = []float64{193e6}; !single.holds() || !strings.Contains(single.finding().Case, "one run") {
		t.Errorf("got %+v", single.finding())
	}
	var out strings.Builder
	if err := text.Write(&out, document([]*result{one, both}), 100); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	for _, want := range []string{"hubbench was off in 1 of 2 cases: RWW.", "fio too was far below the truth (WWW)", "holds", "is off"} {
		if !slices.ContainsFunc(lines, func(line string) bool { return strings.Contains(line, want) }) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}
