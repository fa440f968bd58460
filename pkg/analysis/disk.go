package analysis

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/unit"
)

// summarize describes a disk's files in the phase. Files without bytes or without time count nowhere; files that
// overlap others of their disk count in bytes and busy time, but have no rate of their own.
func (p *phase) summarize(part *part) Disk {
	d := Disk{Op: part.trace.Op}
	files, work := part.transfers(&d)
	if n := work - d.Files; n > 0 {
		p.warnf("unusable_files", part.name(), "disk %s: %d of %d files have no bytes, or end no later than they start; they are left out", part.name(), n, work)
	}
	if n := d.Files - len(files); n > 0 {
		p.warnf("overlapping_files", part.name(), "disk %s: %d of %d files overlap others of the same disk; their rates are left out of the mean, the median and the rest", part.name(), n, d.Files)
	}
	if d.Files == 0 {
		return d
	}
	d.Rate = number(float64(d.Bytes) / d.BusyS)
	rates, sizes, times := make([]float64, len(files)), make([]float64, len(files)), make([]float64, len(files))
	for i, f := range files {
		rates[i], sizes[i], times[i] = f.rate(), f.bytes, f.seconds
	}
	slices.Sort(rates)
	s := stats.Summarize(rates)
	d.Mean, d.Median, d.Trimmed20 = number(s.Mean), number(s.Median), number(s.Trimmed20)
	d.P05, d.P95, d.CV = number(s.P05), number(s.P95), number(s.CV)
	d.OLSRate, d.OLSLatencyS = fit(stats.OLS, sizes, times)
	d.TheilSenRate, d.TheilSenLatencyS = fit(stats.TheilSen, sizes, times)
	if len(files) > 0 && len(files) < fewest {
		p.warnf("few_files", part.name(), "disk %s: %s: too few to judge the spread of the rates by", part.name(), plural(len(files), "file"))
	}
	d.Score = p.score(rates)
	d.Throttle = p.throttle(part)
	p.sizeEffects(part, files, &d)
	p.bimodality(part, rates, &d)
	p.quote(part, &d)
	return d
}

// transfers returns the usable files that share no time with another one of their disk, and counts all usable ones
// in d and all that are work. Filler, which keeps the disk busy for the others' sake, is in none of these.
func (p *part) transfers(d *Disk) (apart []transfer, work int) {
	files := p.trace.Files
	single := make([]bool, len(files))
	latest := -1 // the usable file so far that ends last
	var busy int64
	ended := int64(math.MinInt64)
	for i := range files {
		f := &files[i]
		if f.Filler {
			continue
		}
		work++
		if !f.Usable() {
			continue
		}
		d.Files++
		d.Bytes += f.Bytes
		busy += max(0, f.EndNS-max(f.StartNS, ended))
		single[i] = f.StartNS >= ended
		if !single[i] {
			single[latest] = false
		}
		if f.EndNS > ended {
			latest, ended = i, f.EndNS
		}
	}
	d.BusyS = seconds(busy)
	apart = make([]transfer, 0, d.Files)
	for i := range files {
		if f := &files[i]; single[i] {
			apart = append(apart, transfer{float64(f.Bytes), seconds(f.EndNS - f.StartNS), f.StartNS, f.EndNS})
		}
	}
	return apart, work
}

// sizeEffects looks for what depends on the files' size, among those that met the same conditions.
func (p *phase) sizeEffects(part *part, files []transfer, d *Disk) {
	same, ordered := part.sameConditions(files)
	d.SizeKnee = sizeKnee(same)
	d.SmallFiles = smallFiles(same)
	d.LowLatency = lowLatency(same, d.SmallFiles)
	if ordered && d.SizeKnee != nil && d.Throttle != nil {
		d.Throttle = nil
		p.warnf("size_or_time", part.name(), "disk %s: its rate changes at files of %s, but the files came in order of size: it may as well have changed with time",
			part.name(), unit.FormatBytes(int64(d.SizeKnee.AtBytes)))
	}
}

// How two modes are told.
const (
	dipP        = 0.05 // chance of such a dip in a sample with one mode
	modesApart  = 1.15 // ratio of the modes below which two are of no interest
	minority    = 0.02 // of the files: fewer are outliers, not a mode
	fewestModes = 10   // files without which nothing can be said
)

// bimodality tests the rates for two modes: by Hartigan's dip test, which misses a mode with less than about a tenth
// of the files, or by a throttle, which is two modes in time.
func (p *phase) bimodality(part *part, ascending []float64, d *Disk) {
	n := len(ascending)
	if n < fewestModes {
		return
	}
	chance := stats.DipP(stats.Dip(ascending), n)
	cut := stats.TwoGroups(ascending)
	modes := [2]float64{stats.Quantile(ascending[:cut], 0.5), stats.Quantile(ascending[cut:], 0.5)}
	fewer := min(cut, n-cut)
	bimodal := fewer >= fewest && float64(fewer) >= minority*float64(n) && modes[1] >= modesApart*modes[0] &&
		(chance <= dipP || d.Throttle != nil)
	d.Bimodal, d.DipP = &bimodal, number(chance)
	if !bimodal {
		return
	}
	d.Modes = &modes
	if slices.ContainsFunc(p.out.Recoveries, func(r Recovery) bool { return r.Disk == part.name() }) {
		return // with the others and after them: the recovery says it better
	}
	p.warnf("bimodal", part.name(), "disk %s: its files fall into two groups, near %s and %s; the mean of %s describes neither",
		part.name(), rate(modes[0]), rate(modes[1]), rate(*d.Mean))
}

// quote chooses the figure that describes the disk best: where others worked too, the rate in the window; where
// there are two modes, or a throttle, the Theil-Sen rate, which goes with the larger part of the bytes; else the
// trimmed mean.
func (p *phase) quote(part *part, d *Disk) {
	lasting := d.Throttle != nil || d.Bimodal != nil && *d.Bimodal
	switch {
	case len(p.parts) > 1 && p.out.Overlap != nil:
		d.Quote, d.QuoteRate = "overlap", number(p.out.Overlap.Disks[part.name()].Rate)
	case lasting && d.TheilSenRate != nil:
		d.Quote, d.QuoteRate = "theilsen_rate", d.TheilSenRate
	case lasting || d.Trimmed20 == nil:
		d.Quote, d.QuoteRate = "rate", d.Rate
	default:
		d.Quote, d.QuoteRate = "trimmed20", d.Trimmed20
	}
}
