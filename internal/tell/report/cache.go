package report

import (
	"fmt"
	"math"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/unit"
)

// bigCopy is what the page about a fast cache says the time for.
const bigCopy = 256e9

// ofCaches reports whether the answer is about fast caches.
func (r *runDoc) ofCaches() bool {
	return len(r.a.Saturations) > 0 && r.a.Saturations[0].Fall != nil && len(r.a.HubCosts) == 0 &&
		len(r.a.Answer.Loses) == 0 && !r.hasStreams()
}

// cachePage shows how fast a disk writes until its fast cache is full and from then on, how long a
// rest empties it, and what to count on.
func (r *runDoc) cachePage(p *Page, trusted bool) {
	s := &r.a.Saturations[0]
	p.Hero = r.cacheChart()
	if !trusted {
		return
	}
	fast, slow := s.Fall.FromRate, s.Fall.ToRate
	p.Numbers = nonEmptyNumbers(restNumber(s))
	if s.Fall.AtBytes < bigCopy {
		minutes := (s.Fall.AtBytes/fast + (bigCopy-s.Fall.AtBytes)/slow) / 60
		p.Numbers = append(p.Numbers, Number{Value: fmt.Sprintf("%.0f min", minutes),
			Text: fmt.Sprintf("to write %s in one go; at %s it would be %.0f", bytesText(bigCopy),
				r.Rate(fast), bigCopy/fast/60)})
	}
	p.Actions = []Action{newAction(
		"Count on "+r.Rate(slow)+" beyond "+bytesText(s.Fall.AtBytes), r.restAdvice(s))}
}

// restNumber says how much of the cache a rest gives back; without a value if none was tried.
func restNumber(s *analysis.Saturation) Number {
	b := s.Back
	switch {
	case b == nil:
		return Number{}
	case b.WithinS != nil:
		return Number{Value: unit.FormatSeconds(b.EnoughS()), Text: "of rest, and the cache is empty again"}
	}
	return Number{Value: pick(b.AtLeast, "≥", "") + percent(b.Regained),
		Text: "of the cache was back after " + unit.FormatSeconds(b.AfterS) +
			" of rest, the longest tried"}
}

func nonEmptyNumbers(numbers ...Number) (list []Number) {
	for _, n := range numbers {
		if n.Value != "" {
			list = append(list, n)
		}
	}
	return list
}

// savedS is how much sooner so many bytes are written to the cache than beyond it.
func savedS(f *analysis.Fall, bytes float64) float64 {
	return bytes/f.ToRate - bytes/f.FromRate
}

// restAdvice says whether to let the disk rest during a copy.
func (r *runDoc) restAdvice(s *analysis.Saturation) string {
	disk := r.label(s.Disk)
	b := s.Back
	switch {
	case b == nil:
		return "How long " + disk + " must rest was not measured."
	case b.WithinS == nil:
		return "How long " + disk + " needs to recover is unknown: longer than " +
			unit.FormatSeconds(b.AfterS) + ". Try longer rests."
	}
	restS := b.EnoughS()
	saved := savedS(s.Fall, b.Bytes)
	rest := unit.FormatSeconds(restS) + " of rest save " + unit.FormatSeconds(math.Round(saved)) +
		" of writing."
	if saved < restS {
		return "Don't pause a copy to let " + disk + " rest: " + rest
	}
	return "Let " + disk + " rest before a large copy: " + rest
}

// cacheChart is the rate of each disk that wrote alone until its fast cache was full, against the
// bytes written, with the levels before and after.
func (r *runDoc) cacheChart() *Chart {
	c := &Chart{ID: "cache", X: Axis{Name: "written so far", Unit: Bytes},
		Y:       Axis{Name: "rate, " + r.Unit},
		Caption: "Each disk writes without a pause; each line is one file."}
	c.Table = table("Speed by what is written", words("Disk", "Written"), numbers(r.Unit))
	c.Table.ID = "answer"
	var ends []string
	var lastFall float64
	for i := range r.a.Saturations {
		s := &r.a.Saturations[i]
		at, known := r.index[s.Alone]
		if !known {
			continue
		}
		v := r.view(at)
		key := v.key(s.Disk)
		c.Keys = append(c.Keys, key)
		if worn := v.bytesChart(); worn != nil {
			c.addDisk(worn, s.Disk)
		}
		if s.Fall == nil {
			c.Table.add(&key, "0 to "+bytesText(s.WroteBytes),
				r.rateCell(s.WroteBytes/max(v.endS, 1e-9)))
			continue
		}
		c.addFall(r.Scale, s.Fall, len(r.a.Saturations) == 1)
		full := bytesText(s.Fall.AtBytes)
		c.Table.add(&key, "0 to "+full, r.rateCell(s.Fall.FromRate))
		c.Table.add("", "more than "+full, r.rateCell(s.Fall.ToRate))
		lastFall = max(lastFall, s.Fall.AtBytes)
		ends = append(ends, r.fallText(v.label(s.Disk), s.Fall.FromRate, s.Fall.ToRate,
			s.Fall.AtBytes))
	}
	const afterFall = 3 // times what the disk wrote before
	// A disk that does not fall may write for long.
	if lastFall > 0 && c.X.Max > afterFall*lastFall {
		c.X.Max = afterFall * lastFall
		for i := range c.Series {
			c.Series[i].cut(c.X.Max)
		}
	}
	for i := range c.Marks {
		if m := &c.Marks[i]; m.Area && m.To == 0 {
			m.To = c.X.Max
		}
	}
	c.Title = "No disk falls while it writes"
	if len(ends) > 0 {
		c.Title = joined(", ", ends[:min(2, len(ends))]...)
	}
	return c
}

