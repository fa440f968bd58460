package ledger

import (
	"fmt"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/trace"
)

func TestBlurAndOutlasts(t *testing.T) {
	for _, tt := range []struct {
		files []float64 // starts
		want  float64
	}{
		{nil, 0.3}, {[]float64{1}, 0.3}, {[]float64{1, 9}, 3}, {[]float64{1, 9, 9.5}, 1.3},
		{[]float64{1, 9.9, 9.95, 10}, 0.4},
	} {
		d := &trace.DiskRecord{}
		for _, s := range tt.files {
			d.Files = append(d.Files, trace.File{StartNS: ns(s)})
		}
		check.Near(t, "blur", tt.want, seconds((&History{Trace: d}).Blur(ns(10))), 1e-9)
	}
	for length, want := range map[float64]bool{0.9: false, 1: true} {
		check.Same(t, fmt.Sprintf("%v s hold", length), want,
			(&History{}).OutlastsBursts(span(0, length)))
	}
	for length, want := range map[float64]bool{5.9: false, 6: true} {
		check.Same(t, fmt.Sprintf("%v s hold beside an excursion of 4", length), want,
			(&History{LongestBurstS: 4}).OutlastsBursts(span(0, length)))
	}
}

// From 50 the disk climbs to the highest level, and stays there while it keeps more than
// half of the climb.
func TestClimb(t *testing.T) {
	for _, tt := range []struct {
		name      string
		levels    [][2]float64 // seconds, MB/s
		first     int
		at, until float64
		want      overlap.Span
	}{
		{
			"in two steps", [][2]float64{{10, 50}, {5, 80}, {10, 100}, {5, 74}, {10, 100}}, 0, 10,
			40, span(15, 25),
		},
		{
			"and keeps half of it", [][2]float64{{10, 50}, {5, 80}, {10, 100}, {5, 75}, {10, 100}},
			0, 10, 40, span(15, 40),
		},
		{
			"to the next event", [][2]float64{{10, 50}, {5, 80}, {10, 100}, {5, 75}, {10, 100}}, 0,
			10, 20, span(15, 20),
		},
		{
			"which is just after the second step",
			[][2]float64{{10, 50}, {5, 80}, {10, 100}, {5, 75}, {10, 100}}, 0, 10, 15.5,
			span(10, 15.5),
		},
		{
			"or a little later", [][2]float64{{10, 50}, {5, 80}, {10, 100}, {5, 75}, {10, 100}}, 0,
			10, 15.6, span(15, 15.6),
		},
		{"it rose before the event", [][2]float64{{10, 50}, {30, 100}}, 0, 12, 40, span(12, 40)},
		{"it falls", [][2]float64{{10, 50}, {30, 40}}, 0, 10, 40, span(10, 10)},
		{"it stays", [][2]float64{{10, 50}, {30, 50}}, 0, 10, 40, span(10, 10)},
		{"no level after", [][2]float64{{40, 50}}, 0, 30, 40, span(30, 30)},
		{"from a later level", [][2]float64{{10, 50}, {10, 20}, {20, 40}}, 1, 20, 40, span(20, 40)},
	} {
		var levels []Level
		at := 0.0
		for _, l := range tt.levels {
			levels = append(levels, flatLevel(span(at, at+l[0]), 1e6*l[1]))
			at += l[0]
		}
		if got := Climb(levels, tt.first, ns(tt.at), ns(tt.until)); got != tt.want {
			t.Errorf("%s: from %v to %v s, want %v", tt.name, seconds(got.StartNS),
				seconds(got.EndNS), tt.want)
		}
	}
}
