package report

import (
	"slices"

	"github.com/hubbench/hubbench/pkg/analysis"
)

// raceFrames is how many moments of a phase are played back.
const raceFrames = 500

// track is what a disk did over time.
type track []stretch

// stretch is a time in which a disk moved at one rate.
type stretch struct{ from, to, rate float64 }

// trackOf returns what a chart over time says about a disk, in bytes per second.
func (r *runDoc) trackOf(c *Chart, disk string) (out track) {
	for _, s := range c.Series {
		if s.Key < 0 || c.Keys[s.Key].Name != disk || s.Faint {
			continue
		}
		for i, at := range s.Points {
			switch {
			case s.Kind == Files:
				out = append(out, stretch{at[0], at[1], at[2] * r.Size})
			case s.Kind == Line && i > 0:
				out = append(out, stretch{s.Points[i-1][0], at[0], at[1] * r.Size})
			}
		}
	}
	return out
}

// meanRate returns the mean rate of a stretch.
func (t track) meanRate(from, to float64) float64 {
	var moved float64
	for _, at := range t {
		moved += at.rate * max(0, min(to, at.to)-max(from, at.from))
	}
	return moved / (to - from)
}

// rateAt returns the rate at a moment, and whether the disk has finished.
func (t track) rateAt(moment float64) (rate float64, over bool) {
	over = true
	for _, at := range t {
		if at.from <= moment && moment < at.to {
			rate = at.rate
		}
		over = over && at.to <= moment
	}
	return rate, over
}

// playback returns the only phase to play back; with many disks, or without their files, no more
// than what its first state shows.
func (r *runDoc) playback(l *load, c *Chart) *Playback {
	p := &Playback{Text: l.work + ", mean with all disks busy"}
	if c == nil || len(l.disks) >= manyDisks {
		return p
	}
	var tracks []track
	for _, d := range l.disks {
		tracks = append(tracks, r.trackOf(c, d.Name))
	}
	p.Stages = r.stages(l, c, tracks)
	for i := range raceFrames {
		moment := c.X.Max * float64(i) / (raceFrames - 1)
		var rates []float64
		for _, t := range tracks {
			rate, _ := t.rateAt(moment)
			rates = append(rates, rate)
		}
		p.Frames = append(p.Frames, r.moment(l, tracks, rates, moment))
	}
	return p
}

// moment returns a load with other rates, and with the disks that have finished at a moment.
func (r *runDoc) moment(l *load, tracks []track, rates []float64, moment float64) FlowState {
	then := *l
	then.disks = slices.Clone(l.disks)
	then.rate = 0
	for i := range then.disks {
		d := &then.disks[i]
		d.rate = rates[i]
		d.kept = 0
		if d.baseline > 0 {
			d.kept = d.rate / d.baseline
		}
		then.rate += d.rate
	}
	s := r.flowState(&then)
	for i := range s.Disks {
		if _, over := tracks[i].rateAt(moment); over {
			s.Disks[i].Over = true
			s.Disks[i].Verb = "has finished"
		}
	}
	return s
}

// stages returns the chart's bands that have a name, and what follows the last where that is a
// loss.
func (r *runDoc) stages(l *load, c *Chart, tracks []track) (stages []FlowState) {
	add := func(from, to float64, text string, tone Sign, rates []float64) {
		s := r.moment(l, tracks, rates, (from+to)/2)
		s.From, s.To, s.Title, s.Tone = from, to, text, tone
		stages = append(stages, s)
	}
	means := func(from, to float64) (rates []float64) {
		for _, t := range tracks {
			rates = append(rates, t.meanRate(from, to))
		}
		return rates
	}
	var at float64
	for _, b := range c.Bands {
		if b.Text == "" || b.From < at || b.To <= b.From {
			continue
		}
		at = b.To
		rates := means(b.From, b.To)
		if b.Overlap { // as progress within the files has them, which the headline quotes
			rates = analysis.Each(l.disks, func(d loadDisk) float64 { return d.rate })
		}
		add(b.From, b.To, b.Text, b.Tone, rates)
	}
	if n := len(stages); n > 0 && stages[n-1].Tone == Bad && at < c.X.Max {
		add(at, c.X.Max, "afterwards", Unsigned, means(at, c.X.Max))
	}
	return stages
}
