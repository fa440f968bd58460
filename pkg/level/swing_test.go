package level

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

// turns is a rate that is low for that many seconds, then 100 for that many, and so on.
func turns(low float64, lowS, highS int) func(int) float64 {
	return func(s int) float64 {
		if s%(lowS+highS) < lowS {
			return low
		}
		return 100
	}
}

func TestFindSwing(t *testing.T) {
	for _, tt := range []struct {
		name     string
		rate     func(int) float64
		low      float64 // 0: no swing
		lowShare float64
		runs     int
	}{
		{"in even turns", turns(50, 5, 5), 50, 0.5, 12},
		{"in uneven turns", turns(50, 4, 8), 50, 1. / 3, 10},
		{"four levels", turns(50, 15, 15), 50, 0.5, 4},
		{"three levels", turns(50, 20, 20), 0, 0, 0},
		{"a gap of a tenth", turns(90, 5, 5), 0, 0, 0},
		{"bursts of two seconds", turns(150, 2, 10), 0, 0, 0},
		{"turns of a second", turns(50, 1, 1), 0, 0, 0},
		{"half of the time only", func(s int) float64 {
			if s >= 28 {
				return 200
			}
			return turns(50, 4, 4)(s)
		}, 0, 0, 0},
		{"levels that differ among themselves", func(s int) float64 { return []float64{100, 60, 140, 30, 100, 20}[s/10%6] }, 0, 0, 0},
		{"waves", func(s int) float64 { return 75 + 25*math.Sin(2*math.Pi*float64(s)/20) }, 0, 0, 0},
		{"turns by way of the middle", func(s int) float64 { return []float64{50, 50, 50, 50, 67, 83, 100, 100, 100, 100, 83, 67}[s%12] }, 0, 0, 0},
	} {
		s := settled(60, func(s int) float64 { return tt.rate(s) * (1 + 0.01*math.Sin(float64(s*s))) }).findSwing(0.01)
		if (s != nil) != (tt.low > 0) {
			t.Errorf("%s: %+v", tt.name, s)
		}
		if s == nil || tt.low == 0 {
			continue
		}
		check.Near(t, tt.name+": low", tt.low*1e6, s.Low, 2e6)
		check.Near(t, tt.name+": high", 100e6, s.High, 2e6)
		check.Near(t, tt.name+": share", tt.lowShare, s.LowShare, 0.02)
		if s.Runs != tt.runs || !s.Holds(ns(30)) || s.Holds(s.EndNS+ns(1)) {
			t.Errorf("%s: %+v", tt.name, s)
		}
	}
}

func TestFindDrift(t *testing.T) {
	slope := func(from, to float64) func(int) float64 {
		return func(s int) float64 { return (from + (to-from)*float64(s)/60) * (1 + 0.01*math.Sin(float64(s*s))) }
	}
	for _, tt := range []struct {
		name  string
		rate  func(int) float64
		lastS float64
		to    float64 // 0: no drift
	}{
		{"down", slope(100, 60), 60, 60},
		{"up", slope(100, 130), 60, 130},
		{"by less than it takes", slope(100, 90), 60, 0},
		{"too short", slope(100, 20), 14, 0},
		{"a step", tracetest.Steps(100, [2]float64{30, 60}), 60, 0},
		{"stairs", tracetest.Steps(100, [2]float64{15, 88}, [2]float64{30, 76}, [2]float64{45, 64}), 60, 0},
		{"level", tracetest.Steps(100), 60, 0},
	} {
		d := settled(60, tt.rate).FindDrift(span(0, tt.lastS), 0.01)
		if (d != nil) != (tt.to > 0) {
			t.Errorf("%s: %+v", tt.name, d)
		}
		if d != nil && tt.to > 0 {
			check.Near(t, tt.name+": from", 100e6, d.From, 4e6)
			check.Near(t, tt.name+": to", tt.to*1e6, d.To, 4e6)
		}
	}
}

// stillFile is a file of 100 MB that takes a second, with progress each tenth except for a flush of one at its end. From stillS on it
// stands still for that many seconds, with samples meanwhile or without.
func stillFile(atS, stillS, forS float64, meanwhile bool) trace.File {
	f := trace.File{StartNS: ns(atS), EndNS: ns(atS + 1 + forS), Bytes: 100e6}
	for k := 1; k < 10; k++ {
		s := float64(k) / 10
		if s > stillS {
			s += forS
		}
		f.AddSample(trace.Sample{TNS: ns(atS + s), Bytes: int64(k) * 10e6})
		for still := 0.1; meanwhile && s == stillS && still < forS-0.05; still += 0.1 {
			f.AddSample(trace.Sample{TNS: ns(atS + s + still), Bytes: int64(k) * 10e6})
		}
	}
	return f
}

// The disk has ten files of a second; what happens in another, from 10 s on, is a stall or is not.
func TestFindStalls(t *testing.T) {
	slow := trace.File{StartNS: ns(10), EndNS: ns(13), Bytes: 1e6}
	for k := 1; k < 30; k++ {
		slow.AddSample(trace.Sample{TNS: ns(10 + float64(k)/10), Bytes: int64(k) * 1e6 / 30})
	}
	for _, tt := range []struct {
		name string
		last trace.File
		edit func(files []trace.File) // of the ten
		want []overlap.Span
	}{
		{"samples meanwhile", stillFile(10, 0.5, 3, true), nil, []overlap.Span{span(10.5, 13.5)}},
		{"none meanwhile", stillFile(10, 0.5, 3, false), nil, []overlap.Span{span(10.5, 13.5)}},
		{"just long enough", stillFile(10, 0.5, 1.1, true), nil, []overlap.Span{span(10.5, 11.6)}},
		{"too short", stillFile(10, 0.5, 0.8, true), nil, nil},
		{"at the end", stillFile(10, 0.9, 3, false), nil, []overlap.Span{span(10.9, 13.9)}},
		{"a flush like all others", stillFile(10, 0.9, 3, false), func(files []trace.File) {
			for i := range files {
				files[i] = stillFile(4*float64(i)-30, 0.9, 3, false)
			}
		}, nil},
		{"a file slow as a whole", slow, nil, nil},
		{"several at once", stillFile(10, 0.5, 3, true), func(files []trace.File) { files[1].StartNS -= 1e8 }, nil},
		{"most without samples", stillFile(10, 0.5, 3, true), func(files []trace.File) {
			for i := range 6 {
				files[i].Progress = nil
			}
		}, nil},
	} {
		d := &trace.DiskRecord{Name: "A", Op: trace.Write}
		for i := range 10 {
			d.Files = append(d.Files, stillFile(float64(i), 0, 0, false))
		}
		if tt.edit != nil {
			tt.edit(d.Files)
		}
		d.Files = append(d.Files, tt.last)
		p := bare(d)
		p.findStalls()
		near := cmp.Comparer(func(a, b int64) bool { return max(a-b, b-a) <= 15e7 }) // without samples it is dated by the mean rate
		check.Same(t, tt.name, tt.want, p.Stalls, near)
	}
}
