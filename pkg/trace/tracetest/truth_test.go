package tracetest

import (
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/pkg/trace"
)

// What a truth says is all that its traces show without noise: each step is there and leads to the rate it says, and
// nothing else changes by an eighth or more.
func TestTruthsAreTrue(t *testing.T) {
	for _, truth := range Truths() {
		if strings.Contains(truth.Name, "gaps") {
			continue // whose rates change all the time
		}
		for seed := range uint64(4) {
			c := truth.Play(rand.New(rand.NewPCG(seed, 1)), 0)
			for _, change := range c.Changes {
				isThere(t, truth.Name, c.Run, &change)
			}
			for _, p := range c.Run.Phases {
				for _, d := range p.Disks {
					moved := tenths(d)
					for k := 6; k < len(moved)-6; k++ {
						s, before, after := float64(k)/10, (moved[k-1]-moved[k-5])/0.4, (moved[k+5]-moved[k+1])/0.4
						if math.Abs(after-before) > 0.125*math.Max(before, after) && !explained(&c, p, d.Name, s) {
							t.Errorf("%s, seed %d: %s goes from %.3g to %.3g in %s at %.1f s, of which nothing is said", truth.Name, seed, d.Name, before, after, p.Name, s)
							break
						}
					}
				}
			}
			for _, pattern := range slices.Concat(c.False, c.Must) {
				regexp.MustCompile(pattern)
			}
		}
	}
}

func phaseOf(run *trace.Run, name string) *trace.Phase {
	return run.Phases[slices.IndexFunc(run.Phases, func(p *trace.Phase) bool { return p.Name == name })]
}

// tenths is what a disk had moved by each tenth of a second.
func tenths(d *trace.DiskTrace) []float64 {
	moved := []float64{0}
	for _, f := range d.Files {
		last, before := trace.Sample{TNS: f.StartNS}, moved[0]
		for _, to := range append(f.Samples, trace.Sample{TNS: f.EndNS, Bytes: f.Bytes}) {
			for at := int64(len(moved)) * 1e8; at <= to.TNS; at += 1e8 {
				share := math.Max(0, float64(at-last.TNS)/float64(to.TNS-last.TNS))
				moved = append(moved, before+float64(last.Bytes)+share*float64(to.Bytes-last.Bytes))
			}
			last = to
		}
		moved[0] += float64(f.Bytes) // as of the files before
	}
	moved[0] = 0
	return moved
}

// isThere checks the rates about a change.
func isThere(t *testing.T, truth string, run *trace.Run, c *Change) {
	t.Helper()
	for _, name := range c.Disks {
		d := phaseOf(run, c.Phase).Disk(name)
		at := c.AtS
		if c.EndS > 0 && c.To != nil { // a warm-up leads to what comes after it
			at = c.EndS
		}
		before, after := RateBetween(d, math.Max(at-1, 0), at-0.05), RateBetween(d, at+0.05, math.Min(at+0.9, endOf(d)))
		if to := c.To[name]; to > 0 && math.Abs(after/to-1) > 0.03 {
			t.Errorf("%s: %s has %.4g after %.1f s in %s, want %.4g", truth, name, after, at, c.Phase, to)
		}
		if (c.EndS == 0 || c.To != nil) && !c.Optional && math.Abs(after/before-1) < 0.1 {
			t.Errorf("%s: %s goes from %.4g to %.4g at %.1f s in %s: no change", truth, name, before, after, at, c.Phase)
		}
	}
}

// explained reports whether the case says that the disk changes at that time, or a disk starts or ends then.
func explained(c *Case, p *trace.Phase, disk string, s float64) bool {
	const off = 0.65 // the windows about it reach so far
	for _, d := range p.Disks {
		if math.Abs(float64(d.Files[0].StartNS)/1e9-s) < off || math.Abs(endOf(d)-s) < off {
			return true
		}
	}
	return slices.ContainsFunc(c.Changes, func(change Change) bool {
		return change.Phase == p.Name && slices.Contains(change.Disks, disk) && change.AtS-off < s && s < math.Max(change.AtS, change.EndS)+off
	})
}
