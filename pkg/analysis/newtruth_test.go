package analysis_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/analysis"
)

// kind is a kind of thing that disks and hubs do, as a generator of runs of which all is known.
type kind struct {
	Name string
	// Tuned kinds may be used to choose thresholds by; the others are for tests alone.
	Tuned bool
	Fill  func(s *scene)
}

// kinds are all that there are.
func kinds() []kind {
	return slices.Concat(seriesKinds(), eventKinds(), causeKinds(), shareKinds())
}

// What the whole and each cell must reach before an engine is good enough, in percent.
const (
	leastNamed  = 90
	leastCaused = 95
	mostFalse   = 1.0
	cellNamed   = 75
	cellFalse   = 2.5
)

// What the engine reaches at least in few traces, in percent.
const (
	nowNamed = 97
	nowFalse = 2.0
)

// TestNewTruths plays what disks and hubs do and counts, for each kind and noise, in how many runs
// all that changes is reported, anything false is claimed, and the reported causes are right or
// unknown.
//
//	go test ./pkg/analysis -run NewTruths/swing -v -args -traces 20
func TestNewTruths(t *testing.T) {
	all := playKinds(t, kinds())
	if all.runs < 2*len(kinds()) && !*tune {
		return // A few kinds alone have no limits for the whole.
	}
	named, wrong := leastNamed, mostFalse
	if !*judge {
		named, wrong = nowNamed, nowFalse
	}
	if 100*all.named < named*all.runs || float64(100*all.wrong) > wrong*float64(all.runs) {
		t.Errorf("want %d %% named, and at most %g %% false", named, wrong)
	}
	if *judge && 100*all.caused < leastCaused*all.told {
		t.Errorf("want %d %% with the right cause or none", leastCaused)
	}
}

// TestJointTruths does the same with what several disks do to one another. A wrong cause counts as
// false. Right in 90 %, and false in at most 2 %, is what the engine must reach.
//
//	go test ./pkg/analysis -run JointTruths -v -args -traces 10
func TestJointTruths(t *testing.T) {
	all := playKinds(t, jointKinds())
	if all.runs >= 2*len(jointKinds()) &&
		(10*all.right < 9*all.runs || 50*all.untrue > max(all.runs, 50)) {
		t.Errorf("%d of %d right, %d false; want 90 %% and at most 2 %%", all.right, all.runs,
			all.untrue)
	}
}

// playKinds plays each kind at both noises and counts.
func playKinds(t *testing.T, kinds []kind) (all cell) {
	for i, k := range kinds {
		if *tune && !k.Tuned {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			var both cell
			for _, noise := range []float64{0.02, 0.10} {
				var sum cell
				for seed := range max(*analysis.TracesPerKind, 1) {
					s := newScene(random(1000*i+seed, uint64(36+100*noise)), noise)
					k.Fill(s)
					s.done()
					sum.add(s.judge(read(s.Run), noise+s.spread))
				}
				all.with(&sum)
				both.with(&sum)
				t.Logf("%s, noise %2.0f %%: %s", k.Name, 100*noise, &sum)
				for _, what := range sum.reasons() {
					t.Logf("    %3d x %s", sum.why[what], what)
				}
				if *judge && 100*sum.named < cellNamed*sum.runs {
					t.Errorf("want %d %% named", cellNamed)
				}
			}
			if *judge && float64(100*both.wrong) > cellFalse*float64(both.runs) {
				t.Errorf("want at most %g %% false", cellFalse)
			}
		})
	}
	t.Logf("all: %s", &all)
	return all
}

// cell counts over runs.
type cell struct {
	runs, named, wrong int
	right, untrue      int // named and nothing untrue; untrue counts wrong causes, too
	told, caused       int
	why                map[string]int
}

func (c *cell) String() string {
	return fmt.Sprintf("named %d/%d, false %d/%d, cause right %d/%d; all right %d, untrue %d",
		c.named, c.runs, c.wrong, c.runs, c.caused, c.told, c.right, c.untrue)
}

func (c *cell) add(v *verdict) {
	c.runs++
	if c.why == nil {
		c.why = map[string]int{}
	}
	if len(v.missing) == 0 {
		c.named++
	}
	if len(v.wrong) > 0 {
		c.wrong++
	}
	switch untrue := len(v.wrong)+len(v.uncause) > 0; {
	case untrue:
		c.untrue++
	case len(v.missing) == 0:
		c.right++
	}
	c.told += v.told
	c.caused += v.caused
	for prefix, list := range map[string][]string{"missing: ": v.missing, "false: ": v.wrong,
		"cause: ": v.uncause} {
		for _, what := range list {
			c.why[prefix+what]++
		}
	}
}

func (c *cell) with(o *cell) {
	c.runs += o.runs
	c.named += o.named
	c.wrong += o.wrong
	c.right += o.right
	c.untrue += o.untrue
	c.told += o.told
	c.caused += o.caused
}

// reasons lists what was wrong, the most frequent first.
func (c *cell) reasons() []string {
	var all []string
	for what := range c.why {
		all = append(all, what)
	}
	slices.Sort(all)
	slices.SortStableFunc(all, func(a, b string) int { return c.why[b] - c.why[a] })
	return all
}

// offS is how far from the truth a change may be dated.
func (s *scene) offS() float64 { return 0.5 + 5*s.size }

// steps plays a disk's own levels, as factors of its rate, and notes a change for each.
func (s *scene) steps(phase string, d actor, atS, factors []float64) actor {
	rate := d.Levels[0].Rate
	before := 1.0
	for i, factor := range factors {
		c := truthChange{Phase: phase, Kinds: []string{"own_fall"}, Disks: []string{d.Name},
			AtS:  atS[i],
			OffS: s.offS(), To: map[string]float64{d.Name: factor * rate},
			Not: []string{"link", "host", "hub", "neighbour"}}
		if factor > before {
			c.Kinds, c.Not = []string{"own_rise"}, append(c.Not, "cache_full")
		}
		before = factor
		s.changes(c)
	}
	return d.own(func(at, _ float64) float64 {
		now := 1.0
		for i, start := range atS {
			if at >= start-1e-9 {
				now = factors[i]
			}
		}
		return now
	})
}

// turns are the moments of so many stretches that follow one another, each of a random length.
func (s *scene) turns(n int, low, high float64) (atS []float64, endS float64) {
	for range n {
		endS += s.between(low, high)
		atS = append(atS, endS)
	}
	return atS[:n-1], endS
}

// beside is a disk that is steady until a time.
func (s *scene) beside(name string, untilS float64) actor {
	return works(name, untilS, s.between(0.8, 1.4))
}

// draw picks a number of a few.
func draw[T any](rnd *rand.Rand, of ...T) T { return of[rnd.IntN(len(of))] }

// files has the disks move files of another size than the scene's.
func (d actor) files(low, high float64) actor {
	d.Sizes = tracetest.Between(low, high)
	return d
}

// curve has the disk follow a factor over time.
func (d actor) curve(f func(s float64) float64) actor {
	return d.own(func(s, _ float64) float64 { return f(s) })
}

// exponential falls from one factor towards another.
func exponential(to, tauS float64) func(float64) float64 {
	return func(s float64) float64 { return to + (1-to)*math.Exp(-s/tauS) }
}
