package model

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/hubbench/hubbench/pkg/change"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Limits of what counts as evidence.
const (
	shortestS  = 0.5   // a shorter stretch is blurred by its edges
	minLagErrS = 0.025 // no recovery is dated better
	sameNS     = 1000  // by which moments that are the same may differ
	minErr     = 1e-3  // relative: no rate is known better
	vagueErr   = 0.5   // relative: a rate known no better is no evidence

	// randomTest begins the names of a preset's tests of random access.
	randomTest = "RND"

	// assumedNoise is used if a run has too few files: 3 % from file to file.
	assumedNoise = 0.03
)

// Observe reads what a run shows of the hub: a rate for every disk in every stretch with the same
// disks active, and the lags after a disk left. Only settled stretches count: from a join on, and
// after a leave from when every disk that stayed has recovered (see package change). If one has
// not, it may still be held back, and the stretch is left out. Tests of random access are skipped:
// they only show the disk's own delays. So are disks with a pace of their own, and those that read
// and write at once: they do not show what they could get, nor what they leave to the others on the
// hub. Only a probe slows nothing down.
//
// Disks are named as in the profile the run was simulated with, real ones by their own names.
func Observe(run *trace.Run) *hub.Evidence {
	r := &reading{names: map[string]string{}}
	connections := map[string]string{}
	for _, d := range run.Disks {
		r.names[d.Name] = d.Profile
		connections[d.Name] = d.Connection
	}
	for _, phase := range run.Phases {
		if strings.HasPrefix(phase.Test, randomTest) {
			continue
		}
		var onHub []*ledger.History
		unclear := false // what those on the hub leave to one another
		for _, t := range phase.Disks {
			d := ledger.New(t, phase.WorkOf(t), overlap.DefaultGapNS)
			direct := trace.OwnPort(cmp.Or(phase.Connections[t.Name], connections[t.Name]))
			switch {
			case len(d.Active) == 0 || d.Work.Probe > 0:
			case !d.WantsAll():
				unclear = unclear || !direct
			case direct:
				r.observe(hub.Observation{Phase: phase.Name, Direct: true}, []*ledger.History{&d},
					d.Active)
			default:
				onHub = append(onHub, &d)
			}
		}
		if !unclear {
			r.observeHub(phase.Name, onHub)
		}
	}
	noise, ok := r.Noise.Deviation()
	if !ok {
		noise = assumedNoise
	}
	var rates []hub.Observation
	for i, o := range r.Rates {
		widest := 0.0
		for j := range o.Disks {
			d := r.doubts[i][j]
			o.Disks[j].Error = max(math.Hypot(noise/math.Sqrt(d.files), d.edges), minErr)
			widest = max(widest, o.Disks[j].Error)
		}
		if widest <= vagueErr {
			rates = append(rates, o)
		}
	}
	r.Rates = rates
	return &r.Evidence
}

// reading is evidence while it is gathered.
type reading struct {
	hub.Evidence
	doubts [][]doubt         // by observation and disk, as in Rates
	names  map[string]string // of disks in their profile
}

// doubt is what a rate's error will come from.
type doubt struct {
	files float64 // how many equal files it rests on
	edges float64 // relative error by not knowing the bytes at its edges
}

func (r *reading) observeHub(phase string, disks []*ledger.History) {
	active := make([][]overlap.Span, len(disks))
	for i, d := range disks {
		active[i] = d.Active
		var edges []int64
		for _, other := range disks {
			if other != d {
				edges = append(edges, other.StartNS(), other.EndNS())
			}
		}
		d.Settle(len(disks), edges...)
	}
	events, _ := change.Explain(disks)
	rises := change.Recoveries(events)
	stages := overlap.Stages(active)
	for i, stage := range stages {
		there := make([]*ledger.History, len(stage.Active))
		for j, k := range stage.Active {
			there[j] = disks[k]
		}
		settled := stage.Span
		if i > 0 && stages[i-1].EndNS == stage.StartNS {
			for _, k := range stages[i-1].Active {
				if !slices.Contains(stage.Active, k) {
					settled.StartNS = r.afterLeave(phase, disks[k].Trace.Op, there, stage.Span,
						rises)
				}
			}
		}
		if settled.Seconds() >= shortestS {
			r.observe(hub.Observation{Phase: phase}, there, []overlap.Span{settled})
		}
	}
}

