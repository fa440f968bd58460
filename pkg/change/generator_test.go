package change_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"sort"

	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// rate is GB/s at a time in seconds.
type rate func(s float64) float64

// player is a disk whose rate is known, played with noise: half of its variance is new in each
// file, the other half has a memory of .3 s.
type player struct {
	name       string
	rate       rate
	start, end float64
	largest    float64      // file, in bytes; 2 GB if 0
	perFile    float64      // seconds before a file's first byte
	tail       float64      // exponent of Pareto's distribution of the times of files; none if 0
	bouts      [][2]float64 // it works in these alone, the last file of each cut short
	sizes      func(rnd *rand.Rand, s float64) float64
}

const (
	playS   = 0.02
	sampleS = 0.05
	memoryS = 0.3
)

// play returns the disk's trace.
func (p player) play(rnd *rand.Rand, noise float64) *trace.DiskRecord {
	sizes := p.sizes
	if largest := cmp.Or(p.largest, 2e9); sizes == nil {
		sizes = func(rnd *rand.Rand, _ float64) float64 { return 2e6 + rnd.Float64()*(largest-2e6) }
	}
	spans := p.bouts
	if spans == nil {
		spans = [][2]float64{{p.start, p.end}}
	}
	sd := noise / math.Sqrt2
	keeps := math.Exp(-playS / memoryS)
	wave := sd * rnd.NormFloat64()
	var times, moved []float64
	sum := 0.0
	for at := p.start; at < spans[len(spans)-1][1]*1.4+20; at += playS {
		times = append(times, at)
		moved = append(moved, sum)
		wave = keeps*wave + sd*math.Sqrt(1-keeps*keeps)*rnd.NormFloat64()
		sum += max(p.rate(at)*1e9*(1+wave), 1) * playS
	}
	d := &trace.DiskRecord{Name: p.name, Op: trace.Write}
	for _, v := range spans {
		for now := v[0]; now < v[1]; {
			size := math.Round(sizes(rnd, now))
			factor := math.Exp(sd * rnd.NormFloat64())
			if p.tail > 0 {
				factor *= (p.tail - 1) / p.tail * math.Pow(rnd.Float64(), -1/p.tail)
			}
			first := now + p.perFile
			done := interpolate(first, times, moved)
			end := interpolate(done+size*factor, moved, times)
			if p.bouts != nil && end > v[1] {
				end = v[1]
				size = max(1, (interpolate(end, times, moved)-done)/factor)
			}
			f := trace.File{Seq: len(d.Files), StartNS: ns(now), EndNS: ns(end), Bytes: int64(size)}
			for at := now + sampleS; at < end-1e-6; at += sampleS {
				if at > first {
					bytes := (interpolate(at, times, moved) - done) / factor
					f.AddSample(trace.Sample{TNS: ns(at), Bytes: int64(bytes)})
				}
			}
			d.Files = append(d.Files, f)
			now = end
		}
	}
	return d
}

func ns(s float64) int64 { return int64(math.Round(s * 1e9)) }

func interpolate(at float64, x, y []float64) float64 {
	i := sort.SearchFloat64s(x, at)
	if i == 0 {
		return y[0]
	}
	if i == len(x) {
		return y[len(y)-1]
	}
	return y[i-1] + (y[i]-y[i-1])*(at-x[i-1])/(x[i]-x[i-1])
}

// histories plays disks and reads their traces.
func histories(rnd *rand.Rand, noise float64, players []player) []*ledger.History {
	var disks []*ledger.History
	for _, p := range players {
		d := p.play(rnd, noise)
		h := ledger.New(d, work.Work{Op: d.Op}, 500_000_000)
		h.Settle(len(players))
		h.Trim(h.LongestBurstS)
		disks = append(disks, &h)
	}
	return disks
}

// steady is one rate.
func steady(level float64) rate { return func(float64) float64 { return level } }

// steps are levels, each from a time on.
func steps(levels ...[2]float64) rate {
	return func(s float64) float64 {
		now := levels[0][1]
		for _, l := range levels {
			if s >= l[0] {
				now = l[1]
			}
		}
		return now
	}
}

// pulses are a level for a while at some times, and another one else.
func pulses(at []float64, width, level, other float64) rate {
	return func(s float64) float64 {
		in := slices.ContainsFunc(at, func(a float64) bool { return a <= s && s < a+width })
		if in {
			return level
		}
		return other
	}
}

// lines join points of time and rate.
func lines(points ...[2]float64) rate {
	var x, y []float64
	for _, p := range points {
		x = append(x, p[0])
		y = append(y, p[1])
	}
	return func(s float64) float64 { return interpolate(s, x, y) }
}
