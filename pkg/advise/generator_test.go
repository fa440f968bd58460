package advise

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/hubbench/hubbench/pkg/fit"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

const gb = 1e9

func between(rng *rand.Rand, low, high float64) float64 { return low + (high-low)*rng.Float64() }

// randomHub is a hub of known truth that shares in one of the ways that a fit knows.
func randomHub(rng *rand.Rand) *hub.Profile {
	p := &hub.Profile{Name: "random", Link: math.Inf(1), Lane: math.Inf(1), Capacity: hub.Capacity{
		Read: between(rng, 2.6, 3.6) * gb, Write: between(rng, 2.6, 3.6) * gb, ReadWeight: 1, WriteWeight: between(rng, 0.7, 1.6),
	}}
	c := &p.Capacity
	c.Both = between(rng, 1.2, 1.6) * (c.Read + c.Write) / 2
	switch rng.IntN(5) {
	case 0:
		c.Proportional = true
	case 1:
		c.Pair = between(rng, 0.88, 0.97)
	case 2:
		c.PerDisk = between(rng, 0.03, 0.12)
	case 3:
		c.Both, c.ReadLoss, c.WriteLoss = c.Read+c.Write, between(rng, 0.3, 0.7), between(rng, 0, 0.3)
	}
	for _, name := range []string{"A", "B", "C"} {
		d := hub.Disk{Name: name}
		for _, side := range []*hub.Side{&d.Read, &d.Write} {
			side.Hub, side.Weight = between(rng, 0.8, 2.9)*gb, 1
			if !c.Proportional {
				side.Weight = math.Exp(0.4 * rng.NormFloat64())
			}
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
				Kind: "x", Rate: between(rng, 50e6, 200e6), Frame: 40 * time.Millisecond, Count: 1 + rng.IntN(4),
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

// measured is what measuring each disk and each pair of disks says of a hub, every rate off by an error of 1 to 3 %.
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
		each = append(each, hub.Observed{Disk: disk, Op: trace.Write}, hub.Observed{Disk: disk, Op: trace.Read})
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
	r, err := fit.FromEvidence(e, fit.Options{Name: "fitted", Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	return r.Profile
}

// truth plays a question on a hub as simulate does, and looks at all that it tells.
func truth(t *testing.T, p *hub.Profile, parts []Part, length time.Duration) (clean bool) {
	t.Helper()
	plan, _ := planOf(parts, length, 1)
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
	if err != nil {
		t.Fatal(err)
	}
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

// threshold is the factor of all streams' rates up to which they stay clean, by trying one after the other in steps.
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
