package hub

// pace limits a disk to a rate. What the others keep it from moving it makes up for as fast as it can, but for no more
// than a second of it.
type pace struct {
	rate    float64 // bytes per second
	sinceNS int64
	arrears float64 // bytes at that time
	moved   float64
}

// begin starts without arrears.
func (p *pace) begin(tNS int64) { p.sinceNS = tNS }

// proceed brings the arrears to tNS, by which the disk has moved that many bytes at a constant rate since the last time.
func (p *pace) proceed(tNS int64, moved float64) {
	p.arrears += p.rate*float64(tNS-p.sinceNS)*1e-9 - (moved - p.moved)
	p.arrears = min(p.arrears, p.rate)
	p.sinceNS, p.moved = tNS, moved
}

// behind reports whether there is something to make up for.
func (p *pace) behind() bool { return p.arrears > tolerance }

// caughtUp is when there is nothing left to make up for at a rate.
func (p *pace) caughtUp(rate float64) int64 {
	if !p.behind() || rate <= p.rate {
		return never
	}
	return after(p.sinceNS, p.arrears/(rate-p.rate))
}
