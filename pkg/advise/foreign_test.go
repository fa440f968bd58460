package advise

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/pkg/fit/fittest"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// tally counts answers whose truth is known.
type tally struct{ all, wrong, unsure, outside int }

// ask asks of a world, known by a fit of its solos and pairs alone, whether streams of one disk survive while two others
// move files, which need 0.6 to 1.6 times what is left for them.
func (y *tally) ask(t *testing.T, w fittest.World, rng *rand.Rand, name string) {
	t.Helper()
	known := fitted(t, w.Measured(rng, 2))
	for range 3 {
		var mix []hub.Observed
		for _, disk := range w.Disks {
			mix = append(mix, hub.Observed{Disk: disk, Op: []trace.Role{trace.Read, trace.Write}[rng.IntN(2)]})
		}
		margin := math.Exp(between(rng, math.Log(0.6), math.Log(1.6)))
		q := Question{For: 20 * time.Second, Seed: 1}
		for i, use := range mix {
			part := Part{Disk: use.Disk, Op: use.Op}
			if i == 0 {
				part.Streams = []stream.Spec{{
					Kind: "x", Rate: w.Rates(mix)[0] / margin, Frame: 40 * time.Millisecond, Count: 1, Buffer: time.Second, Record: use.Op == trace.Write,
				}}
			}
			q.Parts = append(q.Parts, part)
		}
		got, err := Ask(known, q)
		if err != nil {
			t.Fatal(err)
		}
		y.all++
		switch {
		case got.Verdict == Unsure:
			y.unsure++
		case got.Verdict == Yes && margin < 0.99 || got.Verdict == No && margin > 1.03: // a buffer bridges a little
			y.wrong++
			t.Logf("%s: %s with a margin of %.3f (%.3f to %.3f), the truth is %.3f", name, got.Verdict, got.Margin, got.MarginLow, got.MarginHigh, margin)
		}
		if decided := got.Verdict != Unsure; decided && (margin < got.MarginLow*0.97 || margin > got.MarginHigh*1.03) {
			y.outside++
		}
	}
}

// Of hubs that share like none that is fitted, a yes or a no is wrong in one case of twenty at most, as of the fit's own, and
// if there is one, the true margin lies in its interval.
func TestAnswersOfForeignHubs(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits")
	}
	var sum tally
	kinds := fittest.Foreign()
	for i := range *hubs {
		k := kinds[i%len(kinds)]
		rng := rand.New(rand.NewPCG(uint64(i), 5))
		sum.ask(t, k.Make(rng), rng, k.Name)
	}
	t.Logf("of %d answers %d were wrong, %d unsure, and %d margins were outside their intervals", sum.all, sum.wrong, sum.unsure, sum.outside)
	evidence.Report(t, evidence.AtMost("advise", "wrong answers of random hubs that share like none that is fitted", sum.wrong, sum.all, max(1, sum.all/20)))
	evidence.Report(t, evidence.AtMost("advise", "margins of these outside their intervals", sum.outside, sum.all, max(1, sum.all/10)))
}

// If the runs contradict every way of sharing, nothing is answered or advised by a combination that was not measured,
// however large its margin; what was measured is.
func TestAnswerOfWhatNoModelExplains(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 12))
	e := measured(randomHub(rng), rng)
	for i := range e.Rates {
		for j := range e.Rates[i].Disks {
			e.Rates[i].Disks[j].Error /= 10
		}
	}
	p := fitted(t, e)
	q := Question{Parts: []Part{playing("A", 0.01*gb), {Disk: "B", Op: "read"}, {Disk: "C", Op: "write"}}, For: 20 * time.Second, Seed: 1}
	a, err := Ask(p, q)
	if err != nil {
		t.Fatal(err)
	}
	if want := "Not known whether A plays 4 streams without a late frame while B reads and C writes: that was not measured, and the runs do not show it: no model of sharing explains them; the best misses them by "; a.Verdict != Unsure || !strings.HasPrefix(a.Texts.Answer, want) {
		t.Errorf("%s: %s", a.Verdict, a.Texts.Answer)
	}
	if want := "A run of just A and B reading and C writing would show it."; a.Texts.Sure != want {
		t.Errorf("got %q, want %q", a.Texts.Sure, want)
	}
	for _, c := range a.Advice {
		if c.Kind != OtherPort { // which leaves two disks on the hub, as were measured
			t.Errorf("advised by nothing measured: %+v", c)
		}
	}
	q.Parts = q.Parts[:2]
	if a, err = Ask(p, q); err != nil || a.Verdict != Yes || a.MarginLow < 1 || a.MarginHigh < a.MarginLow {
		t.Errorf("what was measured: %+v, %v", a, err)
	}
}
