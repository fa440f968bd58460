package report

import "math"

// spreadFigure shows how the rates of each disk's files spread: every file, or how many there are of each rate, and
// over them the middle nine tenths, the median and the mean.
func spreadFigure(v *phaseView) *Figure {
	if v.top == 0 {
		return nil
	}
	f := &Figure{
		ID: "spread", Title: "Distribution of file rates", Keys: v.laneKeys(), X: Axis{Name: "rate of a file, " + v.scale.Unit, Max: 1.05 * v.rate(v.top)},
		Text: v.each("Marks: single files. ", "Height: how many files. ") + "Bar: 5th to 95th percentile; thick line: median; ring: mean.",
	}
	var marks []Mark
	for i, l := range v.lanes {
		y := float64(i)
		if v.many {
			marks = append(marks, v.bins(i))
		} else {
			m := Mark{Shape: Point, Style: Faint, Key: i, Name: "file", Extra: []Extra{{"size", Bytes}}}
			for j, f := range l.files {
				if !f.filler { // multiples of the golden ratio spread evenly over the row
					_, part := math.Modf(float64(j) * 0.618034)
					m.Rows = append(m.Rows, []float64{v.rate(f.rate), Round(y+(part-0.5)*0.5, 4), Round(f.bytes, 4)})
				}
			}
			marks = append(marks, m)
		}
		if s := l.stats; s.P05 != nil && s.P95 != nil && s.Median != nil && s.Mean != nil {
			median := v.rate(*s.Median)
			marks = append(marks,
				Mark{Shape: Segment, Style: Ink, Key: i, Name: "5th to 95th percentile", Rows: [][]float64{{v.rate(*s.P05), v.rate(*s.P95), y, y}}},
				Mark{Shape: Segment, Style: Ink, Key: i, Name: "median", Rows: [][]float64{{median, median, y - 0.3, y + 0.3}}},
				Mark{Shape: Point, Style: Ring, Key: i, Name: "mean", Rows: [][]float64{{v.rate(*s.Mean), y}}})
		}
	}
	f.Panels = []Panel{rows(len(v.lanes), marks)}
	return f
}

// bins count a lane's files by their rate.
func (v *phaseView) bins(key int) Mark {
	const parts = 60
	counts, most := make([]int, parts), 1
	for _, f := range v.lanes[key].files {
		if !f.filler {
			at := min(parts-1, int(parts*f.rate/v.top))
			counts[at]++
			most = max(most, counts[at])
		}
	}
	m := Mark{Shape: Rectangle, Style: Faint, Key: key, Name: "files of this rate", Extra: []Extra{{"files", Plain}}}
	for i, n := range counts {
		if n > 0 {
			half := 0.4 * float64(n) / float64(most)
			m.Rows = append(m.Rows, []float64{
				v.rate(v.top * float64(i) / parts), v.rate(v.top * float64(i+1) / parts), Round(float64(key)-half, 4), Round(float64(key)+half, 4), float64(n),
			})
		}
	}
	return m
}
