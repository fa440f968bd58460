package report

import (
	"cmp"
	"math"
	"strings"
)

// sizeChart is each file's rate against its size, with the size at which the rate changes; nil if
// all are of one size.
func (v *phaseView) sizeChart() *Chart {
	if v.top == 0 || v.smallB <= 0 || v.largeB < 1.2*v.smallB {
		return nil
	}
	c := &Chart{ID: "size", Keys: v.laneKeys(), Y: v.rates("rate", v.top),
		Caption: "Each mark is one file."}
	low, high := round125(v.smallB, v.largeB)
	c.X = Axis{Name: "file size", Unit: Bytes, Min: low, Max: high, Log: true}
	if v.many {
		c.Caption = "Strong lines: mean rate of files of that size; pale lines: 5th and 95th " +
			"percentile."
	}
	spread := math.Log(v.largeB / v.smallB)
	bySize := func(f transfer) (from, to float64) {
		at := math.Log(f.bytes/v.smallB) / spread
		return at, at
	}
	var knees []string
	for i, l := range v.lanes {
		if v.many {
			v.addBuckets(c, i, bySize, func(part float64) float64 {
				return roundForChart(v.smallB * math.Exp(spread*part))
			})
		} else {
			s := ChartSeries{Kind: Dots, Key: i, Name: "file"}
			for _, f := range l.files {
				s.point(roundForChart(f.bytes), v.rate(f.rate), f.number)
			}
			c.add(s)
		}
		if knee := l.stats.SizeKnee; knee != nil {
			at := bytesText(knee.AtBytes)
			c.Marks = append(c.Marks,
				Mark{At: roundForChart(knee.AtBytes), Upright: true, Key: i, Text: at})
			knees = append(knees, l.key.Label+" goes from "+v.Number(knee.BelowRate)+" to "+
				v.Rate(knee.AboveRate)+" at files of "+at)
		}
	}
	c.Title = cmp.Or(strings.Join(knees, ", "), "Rate against file size")
	return c
}

// sizesTable is a row per disk and size of file, or range of sizes; without rows if each disk's
// files are of one size.
func (v *phaseView) sizesTable() *Table {
	t := table("Rate by file size", words("Disk"),
		numbers("Size", "Files", "Median, "+v.Unit, "5th – 95th percentile"))
	t.ID = "sizes"
	t.Note = "Rates of single files in the whole phase, with the fixed time per file in them."
	for _, key := range v.disksWithFiles() {
		for _, bin := range v.found.Disks[key.Name].Sizes {
			size, last := bytesCell(bin.FromBytes), bytesCell(bin.ToBytes)
			size.Plain[1] = last.Plain[0]
			if last.Text != size.Text {
				size.Text += " – " + last.Text
			}
			spread := Cell{Text: none}
			if bin.Files > 1 {
				spread = v.rateSpan(bin.P05, bin.P95, " – ")
			}
			t.add(&key, size, bin.Files, v.rateCell(bin.Median), spread)
		}
	}
	return t
}

// bytesChart is each file's rate against all that the disk moved before, with the fall if there was
// one.
func (v *phaseView) bytesChart() *Chart {
	if v.top == 0 || v.sumB <= 0 {
		return nil
	}
	c := &Chart{ID: "worn", Keys: v.laneKeys(), Y: v.rates("rate", v.top)}
	c.X = Axis{Name: "moved so far", Unit: Bytes, Max: v.sumB}
	c.Caption = "From left to right: the bytes that the disk has moved in this phase so far."
	v.addFiles(c, roundForChart, func(f transfer) (from, to float64) {
		return f.movedB / v.sumB, (f.movedB + f.bytes) / v.sumB
	})
	var falls []string
	for i, l := range v.lanes {
		if t := l.stats.Throttle; t != nil {
			at := bytesText(t.AtBytes)
			c.Marks = append(c.Marks,
				Mark{At: roundForChart(t.AtBytes), Upright: true, Key: i, Text: at, Tone: Bad})
			falls = append(falls, v.fallText(l.key.Label, t.FromRate, t.ToRate, t.AtBytes))
		}
	}
	c.Title = cmp.Or(strings.Join(falls, ", "), "Rate against bytes moved")
	return c
}

// fallText says how a disk slowed down: "A falls from 2.30 to 0.650 GB/s after 23.9 GB".
func (s Scale) fallText(label string, from, to, atBytes float64) string {
	after := bytesText(atBytes)
	return label + " falls from " + s.Number(from) + " to " + s.Rate(to) + " after " + after
}
