package analysis

import "slices"

// limited reports whether the disk goes no faster than its work asks: what it moves says nothing of what it could, and
// no claim is made about it. Its neighbours' rates are theirs all the same.
func (p *part) limited() bool { return p.paced.Limited() }

// anyLimited reports whether one of the phase's disks is: then totals, and who has how much of them, are partly a matter
// of choice.
func (p *phase) anyLimited() bool {
	return slices.ContainsFunc(p.parts, func(part part) bool { return part.limited() })
}

// asks is the rate that a limited disk's work asks for at most, in bytes per second; 0 where that is not known.
func (p *part) asks() float64 {
	var sum float64
	for _, s := range p.paced.Streams {
		sum += s.TotalRate()
	}
	return max(p.paced.Rate, sum)
}

// hasFiles reports whether the disk's files are files: those of streams and probes are stretches of time, cut for the
// trace.
func (p *part) hasFiles() bool { return len(p.paced.Streams) == 0 && p.paced.Probe == 0 }

// limited reports whether the disk goes no faster than its work asks.
func (p *Phase) limited(disk string) bool { return p.Paced[disk].Limited() }

// anyLimited reports whether one of the working disks does.
func (p *Phase) anyLimited() bool {
	for disk := range p.Disks {
		if p.limited(disk) {
			return true
		}
	}
	return false
}
