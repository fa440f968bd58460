package model

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/floats"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Limits of what counts as evidence.
const (
	// Rates after a leave are looked at in bins as long as the samples are apart.
	binNS     = 50_000_000
	shortestS = 0.5  // a shorter stretch is blurred by its edges
	minGain   = 1.2  // a smaller rise after a leave may be chance
	minErr    = 1e-3 // relative: no rate is known better
	vagueErr  = 0.5  // relative: a rate known no better is no evidence

	// randomTest begins the names of a preset's tests of random access.
	randomTest = "RND"

	// assumedNoise is used if a run has too few files: 3 % from file to file.
	assumedNoise = 0.03
)

// Observe reads what a run shows of the hub: a rate for every disk in every stretch with the same
// disks active, and the lags after a disk left. Only settled stretches count: from a join on, and
// after a leave from when every disk that stayed has visibly risen to its new share. If one has
// not, it may still be held back, and the stretch is left out. Tests of random access are skipped:
// they only show the disk's own delays. So are disks with a pace of their own, and those that read
// and write at once: they do not show what they could get, nor what they leave to the others on the
// hub. Only a probe slows nothing down.
//
// Disks are named as in the profile the run was simulated with, real ones by their own names.
func Observe(run *trace.Run) *hub.Evidence {
	r := &reading{}
	for _, phase := range run.Phases {
		if strings.HasPrefix(phase.Test, randomTest) {
			continue
		}
		var onHub []*watched
		unclear := false // what those on the hub leave to one another
		for _, d := range phase.Disks {
			w := &watched{name: d.Name, trace: d, active: overlap.Active(d, overlap.DefaultGapNS),
				curve: overlap.NewCurve(d)}
			direct := false
			for _, known := range run.Disks {
				if known.Name == d.Name {
					w.name = cmp.Or(known.Profile, d.Name)
					direct = trace.OwnPort(cmp.Or(phase.Connections[d.Name], known.Connection))
				}
			}
			switch paced := phase.Work[d.Name]; {
			case len(w.active) == 0 || paced.Probe > 0:
			case paced.IsPaced() || paced.Reads > 0:
				unclear = unclear || !direct
			case direct:
				r.observe(hub.Observation{Phase: phase.Name, Direct: true}, []*watched{w}, w.active)
			default:
				onHub = append(onHub, w)
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
	doubts [][]doubt // by observation and disk, as in Rates
}

// doubt is what a rate's error will come from.
type doubt struct {
	files float64 // how many equal files it rests on
	edges float64 // relative error by not knowing the bytes at its edges
}

// watched is a disk of a phase while its trace is read.
type watched struct {
	name   string
	trace  *trace.DiskRecord
	active []overlap.Span
	curve  *overlap.Curve
	last   float64 // its latest rate known, in the stage before
}

// rate is its mean rate in v, bytes per second.
func (w *watched) rate(v overlap.Span) float64 {
	return float64(w.curve.Between(v).Bytes) / v.Seconds()
}

func (r *reading) observeHub(phase string, disks []*watched) {
	active := make([][]overlap.Span, len(disks))
	for i, w := range disks {
		active[i] = w.active
	}
	stages := overlap.Stages(active)
	for i, stage := range stages {
		there := make([]*watched, len(stage.Active))
		for j, k := range stage.Active {
			there[j] = disks[k]
		}
		settled := stage.Span
		if i > 0 && stages[i-1].EndNS == stage.StartNS {
			before := stages[i-1]
			left := -1
			for _, k := range before.Active {
				if !slices.Contains(stage.Active, k) {
					left = k
				}
			}
			if left >= 0 {
				role := disks[left].trace.Op
				settled.StartNS = r.afterLeave(phase, role, there, stage.Span)
			}
		}
		if settled.Seconds() >= shortestS {
			r.observe(hub.Observation{Phase: phase}, there, []overlap.Span{settled})
		}
		if stage.Seconds() >= shortestS {
			tail := stage.Span
			tail.StartNS = max(min(settled.StartNS, tail.EndNS-int64(shortestS*1e9)), tail.StartNS)
			for _, w := range there {
				w.last = w.rate(tail)
			}
		}
	}
}

// afterLeave notes the lags of those who stay, and returns from when on all of them have settled:
// the end of the stage if some may not have.
func (r *reading) afterLeave(phase string, left trace.Role, there []*watched,
	stage overlap.Span) int64 {
	settledNS := stage.StartNS
	for _, w := range there {
		lag, certain, ok := w.lag(stage)
		if !ok {
			return stage.EndNS
		}
		r.Lags = append(r.Lags, hub.ObservedLag{
			Phase: phase, Stays: w.trace.Op, Left: left, Staying: len(there), Seconds: lag,
			Error: certain,
		})
		settledNS = max(settledNS, stage.StartNS+int64((lag+4*certain)*1e9))
	}
	return min(settledNS, stage.EndNS)
}

// lag finds when the disk rose from the rate it had to a new one: the split into the old level,
// which is known, and a new one with the least squares (a change point with one mean known;
// Hinkley, Biometrika 57, 1970). ok is false if it did not rise.
func (w *watched) lag(stage overlap.Span) (seconds, stdErr float64, ok bool) {
	bin := float64(binNS) / 1e9
	var rates []float64
	for ns := stage.StartNS; ns+binNS <= stage.EndNS; ns += binNS {
		rates = append(rates, w.rate(overlap.Span{StartNS: ns, EndNS: ns + binNS}))
	}
	need := int(shortestS / bin)
	if w.last <= 0 || len(rates) < need {
		return 0, 0, false
	}
	// Backwards: sums over rates[split:], against what is left at the old level.
	squaresBefore := 0.0
	for _, r := range rates {
		squaresBefore += (r - w.last) * (r - w.last)
	}
	best := math.Inf(1)
	split := len(rates)
	level := 0.0
	var sum, squares float64
	for i, r := range slices.Backward(rates) {
		sum += r
		squares += r * r
		squaresBefore -= (r - w.last) * (r - w.last)
		n := float64(len(rates) - i)
		if cost := squaresBefore + squares - sum*sum/n; cost < best {
			best = cost
			split = i
			level = sum / n
		}
	}
	if len(rates)-split < need || level < minGain*w.last {
		return 0, 0, false
	}
	// The bytes about the rise show when it was, between two instants at which they are known: if
	// samples lie far apart, its bin only shows that it was near.
	rise := stage.StartNS + int64(split)*binNS
	known := w.curve.Between(overlap.Span{StartNS: rise, EndNS: rise +
		int64(min(1, len(rates)-split))*binNS})
	wide := max(1, int(math.Ceil(float64(known.High-known.Low)/w.last/bin))) // bins
	from := max(split-wide, 0)
	to := min(split+wide, len(rates))
	bytes := 0.0
	for _, r := range rates[from:to] {
		bytes += r * bin
	}
	span := float64(to-from) * bin
	at := (level*span - bytes) / (level - w.last)
	seconds = float64(from)*bin + min(max(at, 0), span)
	// The smaller the rise, the more noise from file to file moves the split.
	perFile := overlap.Seconds(w.active) / float64(max(len(w.trace.Files), 1))
	luck := assumedNoise * level / (level - w.last)
	return seconds, bin/2 + luck*luck*perFile, true
}

func (r *reading) observe(o hub.Observation, disks []*watched, in []overlap.Span) {
	var doubts []doubt
	for _, w := range disks {
		var bytes, blur int64
		for _, v := range in {
			a := w.curve.Between(v)
			bytes += a.Bytes
			blur += a.High - a.Low
		}
		if bytes == 0 {
			return
		}
		rate := float64(bytes) / overlap.Seconds(in)
		o.Disks = append(o.Disks, hub.Observed{Disk: w.name, Op: w.trace.Op, Rate: rate})
		doubts = append(doubts, doubt{
			files: r.files(w, in, rate),
			// Anywhere within the bounds, evenly.
			edges: float64(blur) / float64(bytes) / math.Sqrt(12),
		})
	}
	r.Rates = append(r.Rates, o)
	r.doubts = append(r.doubts, doubts)
}

// files returns the noise of the files moved in the intervals, and how many files of equal size
// they are worth (Kish's effective number).
func (r *reading) files(w *watched, in []overlap.Span, rate float64) float64 {
	var sum, squares float64
	var deviations []float64 // deviations of whole files
	for i := range w.trace.Files {
		f := &w.trace.Files[i]
		for _, v := range in {
			piece := v.Within(overlap.Of(f))
			if !f.Usable() || piece.EndNS <= piece.StartNS {
				continue
			}
			bytes := float64(w.curve.Between(piece).Bytes)
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
