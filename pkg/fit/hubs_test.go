package fit

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

func drawHubs(t *testing.T, p *hub.Profile, n int, seed uint64) []Hub {
	t.Helper()
	hubs, _, err := Hubs(p, n, seed)
	if err != nil {
		t.Fatal(err)
	}
	return hubs
}

// rateOn is what the disk of an observation gets on a drawn hub.
func rateOn(h *Hub, o *hub.Observation, disk int) float64 {
	return h.Profile.Rates(o.Disks)[disk] * h.Off(o)[disk]
}

// The hubs drawn give what was measured within its errors, and of combinations that were not, 95 in 100 lie about where
// Predict says.
func TestHubsAgreeWithPredictions(t *testing.T) {
	w := Profiled(noisy())
	p := predictable(w, w.Measured(rand.New(rand.NewPCG(1, 8)), 2))
	predicted := predict(t, p, w.Disks)
	hubs := drawHubs(t, p, 400, 1)
	for i, m := range mixes(w.Disks) {
		o := m
		for j, use := range m.Disks {
			want := predicted.Rows[i].Rates[slices.Index(w.Disks, use.Disk)]
			if want.Refused != "" {
				continue
			}
			rates := make([]float64, len(hubs))
			for k := range hubs {
				rates[k] = rateOn(&hubs[k], o, j)
			}
			slices.Sort(rates)
			low, high := stats.Quantile(rates, 0.025), stats.Quantile(rates, 0.975)
			// The ends of both are uncertain by chance: to a quarter of the width.
			slack := 0.25 * (want.High - want.Low)
			if math.Abs(low-want.Low) > slack || math.Abs(high-want.High) > slack {
				t.Errorf("%s of %s: hubs from %.4g to %.4g, predicted %.4g to %.4g", use.Disk, predicted.Rows[i].Pattern, low, high, want.Low, want.High)
			}
		}
	}
}

// The middle hub comes to exactly what was measured, and else to what the profile says. The same seed gives the same
// hubs, and a hub is always off by the same.
func TestHubsAreFixed(t *testing.T) {
	w := Profiled(noisy())
	e := w.Measured(rand.New(rand.NewPCG(1, 9)), 2)
	p := *noisy()
	p.Evidence = *e
	middle := Middle(&p)
	for _, o := range e.Rates {
		for j, d := range o.Disks {
			if got := rateOn(middle, &o, j); math.Abs(got/d.Rate-1) > 1e-9 {
				t.Errorf("%s of %s: %.6g in the middle, measured were %.6g", d.Disk, o.Mix(), got, d.Rate)
			}
		}
	}
	three := &hub.Observation{Disks: []hub.Observed{{Disk: "A", Op: read}, {Disk: "B", Op: write}, {Disk: "C", Op: read}}}
	if off := middle.Off(three); middle.Measured(three) || !slices.Equal(off, []float64{1, 1, 1}) {
		t.Errorf("what was not measured is off by %v in the middle", off)
	}
	first := drawHubs(t, &p, 20, 7)
	second := drawHubs(t, &p, 20, 7)
	for k := range first {
		for range 2 {
			if a, b := rateOn(&first[k], three, 1), rateOn(&second[k], three, 1); a != b {
				t.Errorf("hub %d: %g and %g", k, a, b)
			}
		}
	}
	if none, _, err := Hubs(noisy(), 20, 1); none != nil || err != nil {
		t.Errorf("hubs of a profile without observations: %v, %v", none, err)
	}
}

// A disk that was never observed keeps its figures, off by as much as is said of them.
func TestHubsWithUnobservedDisk(t *testing.T) {
	w := Profiled(noisy())
	p := *noisy()
	p.Evidence = *w.Measured(rand.New(rand.NewPCG(1, 10)), 2)
	side := hub.Side{Hub: 2 * gb, Direct: 2.4 * gb, Weight: 1}
	p.Disks = append(slices.Clone(p.Disks), hub.Disk{Name: "X", Read: side, Write: side})
	hubs := drawHubs(t, &p, 400, 1)
	var logs []float64
	for k := range hubs {
		logs = append(logs, math.Log(hubs[k].Profile.Disk("X").Read.Hub/(2*gb)))
	}
	slices.Sort(logs)
	low, high := stats.Quantile(logs, 0.025), stats.Quantile(logs, 0.975)
	if math.Abs(low+FigureError) > 0.025 || math.Abs(high-FigureError) > 0.025 {
		t.Errorf("95 %% of the rates lie from %+.3f to %+.3f, want 10 %% either way", low, high)
	}
	if Observed(&p, "X", trace.Read, false) || !Observed(&p, "A", trace.Read, false) || Observed(&p, "A", trace.Read, true) {
		t.Error("what was observed")
	}
}

// More disks at once than were ever seen together are off together: a total is then as little known as its parts.
func TestHubsAreOffTogether(t *testing.T) {
	w := Profiled(noisy())
	three := &hub.Observation{Disks: []hub.Observed{{Disk: "A", Op: read}, {Disk: "B", Op: write}, {Disk: "C", Op: read}}}
	for _, test := range []struct {
		seen      int
		low, high float64
	}{{2, 0.5, 1}, {3, -0.2, 0.2}} {
		e := w.Measured(rand.New(rand.NewPCG(1, 13)), test.seen).Without(func(o *hub.Observation) bool { return o.Mix() == three.Mix() })
		hubs := drawHubs(t, predictable(w, e), 400, 1)
		var first, second []float64
		for k := range hubs {
			off := hubs[k].Off(three)
			first, second = append(first, off[0]), append(second, off[1])
		}
		a, b := logs(first), logs(second)
		if got := covariance(a, b) / math.Sqrt(covariance(a, a)*covariance(b, b)); got < test.low || got > test.high {
			t.Errorf("%d seen together: a correlation of %.2f, want %g to %g", test.seen, got, test.low, test.high)
		}
	}
}
