package model_test

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/pkg/advise"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/model"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// tally counts answers whose truth is known.
type tally struct{ all, wrong, unsure, outside int }

// ask asks of a world, known by a fit of its solos and pairs alone, whether streams of one disk
// survive while two others move files, which need 0.6 to 1.6 times what is left for them.
func (y *tally) ask(t *testing.T, w model.World, rng *rand.Rand, name string) {
	t.Helper()
	known, err := model.Fit(w.Measured(rng, 2), model.FitOptions{Name: "fitted", Seed: 1})
	check.Must(t, err)
	for range 3 {
		var mix []hub.Observed
		for _, disk := range w.Disks {
			mix = append(mix, hub.Observed{Disk: disk,
				Op: []trace.Role{trace.Read, trace.Write}[rng.IntN(2)]})
		}
		margin := math.Exp(math.Log(0.6) + (math.Log(1.6)-math.Log(0.6))*rng.Float64())
		q := advise.Question{For: 20 * time.Second, Seed: 1}
		for i, use := range mix {
			part := advise.Part{Disk: use.Disk, Op: use.Op}
			if i == 0 {
				part.Streams = []stream.Spec{{
					Kind: "x", Rate: w.Rates(mix)[0] / margin, Frame: 40 * time.Millisecond,
					Count: 1, Buffer: time.Second, Record: use.Op == trace.Write,
				}}
			}
			q.Parts = append(q.Parts, part)
		}
		got, err := advise.Ask(known.Profile, q)
		check.Must(t, err)
		y.all++
		switch {
		case got.Verdict == advise.Unsure:
			y.unsure++
		case got.Verdict == advise.Yes && margin < 0.99 || got.Verdict == advise.No && margin > 1.03: // a buffer bridges a little
			y.wrong++
			t.Logf("%s: %s with a margin of %.3f (%.3f to %.3f), the truth is %.3f", name,
				got.Verdict, got.Margin, got.MarginLow, got.MarginHigh, margin)
		}
		if decided := got.Verdict != advise.Unsure; decided &&
			(margin < got.MarginLow*0.97 || margin > got.MarginHigh*1.03) {
			y.outside++
		}
	}
}

// Of hubs that share like none that is fitted, a yes or a no is wrong in one case of twenty at
// most, as of the fit's own, and if there is one, the true margin lies in its interval.
func TestAnswersOfForeignHubs(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits")
	}
	var sum tally
	kinds := model.Foreign()
	for i := range max(*model.HubsTried, evidence.Trials(4, 1)) {
		k := kinds[i%len(kinds)]
		rng := rand.New(rand.NewPCG(uint64(i), 5))
		sum.ask(t, k.Make(rng), rng, k.Name)
	}
	t.Logf("of %d answers %d were wrong, %d unsure, and %d margins were outside their intervals",
		sum.all, sum.wrong, sum.unsure, sum.outside)
	evidence.Report(t, evidence.AtMost("advise",
		"wrong answers of random hubs that share like none that is fitted", sum.wrong, sum.all,
		max(1, sum.all/20)))
	evidence.Report(t, evidence.AtMost("advise", "margins of these outside their intervals",
		sum.outside, sum.all, max(1, sum.all/10)))
}
