package analysis

import (
	"slices"

	"github.com/hubbench/hubbench/pkg/stream"
)

// limited reports whether the disk goes no faster than its work asks: what it moves says nothing of what it could, and
// no claim is made about it. Its neighbours' rates are theirs all the same.
func (p *part) limited() bool { return p.work.Limited() }

// contends reports whether the disk wants all it can get, in one direction: only such disks share a total, take from one
// another, or have more or less than an even part.
func (p *part) contends() bool { return !p.limited() && p.work.Reads == 0 }

// allContend reports whether all of the phase's disks do. Else totals are partly a matter of choice, or their directions
// cannot be told by disk.
func (p *phase) allContend() bool {
	return !slices.ContainsFunc(p.parts, func(part part) bool { return !part.contends() })
}

// asks is the rate that a limited disk's work asks for at most, in bytes per second; 0 where that is not known.
func (p *part) asks() float64 {
	return max(p.work.Pace, stream.TotalRate(p.work.Streams))
}

// hasFiles reports whether the disk's files are files: those of streams and probes are stretches of time, cut for the
// trace.
func (p *part) hasFiles() bool { return len(p.work.Streams) == 0 && p.work.Probe == 0 }

// anyLimited reports whether one of the working disks goes no faster than its work asks.
func (p *Phase) anyLimited() bool {
	for disk := range p.Disks {
		if p.Paced[disk].Limited() {
			return true
		}
	}
	return false
}