// addDisk takes over what a chart has of a disk, whose key is the last.
func (c *Chart) addDisk(from *Chart, disk string) {
	for _, series := range from.Series {
		if from.Keys[series.Key].Name == disk {
			series.Key = len(c.Keys) - 1
			c.add(series)
		}
	}
	c.X.Max = max(c.X.Max, from.X.Max)
	c.Y.Max = max(c.Y.Max, from.Y.Max)
}

// addFall marks where the last disk's cache is full and, if there is room for it, the levels before
// and after.
func (c *Chart) addFall(scale Scale, f *analysis.Fall, hasRoom bool) {
	key := len(c.Keys) - 1
	at := roundForChart(f.AtBytes)
	text := "full at " + bytesText(f.AtBytes)
	if half := f.CI95.Half(); half > 0 {
		text += fmt.Sprintf(", ±%.1f", max(0.1, half/1e9))
	}
	c.Marks = append(c.Marks, Mark{At: at, Upright: true, Text: text, Key: key})
	if !hasRoom {
		return
	}
	for _, level := range []struct{ rate, from, to float64 }{
		{f.FromRate, 0, at}, {f.ToRate, at, 0},
	} {
		c.Marks = append(c.Marks, Mark{At: level.rate / scale.Size, From: level.from, To: level.to,
			Area: true, Text: scale.Rate(level.rate), Key: key})
	}
}

// cut leaves out what lies beyond the end of an axis.
func (s *ChartSeries) cut(end float64) {
	points := s.Points
	s.Points = nil
	for _, point := range points {
		if point[0] <= end && (s.Kind != Files || point[1] <= end) {
			s.point(point...)
		}
	}
}

// rests shows for each disk that fell how much of its fast cache was back after a rest.
func (r *runDoc) rests() (sections []Block) {
	for i := range r.a.Saturations {
		s := &r.a.Saturations[i]
		if s.Fall == nil || len(s.Bursts) == 0 {
			continue
		}
		d := &Details{ID: "regained", Title: "What a rest gives back", Open: true, Printed: true}
		if i > 0 {
			d.ID = fmt.Sprintf("regained-%d", i+1)
		}
		if len(r.a.Saturations) > 1 {
			d.Title += ": " + r.label(s.Disk)
		}
		d.Does = r.restText(s)
		rows := r.restRows(s)
		rows.ID = d.ID
		d.Add(rows)
		sections = append(sections, d)
	}
	return sections
}

// restText says what the rows of rests show, or that no rest helped.
func (r *runDoc) restText(s *analysis.Saturation) string {
	half := 0.0
	helped := false
	for _, b := range s.Bursts {
		half = max(half, 2*b.SEBytes)
		helped = helped || b.FastBytes > 2*b.SEBytes
	}
	if !helped {
		return "Nothing: after no rest did " + r.label(s.Disk) + " write more than " +
			bytesText(half) + " fast again."
	}
	return "How much " + r.label(s.Disk) + " wrote fast again after a rest, ±" + bytesText(half) +
		" (95% confidence). Time saved: against writing the same at " + r.Rate(s.Fall.ToRate) + "."
}

// restRows has a row for each rest that was tried.
func (r *runDoc) restRows(s *analysis.Saturation) *Rows {
	h := &Rows{Head: "Rest", Columns: numbers("Fast again", "Of its cache", "Time saved")}
	h.Columns[2].Drop = 1
	h.Axis.High = s.Fall.AtBytes
	key := r.Keys[r.keyOf(s.Disk)]
	for _, b := range s.Bursts {
		h.Axis.High = max(h.Axis.High, b.FastBytes)
		h.Rows = append(h.Rows, r.restRow(s, b, &key))
	}
	h.Axis.name(bytesText)
	return h
}

func (r *runDoc) restRow(s *analysis.Saturation, b ledger.Burst, key *LegendKey) Row {
	bytes := bytesCell(int64(b.FastBytes))
	bytes.Text = pick(b.AtLeast, "≥ ", "") + bytes.Text
	share := shareCell(b.FastBytes / s.Fall.AtBytes)
	share.Strong = true
	saved := Cell{Text: "none"}
	back := b.FastBytes
	if b.FastBytes < 2*b.SEBytes {
		back = 0
		bytes = Cell{Text: "< " + bytesText(2*b.SEBytes)}
		share.Text = percent(0)
	} else if seconds := savedS(s.Fall, b.FastBytes); seconds > 0 {
		saved = secondsCell(seconds, "under 1 s")
		if seconds >= 1 {
			saved.Text = unit.FormatSeconds(math.Round(seconds))
		}
	}
	return Row{Label: unit.FormatSeconds(b.RestS), Key: key,
		Bars: []RowBar{{To: back}}, Numbers: []Cell{bytes, share, saved}}
}
