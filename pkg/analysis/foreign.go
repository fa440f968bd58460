package analysis

import (
	"github.com/hubbench/hubbench/pkg/meter"
	"github.com/hubbench/hubbench/pkg/trace"
)

// busyCPU is the share of all cores' time, in percent, from which the host has nothing to spare.
const busyCPU = 95

// host is how busy the host's cores were in the window.
func (p *phase) host() {
	var all []meter.Reading
	for _, v := range p.window {
		all = append(all, meter.In(p.meters.Of("", trace.CPU), v)...)
	}
	if len(all) < 3 {
		return
	}
	var sum float64
	for _, r := range all {
		sum += r.Value
	}
	p.out.CPUPercent = number(sum / float64(len(all)))
}

// gauges tells what the meters found of a phase.
func (f *finder) gauges() {
	p := f.phase
	if c := p.CPUPercent; c != nil && *c >= busyCPU {
		f.once(Finding{Code: "host_bound", Values: map[string]float64{"percent": *c}, Weight: 0.8})
	}
	for _, name := range f.order {
		d := p.Disks[name].Device
		if d == nil || d.Disks[0] != name {
			continue
		}
		if t := d.Foreign; t != nil {
			share := t.Bytes / float64(max(1, d.CountedReadBytes+d.CountedWriteBytes))
			f.most(about(d.Disks, Finding{Code: "foreign_traffic", Weight: 1 + min(1, share),
				Values: map[string]float64{"bytes": t.Bytes, "rate": t.Rate, "from_s": t.FromS, "to_s": t.ToS, "share": share}}))
		}
		if d.CachedBytes > 0 {
			share := float64(d.CachedBytes) / float64(d.CountedReadBytes)
			f.most(about(d.Disks, Finding{Code: "cached", Weight: 1 + share,
				Values: map[string]float64{"bytes": float64(d.CachedBytes), "share": share, "counted": float64(d.CountedReadBytes), "device": float64(*d.ReadBytes)}}))
		}
	}
}
