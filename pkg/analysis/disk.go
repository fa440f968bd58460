package analysis

import (
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/stats"
)

// summarize describes a disk's files in the phase. Files without bytes or without time count nowhere; files that
// overlap others of their disk count in bytes and busy time, but have no rate of their own.
func (p *phase) summarize(part *part) Disk {
	d := Disk{Op: part.Trace.Op}
	files, work := part.transfers(&d)
	d.Rate = number(float64(d.Bytes) / d.BusyS)
	if !part.HasFiles() {
		d.Files = 0
		return d
	}
	if n := work - d.Files; n > 0 {
		p.warn(Warning{Code: "unusable_files", Disk: part.Name(), Values: map[string]float64{"files": float64(n), "of": float64(work)}})
	}
	if n := d.Files - len(files); n > 0 {
		p.warn(Warning{Code: "overlapping_files", Disk: part.Name(), Values: map[string]float64{"files": float64(n), "of": float64(d.Files)}})
	}
	if d.Files == 0 {
		return d
	}
	rates, sizes, times := make([]float64, len(files)), make([]float64, len(files)), make([]float64, len(files))
	for i, f := range files {
		rates[i], sizes[i], times[i] = f.rate(), f.bytes, f.seconds
	}
	slices.Sort(rates)
	s := stats.Summarize(rates)
	d.Mean, d.Median, d.Trimmed20 = number(s.Mean), number(s.Median), number(s.Trimmed20)
	d.P05, d.P95, d.CV = number(s.P05), number(s.P95), number(s.CV)
	if part.Limited() {
		return d
	}
	d.OLSRate, d.OLSLatencyS = fit(stats.OLS, sizes, times)
	d.TheilSenRate, d.TheilSenLatencyS = fit(stats.TheilSen, sizes, times)
	if len(files) > 0 && len(files) < fewest {
		p.warn(Warning{Code: "few_files", Disk: part.Name(), Values: map[string]float64{"files": float64(len(files))}})
	}
	d.Score = p.score(rates)
	d.Throttle = p.throttle(part)
	same := p.sameConditions(part, files, d.Throttle)
	p.sizeEffects(part, files, same, &d)
	p.bimodality(part, files, same, &d)
	d.Quote = p.quote(part, &d)
	return d
}

// transfers returns the usable files that share no time with another one of their disk, and counts all usable ones
// in d and all that are work. Filler, which keeps the disk busy for the others' sake, is in none of these.
func (p *part) transfers(d *Disk) (apart []transfer, work int) {
	files := p.Trace.Files
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
			apart = append(apart, transfer{float64(f.Bytes), seconds(f.EndNS - f.StartNS), f})
		}
	}
	return apart, work
}

// sizeEffects looks for what depends on the files' size, among those that met the same conditions. Files in order of
// size are all looked at, but no knee is told from them: it may as well be a change in time, and so may a throttle be
// an effect of size.
func (p *phase) sizeEffects(part *part, files, same []transfer, d *Disk) {
	if !bySize(files) {
		d.SizeKnee = sizeKnee(same, p.alpha.looks)
		d.SmallFiles = smallFiles(same)
		d.LowLatency = lowLatency(same, d.SmallFiles)
		return
	}
	d.SmallFiles = smallFiles(files)
	d.LowLatency = lowLatency(files, d.SmallFiles)
	if knee := sizeKnee(files, p.alpha.looks); knee != nil && d.Throttle != nil {
		d.Throttle = nil
		p.warn(Warning{Code: "size_or_time", Disk: part.Name(), Values: map[string]float64{"at_bytes": knee.AtBytes}})
	}
}
