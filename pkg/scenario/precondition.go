package scenario

// Volume is the file system of a disk's folder, in bytes.
type Volume struct {
	Size int64
	Used int64 // by anyone
	Free int64 // for this user; less than the rest if some is reserved
}

// What stays free on a volume that is filled, besides the space for test files: a full file system is slower than the
// disk, and other programs may need space.
const (
	reservePart  = 50 // a fiftieth of the volume, and
	reserveBytes = 64 << 20
)

// Filling is how many bytes fill a volume to a share of its size, existing data included. Space for the test files and a
// reserve must remain: if the share leaves less, the volume is filled as far as that allows, and whole is false.
func (v Volume) Filling(share float64, needed int64) (bytes int64, whole bool) {
	bytes = int64(share*float64(v.Size)) - v.Used
	most := v.Free - max(needed, 0) - v.Size/reservePart - reserveBytes
	return max(min(bytes, most), 0), bytes <= max(most, 0)
}

// KeepsFilling reports whether the phase after the given one wants volumes as full as that has them: then what they were
// filled with stays.
func (p *Plan) KeepsFilling(phase int) bool {
	return phase+1 < len(p.Phases) && p.Phases[phase].Precondition > 0 && p.Phases[phase].Precondition == p.Phases[phase+1].Precondition
}

// Fillings is how many bytes are written to a disk's volume before each phase, to fill it as that asks. They are wear, and
// they take up space until the phase is over, or the last of several that ask the same.
func (p *Plan) Fillings(disk string, v Volume) []int64 {
	fillings := make([]int64, len(p.Phases))
	stocks := p.Stock(disk)
	var filled int64
	for i, phase := range p.Phases {
		if _, works := phase.Job(disk); works && phase.Precondition > 0 {
			now := Volume{Size: v.Size, Used: v.Used + filled, Free: v.Free - filled}
			fillings[i], _ = now.Filling(phase.Precondition, stocks[i].Space)
			filled += fillings[i]
		}
		if !p.KeepsFilling(i) {
			filled = 0
		}
	}
	return fillings
}
