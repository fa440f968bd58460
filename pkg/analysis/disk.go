package analysis

import (
	"slices"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/size"
	"github.com/hubbench/hubbench/pkg/stats"
)

// summarize describes a disk's files in the phase. Files without bytes or without time count nowhere; files that
// overlap others of their disk count in bytes and busy time, but have no rate of their own.
func (p *phase) summarize(part *part) {
	d := &part.out
	d.Op = part.Trace.Op
	files, all := size.Apart(part.Trace.Files)
	d.Files, d.Bytes, d.BusyS = all.Usable, all.Bytes, all.BusyS
	d.Rate = number(float64(d.Bytes) / d.BusyS)
	if !part.HasFiles() {
		d.Files = 0
		return
	}
	if n := all.Work - d.Files; n > 0 {
		p.warn(Warning{Code: "unusable_files", Disk: part.Name(), Values: FilesValues{Files: float64(n), Of: float64(all.Work)}})
	}
	if n := d.Files - len(files); n > 0 {
		p.warn(Warning{Code: "overlapping_files", Disk: part.Name(), Values: FilesValues{Files: float64(n), Of: float64(d.Files)}})
	}
	if d.Files == 0 {
		return
	}
	rates, sizes, times := make([]float64, len(files)), make([]float64, len(files)), make([]float64, len(files))
	for i, f := range files {
		rates[i], sizes[i], times[i] = f.Rate(), f.Bytes, f.Seconds
	}
	s := stats.Summarize(rates)
	d.Mean, d.Median, d.Trimmed20 = number(s.Mean), number(s.Median), number(s.Trimmed20)
	d.P05, d.P95, d.CV = number(s.P05), number(s.P95), number(s.CV)
	if part.Limited() {
		return
	}
	d.OLSRate, d.OLSLatencyS = size.Fit(stats.OLS, sizes, times)
	d.TheilSenRate, d.TheilSenLatencyS = size.Fit(stats.TheilSen, sizes, times)
	if len(files) > 0 && len(files) < size.MinFiles {
		p.warn(Warning{Code: "few_files", Disk: part.Name(), Values: FilesValues{Files: float64(len(files))}})
	}
	d.Score = p.score(rates)
	d.Throttle = p.throttle(part)
	same := p.sameConditions(part, files, d.Throttle)
	p.sizeEffects(part, files, same, d)
	p.bimodality(part, files, same, d)
	d.Quote = p.quote(part, d)
}

// sizeEffects looks for what depends on the files' size, among those that met the same conditions. Files in order of
// size are all looked at, but no knee is inferred from them: it may as well be a change in time, and so may a throttle be
// an effect of size.
func (p *phase) sizeEffects(part *part, files, same []size.File, d *Disk) {
	if !size.BySize(files) {
		d.SizeKnee = size.FindKnee(same, p.alpha.looks)
		d.SmallFiles = size.FindSmall(same)
		d.LowLatency = size.FindLowLatency(same, d.SmallFiles)
		return
	}
	d.SmallFiles = size.FindSmall(files)
	d.LowLatency = size.FindLowLatency(files, d.SmallFiles)
	if knee := size.FindKnee(files, p.alpha.looks); knee != nil && d.Throttle != nil {
		d.Throttle = nil
		p.warn(Warning{Code: "size_or_time", Disk: part.Name(), Values: SizeValues{AtBytes: knee.AtBytes}})
	}
}

// Score is what the program that a preset imitates would report for the disk: one of its passes stands for all.
type Score struct {
	Method string  `json:"method"` // median | best: of the counted passes
	Rate   float64 `json:"rate"`
	N      int     `json:"n"` // passes it was chosen from
}

// score is the original's figure for a disk's passes; nil if the phase follows no such program.
func (p *phase) score(rates []float64) *Score {
	if len(rates) == 0 {
		return nil
	}
	switch p.trace.Score {
	case scenario.ScoreMedian:
		return &Score{p.trace.Score, stats.Summarize(rates).Median, len(rates)}
	case scenario.ScoreBest:
		return &Score{p.trace.Score, slices.Max(rates), len(rates)}
	default:
		return nil
	}
}