// afterLeave notes the lags of those who stay, and returns from when on all of them have settled:
// the end of the stage if some may not have.
func (r *reading) afterLeave(phase string, left trace.Role, there []*ledger.History,
	stage overlap.Span, rises []change.Rise) int64 {
	settledNS := stage.StartNS
	for _, d := range there {
		rise := riseIn(stage, d.Name(), rises)
		if rise == nil {
			return stage.EndNS
		}
		// Its dates are those of 95%, which is two errors on either side.
		off := seconds(rise.Evidence.LastNS-rise.Evidence.FirstNS)/4 + minLagErrS
		r.Lags = append(r.Lags, hub.ObservedLag{
			Phase: phase, Stays: d.Trace.Op, Left: left, Staying: len(there),
			Seconds: seconds(rise.EndNS - rise.AtNS), Error: off,
		})
		settledNS = max(settledNS, rise.EndNS+int64(4*off*1e9))
	}
	return min(settledNS, stage.EndNS)
}

// riseIn returns a disk's recovery from what ended when the stage began; nil if it has none in it.
func riseIn(stage overlap.Span, disk string, rises []change.Rise) *change.Rise {
	for i, rise := range rises {
		late := rise.AtNS - stage.StartNS
		if rise.Disk == disk && -sameNS < late && late < sameNS && rise.EndNS <= stage.EndNS {
			return &rises[i]
		}
	}
	return nil
}

func seconds(ns int64) float64 { return float64(ns) / 1e9 }

func (r *reading) observe(o hub.Observation, disks []*ledger.History, in []overlap.Span) {
	var doubts []doubt
	for _, d := range disks {
		var bytes, blur int64
		for _, v := range in {
			a := d.Curve.Between(v)
			bytes += a.Bytes
			blur += a.High - a.Low
		}
		if bytes == 0 {
			return
		}
		rate := float64(bytes) / overlap.Seconds(in)
		o.Disks = append(o.Disks, hub.Observed{
			Disk: cmp.Or(r.names[d.Name()], d.Name()), Op: d.Trace.Op, Rate: rate,
		})
		doubts = append(doubts, doubt{
			files: r.files(d, in, rate),
			// Anywhere within the bounds, evenly.
			edges: float64(blur) / float64(bytes) / math.Sqrt(12),
		})
	}
	r.Rates = append(r.Rates, o)
	r.doubts = append(r.doubts, doubts)
}

// files returns the noise of the files moved in the intervals, and how many files of equal size
// they are worth (Kish's effective number).
func (r *reading) files(d *ledger.History, in []overlap.Span, rate float64) float64 {
	var sum, squares float64
	var deviations []float64 // deviations of whole files
	for i := range d.Trace.Files {
		f := &d.Trace.Files[i]
		for _, v := range in {
			piece := v.Within(overlap.Of(f))
			if !f.Usable() || piece.EndNS <= piece.StartNS {
				continue
			}
			bytes := float64(d.Curve.Between(piece).Bytes)
			sum += bytes
			squares += bytes * bytes
			if piece == overlap.Of(f) {
				deviations = append(deviations, math.Log(float64(f.Bytes)/piece.Seconds()/rate))
			}
		}
	}
	if len(deviations) > 1 {
		floats.AddConst(-stats.Mean(deviations), deviations)
		r.Noise.Squares += floats.Dot(deviations, deviations)
		r.Noise.Freedom += len(deviations) - 1
	}
	if squares == 0 {
		return 1 // an unfinished file
	}
	return sum * sum / squares
}
