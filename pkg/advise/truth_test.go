package advise

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/model"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

var hubs = flag.Int("hubs", evidence.Trials(4, 1),
	"how many random hubs are fitted; 80 for a full test")

// The margin is where trying all rates in a simulation finds it, and the answer goes by it.
func TestMarginAgainstBruteForce(t *testing.T) {
	const step = 1.01
	worst := 0.0
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 1))
		p, q := randomHub(rng), randomQuestion(rng, 10*time.Second)
		got := answerTo(t, p, q)
		want := threshold(t, p, q, got.Margin/1.15, got.Margin*1.15, step)
		worst = max(worst, 100*math.Abs(got.Margin/max(want, 1e-9)-1))
		if want == 0 || math.Abs(got.Margin/want-1) > step-1+marginStep {
			t.Errorf("seed %d: margin %.4f, and trying one rate after the other finds %.4f", seed,
				got.Margin, want)
		}
		verdict := Unsure
		switch {
		case got.Margin >= 1.1:
			verdict = Yes
		case got.Margin <= 1/1.1:
			verdict = No
		}
		check.Same(t, fmt.Sprintf("seed %d, margin %.3f", seed, got.Margin), verdict, got.Verdict)
	}
	evidence.Report(t, evidence.Below("advise",
		"margins of 30 random hubs, found by trying one rate after the other: worst error", "%",
		worst, 100*(step-1+marginStep)))
}

// At 1 % less than what the hub carries the streams are clean, and at 1 % more they are not: a case
// that can be worked out by hand. Two disks with even pulls share 3 GB/s.
func TestMarginByHand(t *testing.T) {
	p := evenHub()
	for _, test := range []struct {
		name  string
		parts []Part
		want  float64 // bytes per second for the streams
	}{
		{"an even share of reads", []Part{playing(1 * gb), {Disk: "B", Op: "read"}}, 1.5 * gb},
		{"what a slower neighbour leaves",
			[]Part{playing(1 * gb), {Disk: "B", Op: "read", Pace: 1 * gb}}, 2 * gb},
		{"alone", []Part{playing(1 * gb)}, 2.5 * gb},
		{"on its own port",
			[]Part{{Disk: "A", Op: "read", Streams: playing(1 * gb).Streams, OwnPort: true},
				{Disk: "B", Op: "read"}}, 2.8 * gb},
		{"beside a probe", []Part{playing(1 * gb), {Disk: "B", Op: "read", Probe: true}}, 2.5 * gb},
	} {
		got := answerTo(t, p, Question{Parts: test.parts, For: time.Minute})
		// Up to half of the buffer of a second may be missing after a minute: 0.8 %.
		if want := test.want / gb; got.Margin < want*0.999 || got.Margin > want*1.01 {
			t.Errorf("%s: margin %.4f, want %.4f", test.name, got.Margin, want)
		}
	}
}

// Of hubs whose solos and pairs were measured with errors of 1 to 3 %, a yes is wrong and a no is
// wrong in at most one case in twenty together, though the streams need 0.6 to 1.6 times what is
// just clean; and most answers are one of the two.
func TestAnswersOfFittedHubs(t *testing.T) {
	if testing.Short() {
		t.Skip("many fits")
	}
	var wrong, wrongYes, unsure, all int
	for seed := range uint64(*hubs) {
		rng := rand.New(rand.NewPCG(seed, 3))
		p := randomHub(rng)
		known := fitted(t, measured(p, rng))
		for range 3 {
			q := randomQuestion(rng, 20*time.Second)
			exact := answerTo(t, p, q)
			f := exact.Margin * math.Exp(between(rng, math.Log(0.6), math.Log(1.6)))
			q.Parts = withRates(q.Parts, func(string) float64 { return f })
			want := No
			if truth(t, p, q.Parts, q.For) {
				want = Yes
			}
			got := answerTo(t, known, q)
			all++
			switch got.Verdict {
			case Unsure:
				unsure++
			case want:
			default:
				wrong++
				if got.Verdict == Yes {
					wrongYes++
				}
				t.Logf("hub %d: %s with %d of %d hubs and a margin of %.3f, but the truth is %s at %.3f", seed, got.Verdict, got.Clean, got.Hubs, got.Margin, want, exact.Margin/f)
			}
		}
	}
	t.Logf("of %d answers %d were wrong, and %d unsure", all, wrong, unsure)
	evidence.Report(t, evidence.AtMost("advise",
		"wrong answers of random hubs, each known by a fit of its runs", wrong, all,
		max(1, all/20)))
	evidence.Report(t, evidence.AtMost("advise", "of these, a yes", wrongYes, all, max(1, all/20)))
	evidence.Report(t, evidence.AtMost("advise", "answers of these that are too close to call",
		unsure, all, all/2))
}

// If the runs contradict every way of sharing, nothing is answered or advised by a combination that
// was not measured, however large its margin; what was measured is.
func TestAnswerOfWhatNoModelExplains(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 12))
	e := measured(randomHub(rng), rng)
	for i := range e.Rates {
		for j := range e.Rates[i].Disks {
			e.Rates[i].Disks[j].Error /= 10
		}
	}
	p := fitted(t, e)
	q := Question{Parts: []Part{playing(0.01 * gb), {Disk: "B", Op: "read"},
		{Disk: "C", Op: "write"}}, For: 20 * time.Second, Seed: 1}
	a := answerTo(t, p, q)
	if want := "Unknown whether A plays 4 streams without a dropped frame while B reads and C writes. This hub does not share like any law we know: measure it."; a.Verdict != Unsure || !strings.HasPrefix(a.Texts.Answer, want) {
		t.Errorf("%s: %s", a.Verdict, a.Texts.Answer)
	}
	check.Same(t, "how sure", "A run of just A and B reading and C writing would show it.",
		a.Texts.Sure)
	for _, c := range a.Advice {
		if c.Kind != OtherPort { // which leaves two disks on the hub, as were measured
			t.Errorf("advised by nothing measured: %+v", c)
		}
	}
	q.Parts = q.Parts[:2]
	if a = answerTo(t, p, q); a.Verdict != Yes || a.MarginLow < 1 || a.MarginHigh < a.MarginLow {
		t.Errorf("what was measured: %+v", a)
	}
}

