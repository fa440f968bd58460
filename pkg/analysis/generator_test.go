package analysis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/trace"
)

// pace is a rate that holds until a time.
type pace struct{ untilS, rate float64 }

// withoutTexts compares findings and warnings by their codes and numbers.
var withoutTexts = cmp.Options{
	cmpopts.IgnoreFields(Finding{}, "Text", "TextWithoutPhase"),
	cmpopts.IgnoreFields(Warning{}, "Text"),
}

// pause is a time in which a disk does nothing.
type pause struct{ fromS, toS float64 }

// script is what a generated disk does: the truth that the analysis is to find.
type script struct {
	name   string
	op     trace.Role
	startS float64
	paces  []pace  // the last one's end is the disk's
	pauses []pause // ascending, within the paces
	sizes  tracetest.Sizes
	cost   func(bytes float64) float64 // of a file's time, over what its bytes take; 1 if nil
}

// noise is what is laid over the truth.
type noise struct {
	// deviation of the rate over 0.1 s, as a share; neighbours go together over 0.2 s
	fast    float64
	perFile float64 // deviation of whole files
	samples bool
}

func (n noise) String() string {
	var kinds []string
	if n.fast > 0 {
		kinds = append(kinds, fmt.Sprintf("%g %% within files", 100*n.fast))
	}
	if n.perFile > 0 {
		kinds = append(kinds, fmt.Sprintf("%g %% between files", 100*n.perFile))
	}
	text := "noise of " + strings.Join(kinds, " and ")
	if !n.samples {
		text += ", whole files alone"
	}
	return text
}

const (
	stepS   = 0.01 // the generator's time step
	memoryS = 0.2  // of the fast noise
)

// play makes the trace of a script. Every disk ends exactly when its script does, its last file cut
// short.
func (s script) play(rnd *rand.Rand, n noise) *trace.DiskRecord {
	d, _ := s.playAndKnow(rnd, n)
	return d
}

// playAndKnow also returns the bytes really moved in each of the generator's steps from startS on.
func (s script) playAndKnow(rnd *rand.Rand, n noise) (d *trace.DiskRecord, moved []float64) {
	d = &trace.DiskRecord{Name: s.name, Op: s.op}
	rho := math.Exp(-stepS / memoryS)
	wave := rnd.NormFloat64()
	// An average over 0.1 s of this noise keeps 0.92 of its deviation.
	amplitude := n.fast / 0.92
	var f trace.File
	var size, done, factor float64
	open, nextSample := false, 0.0
	end := s.paces[len(s.paces)-1].untilS
	for i := 0; ; i++ {
		from := s.startS + float64(i)*stepS
		to := min(from+stepS, end)
		if to-from < 1e-9 {
			break
		}
		moved = append(moved, 0)
		wave = rho*wave + math.Sqrt(1-rho*rho)*rnd.NormFloat64()
		if s.pausedAt((from + to) / 2) {
			if open {
				d.Files = append(d.Files, closed(f, from, done))
				open = false
			}
			continue
		}
		rate := s.rateAt((from+to)/2) * max(0.05, 1+amplitude*wave)
		for at := from; at < to-1e-12; {
			if !open {
				f = trace.File{Seq: len(d.Files), StartNS: ns(at)}
				size, done, open = s.sizes(rnd, len(d.Files)), 0, true
				factor = max(0.2, 1+n.perFile*rnd.NormFloat64())
				if s.cost != nil {
					factor /= s.cost(size)
				}
				nextSample = math.Floor(at/0.05)*0.05 + 0.05
			}
			until := min(to, at+(size-done)/(rate*factor))
			for n.samples && nextSample < until-1e-9 {
				f.AddSample(trace.Sample{
					TNS: ns(nextSample), Bytes: int64(done + rate*factor*(nextSample-at)),
				})
				nextSample += 0.05
			}
			done += rate * factor * (until - at)
			moved[i] += rate * factor * (until - at)
			at = until
			if done >= size-0.5 {
				d.Files = append(d.Files, closed(f, at, done))
				open = false
			}
		}
	}
	if open && done >= 1 {
		d.Files = append(d.Files, closed(f, end, done))
	}
	return d, moved
}

func closed(f trace.File, atS, bytes float64) trace.File {
	f.EndNS, f.Bytes = ns(atS), int64(math.Round(bytes))
	return f
}

func ns(s float64) int64 { return int64(math.Round(s * 1e9)) }

func (s *script) rateAt(at float64) float64 {
	return s.paces[slices.IndexFunc(s.paces, func(p pace) bool { return at < p.untilS })].rate
}

func (s *script) pausedAt(at float64) bool {
	return slices.ContainsFunc(s.pauses, func(p pause) bool { return p.fromS <= at && at < p.toS })
}

// runOf makes a run of one phase.
func runOf(disks ...*trace.DiskRecord) *trace.Run {
	return tracetest.Run(tracetest.Phase("p", disks...))
}

// diskOf plays a script without noise from the release on, in files of one size.
func diskOf(name string, op trace.Role, size float64, paces ...pace) *trace.DiskRecord {
	s := script{name: name, op: op, paces: paces, sizes: tracetest.Fixed(size)}
	return s.play(rand.New(rand.NewPCG(1, 1)), noise{samples: true})
}
