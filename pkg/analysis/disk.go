package analysis

import (
	"math"

	"github.com/hubbench/hubbench/pkg/stats"
)

// summarize describes a disk's files in the phase. Files without bytes or without time count nowhere; files that
// overlap others of their disk count in bytes and busy time, but have no rate of their own.
func (p *phase) summarize(part *part) Disk {
	d := Disk{Op: part.trace.Op}
	files := part.trace.Files
	single := apart(part)
	rates := make([]float64, 0, len(files))
	sizes := make([]float64, 0, len(files))
	times := make([]float64, 0, len(files))
	var busy int64
	ended := int64(math.MinInt64)
	for i := range files {
		f := &files[i]
		if !f.Usable() {
			continue
		}
		d.Files++
		busy += max(0, f.EndNS-max(f.StartNS, ended))
		ended = max(ended, f.EndNS)
		d.Bytes += f.Bytes
		if !single[i] {
			continue
		}
		length := seconds(f.EndNS - f.StartNS)
		rates = append(rates, float64(f.Bytes)/length)
		sizes = append(sizes, float64(f.Bytes))
		times = append(times, length)
	}
	name := part.trace.Name
	if n := len(files) - d.Files; n > 0 {
		p.warnf("unusable_files", name, "disk %s: %d of %d files have no bytes, or end no later than they start; they are left out", name, n, len(files))
	}
	if n := d.Files - len(rates); n > 0 {
		p.warnf("overlapping_files", name, "disk %s: %d of %d files overlap others of the same disk; their rates are left out of the mean, the median and the rest", name, n, d.Files)
	}
	if d.Files == 0 {
		return d
	}
	d.BusyS = seconds(busy)
	d.Rate = number(float64(d.Bytes) / d.BusyS)
	s := stats.Summarize(rates)
	d.Mean, d.Median, d.Trimmed20 = number(s.Mean), number(s.Median), number(s.Trimmed20)
	d.P05, d.P95, d.CV = number(s.P05), number(s.P95), number(s.CV)
	if line, ok := stats.OLS(sizes, times); ok && line.Slope > 0 {
		d.OLSRate, d.OLSLatencyS = number(1/line.Slope), number(line.Intercept)
	}
	if line, ok := stats.TheilSen(sizes, times); ok && line.Slope > 0 {
		d.TheilSenRate = number(1 / line.Slope)
	}
	if len(rates) > 0 && len(rates) < 3 {
		p.warnf("few_files", name, "disk %s: only %d files: no spread to judge the rates by", name, len(rates))
	}
	return d
}

// apart says of each file whether it shares no time with another one of its disk.
func apart(part *part) []bool {
	files := part.trace.Files
	single := make([]bool, len(files))
	latest := -1 // the usable file so far that ends last
	for i := range files {
		if !files[i].Usable() {
			continue
		}
		single[i] = true
		if latest >= 0 && files[i].StartNS < files[latest].EndNS {
			single[i], single[latest] = false, false
		}
		if latest < 0 || files[i].EndNS > files[latest].EndNS {
			latest = i
		}
	}
	return single
}