const gb = 1e9

func between(rng *rand.Rand, low, high float64) float64 { return low + (high-low)*rng.Float64() }

// randomHub is a hub of known truth that shares by the law.
func randomHub(rng *rand.Rand) *hub.Profile {
	p := &hub.Profile{Name: "random", Link: math.Inf(1), Lane: math.Inf(1), Capacity: hub.Capacity{
		Read: between(rng, 2.6, 3.6) * gb, Write: between(rng, 2.6, 3.6) * gb, ReadWeight: 1,
		WriteWeight: between(rng, 0.7, 1.6),
	}}
	c := &p.Capacity
	c.Both = between(rng, 1.2, 1.6) * (c.Read + c.Write) / 2
	if rng.IntN(2) == 0 {
		c.Pair, c.TwoWriters = between(rng, 0.88, 0.97), between(rng, 0.85, 1)
	}
	for _, name := range []string{"A", "B", "C"} {
		d := hub.DiskModel{Name: name}
		for _, side := range []*hub.Side{&d.Read, &d.Write} {
			side.Hub, side.Weight = between(rng, 0.8, 2.9)*gb, math.Exp(0.4*rng.NormFloat64())
			side.Hub = min(side.Hub, c.Read, c.Write)
			side.Direct = side.Hub * between(rng, 1, 1.4)
		}
		p.Disks = append(p.Disks, d)
	}
	return p
}

// randomQuestion has one or two disks with streams, and files on the others.
func randomQuestion(rng *rand.Rand, length time.Duration) Question {
	q := Question{For: length, Seed: 1}
	ops := []trace.Role{trace.Read, trace.Write}
	for i, disk := range []string{"A", "B", "C"} {
		part := Part{Disk: disk, Op: ops[rng.IntN(2)]}
		switch {
		case i == 0 || i == 1 && rng.IntN(4) == 0:
			part.Streams = []stream.Spec{{
				Kind: "x", Rate: between(rng, 50e6, 200e6), Frame: 40 * time.Millisecond, Count: 1 +
					rng.IntN(4),
				Buffer: time.Second, Record: part.Op == trace.Write,
			}}
		case i == 2 && rng.IntN(3) == 0:
			continue
		case rng.IntN(3) == 0:
			part.Pace = between(rng, 0.2, 1.5) * gb
		}
		q.Parts = append(q.Parts, part)
	}
	return q
}

// measured is what measuring each disk and each pair of disks says of a hub, every rate off by an
// error of 1 to 3 %.
func measured(p *hub.Profile, rng *rand.Rand) *hub.Evidence {
	noise := between(rng, 0.01, 0.03)
	e := &hub.Evidence{Noise: hub.ObservedNoise{Squares: noise * noise * 100, Freedom: 100}}
	add := func(disks ...hub.Observed) {
		for i, rate := range p.Rates(disks) {
			disks[i].Rate, disks[i].Error = rate*math.Exp(noise*rng.NormFloat64()), noise
		}
		o := hub.Observation{Disks: disks}
		o.Phase = o.Mix()
		e.Rates = append(e.Rates, o)
	}
	var each []hub.Observed
	for _, disk := range p.Names() {
		each = append(each, hub.Observed{Disk: disk, Op: trace.Write},
			hub.Observed{Disk: disk, Op: trace.Read})
	}
	for _, d := range each {
		add(d)
	}
	for k := 2; k < len(each); k += 2 {
		for _, d := range each[:k] {
			add(d, each[k])
			add(d, each[k+1])
		}
	}
	return e
}

// fitted is the profile that a fit makes of evidence.
func fitted(t *testing.T, e *hub.Evidence) *hub.Profile {
	t.Helper()
	r, err := model.Fit(e, model.FitOptions{Name: "fitted", Seed: 1})
	check.Must(t, err)
	return r.Profile
}

// truth plays a question on a hub as simulate does, and looks at all that it tells.
func truth(t *testing.T, p *hub.Profile, parts []Part, length time.Duration) (clean bool) {
	t.Helper()
	plan, _ := planOf(parts, length)
	outcomes := tracetest.Outcomes{}
	buffers := map[string]time.Duration{}
	for _, part := range parts {
		for _, s := range part.Streams {
			buffers[part.Disk] = s.Buffer
		}
	}
	err := hub.Simulate(plan, p, func(e *trace.Event) error {
		outcomes.Add(e)
		return nil
	})
	check.Must(t, err)
	if len(outcomes) == 0 {
		t.Fatal("no stream was played")
	}
	for at, o := range outcomes {
		if o.Verdict(buffers[at.Disk].Nanoseconds()) != stream.Clean {
			return false
		}
	}
	return true
}

// threshold is the factor of all streams' rates up to which they stay clean, by trying one after
// the other in steps.
func threshold(t *testing.T, p *hub.Profile, q Question, from, to, step float64) float64 {
	t.Helper()
	last := 0.0
	for f := from; f <= to; f *= step {
		if !truth(t, p, withRates(q.Parts, func(string) float64 { return f }), q.For) {
			return last
		}
		last = f
	}
	return last
}
