package analysis

import (
	"slices"

	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/size"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// The kinds of figures that Quote recommends.
const (
	QuoteOverlap = "overlap"
	QuoteLater   = "later"
	QuoteSettled = "settled"
	QuoteMean    = "mean"
)

// summary is what a disk's files in a phase come to.
type summary struct {
	figures DiskResult // those of its files
	fall    *Throttle  // without its cause
	warnings
}

// summarize describes a disk's files in the phase. Files without bytes or without time count
// nowhere; files that overlap others of their disk count in bytes and busy time, but have no rate
// of their own.
func (p *phase) summarize(part *diskPart) (out summary) {
	d := &out.figures
	d.Op = part.Trace.Op
	files := part.files
	all := part.all
	d.Bytes = all.Bytes
	d.BusyS = all.BusyS
	d.Steady, out.warnings = p.steady(part)
	warn := func(code string, values any, format string, args ...any) {
		out.warnings.add(part.Name(), code, values, format, args...)
	}
	if written := p.meters.Of(part.Name(), trace.CachedWrites); len(written) > 0 {
		d.CachedWrites = int64(written[0].Value)
		warn("cached_writes", BlockValues{written[0].Value}, "its writes of %s went through "+
			"this computer's cache, which reads and writes whole pages: its rate is the cache's "+
			"and not the disk's", unit.FormatBlock(d.CachedWrites))
	}
	d.Rate = number(float64(d.Bytes) / d.BusyS)
	if !part.HasFiles() {
		return out
	}
	d.Files = all.Usable
	if n := all.Work - d.Files; n > 0 {
		warn("unusable_files", FilesValues{Files: float64(n), Of: float64(all.Work)},
			"%d of %d files have no bytes, or end no later than they start; they are left out", n,
			all.Work)
	}
	if n := d.Files - len(files); n > 0 {
		warn("overlapping_files", FilesValues{Files: float64(n), Of: float64(d.Files)},
			"%d of %d files overlap others of the same disk: their bytes count, as of files in "+
				"flight together, but their own rates are left out of the mean, the median and "+
				"the rest; if these are two phases of one name, give each its own name", n, d.Files)
	}
	if d.Files == 0 {
		return out
	}
	rates := make([]float64, len(files))
	for i := range files {
		rates[i] = size.Rate(&files[i])
	}
	s := stats.Summarize(rates)
	d.Mean, d.Median, d.Trimmed20 = number(s.Mean), number(s.Median), number(s.Trimmed20)
	d.P05, d.P95, d.CV = number(s.P05), number(s.P95), number(s.CV)
	if part.IsPaced() {
		return out
	}
	if !p.noSizes {
		d.Fits = size.Fit(files)
		d.Sizes = size.Bins(files)
	}
	if len(files) > 0 && len(files) < size.MinFiles {
		warn("few_files", FilesValues{Files: float64(len(files))},
			"%s: too few to judge the spread of the rates by", unit.Plural(len(files), "file"))
	}
	d.Score = p.score(s.Median, rates)
	out.fall = p.throttle(part)
	same := p.sameConditions(part, files)
	if !size.Ordered(files) {
		d.SizeKnee = size.FindKnee(same, p.alpha.comparisons)
	} else if out.fall != nil {
		at := float64(files[0].Bytes)
		for i := range files {
			if seconds(files[i].StartNS) <= out.fall.AtS {
				at = float64(files[i].Bytes)
			}
		}
		warn("size_or_time", SizeValues{at}, "its rate fell at files of %s, but the files "+
			"came in order of size: their size may as well be why", byteSize(at))
	}
	if m := size.FindModes(same); m != nil {
		bimodal := m.Clear && m.P <= modesRate/float64(p.alpha.comparisons)
		d.DipP, d.Bimodal = &m.P, &bimodal
		if bimodal { // Files at equal conditions fall into two groups.
			d.Modes = &m.Rates
			warn("bimodal", ModesValues{Low: d.Modes[0], High: d.Modes[1], Mean: *d.Mean},
				"its files fall into two groups, near %s and %s; the mean of %s describes neither",
				p.scale.Rate(d.Modes[0]), p.scale.Rate(d.Modes[1]), p.scale.Rate(*d.Mean))
		}
	}
	d.Quote = p.quote(part, &out)
	return out
}

// score returns what the program that a preset takes after would report; nil if there is none.
func (p *phase) score(median float64, rates []float64) *Score {
	switch n, method := len(rates), p.trace.Score; {
	case n > 0 && method == scenario.ScoreMedian:
		return &Score{method, median, n}
	case n > 0 && method == scenario.ScoreBest:
		return &Score{method, slices.Max(rates), n}
	}
	return nil
}

// sameConditions returns those files of the disk, of the stretch that holds most, between which
// nothing changed: no other disk began or ended its work, and the disk kept one level.
func (p *phase) sameConditions(part *diskPart, files []size.Transfer) []size.Transfer {
	var edges []int64
	for _, other := range p.others(part) {
		edges = append(edges, other.StartNS(), other.EndNS())
	}
	for _, level := range part.Levels {
		edges = append(edges, level.StartNS)
	}
	slices.Sort(edges)
	var most []size.Transfer
	for from := 0; from < len(files); {
		k, _ := slices.BinarySearch(edges, files[from].StartNS+1)
		to := from
		for to < len(files) && (k == len(edges) || files[to].EndNS <= edges[k]) {
			to++
		}
		if to-from > len(most) {
			most = files[from:to]
		}
		from = max(to, from+1)
	}
	return most
}

// settledRate returns the disk's rate over the intervals without standstills, 0 if they are too
// short.
func (p *diskPart) settledRate(in []overlap.Span) float64 {
	m, _ := p.Measure(in...)
	if m.DurationS < overlap.ShortS {
		return 0
	}
	return m.Rate
}

// steady returns since when the disk was steady, by its rates in windows (see stats.SteadySince),
// in a phase that was to go on until all are. Of one that was not at the end no rate is given.
// Writes that were steady and never fell may have gone to a fast cache that was not full yet.
func (p *phase) steady(part *diskPart) (s *Steady, warned warnings) {
	windowNS := p.trace.SteadyNS
	if windowNS <= 0 || part.IsPaced() || len(part.Active) == 0 {
		return nil, nil
	}
	n := max(0, int(part.EndNS()/windowNS)) // Below zero if all ended before the release.
	rates := part.Curve.Rates([]overlap.Span{{EndNS: int64(n) * windowNS}}, n)
	since, ok := stats.SteadySince(rates)
	if !ok {
		warned.add(part.Name(), "not_steady", WindowValues{seconds(windowNS)}, "its rate was not "+
			"steady when the phase ended (SNIA PTS, %s windows), so no steady rate is given",
			unit.FormatSeconds(seconds(windowNS)))
		return nil, warned
	}
	v := overlap.Between(int64(since)*windowNS, part.EndNS())
	s = &Steady{WindowS: seconds(windowNS), SinceS: seconds(v.StartNS), Rate: part.RateIn(v)}
	if e, doubt := part.Curve.Flow([]overlap.Span{v}).Estimate(); doubt == stats.NoDoubt {
		s.CI95 = interval(e)
	}
	if !stats.Fell(rates, since) && part.Trace.Op == trace.Write && p.trace.Saturation == nil {
		bytes := s.Rate * seconds(part.EndNS())
		warned.add(part.Name(), "steady_unfallen", UnfallenValues{Rate: s.Rate, Bytes: bytes},
			"it wrote at a steady %s and never slowed in %s: its fast cache may not be full yet; "+
				"preset: saturation finds where it ends", p.scale.Rate(s.Rate), byteSize(bytes))
	}
	return s, warned
}
