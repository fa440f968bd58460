package scenario

import (
	"slices"
	"time"

	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Stock is the effect of a phase on one disk's test files.
type Stock struct {
	// Maximum size at one time, with what earlier phases leave for later ones and what is kept.
	Space int64
	// Bytes written before the release, if the files to read or go over are not there yet.
	Before int64
}

// Stock follows a disk's test files through the phases of the plan.
func (p *Plan) Stock(disk string) []Stock {
	stocks := make([]Stock, len(p.Phases))
	var left []int64 // files there are between the phases
	var kept int64
	for i, phase := range p.Phases {
		stock := &stocks[i]
		stock.Space = kept + sum(left)
		job, ok := phase.Job(disk)
		if !ok {
			continue
		}
		job = phase.most(job)
		missing, _ := split(job.Needs(), left)
		stock.Before = sum(missing)
		carried := p.CarryOver(i, disk)
		_, left = split(left, job.Beyond(carried))
		stock.Space = kept + sum(left) + job.space()
		if job.IO.Keep { // what goes on counts when it has been used for the last time
			_, on := split(job.leaves(), carried)
			kept += max(job.space()-sum(on), 0)
		}
		_, left = split(append(left, job.leaves()...), carried)
	}
	return stocks
}

// CarryOver returns the sizes of the files that the disk's next job in the plan, after the given
// phase, needs to exist. What this phase leaves of them need not be written again. After a try of a
// search that is the next try.
func (p *Plan) CarryOver(phase int, disk string) []int64 {
	if p.Phases[phase].Search == nil {
		phase++
	}
	for _, next := range p.Phases[phase:] {
		if job, ok := next.Job(disk); ok {
			if needs := next.most(job).Needs(); needs != nil {
				return needs
			}
		}
	}
	return nil
}

// Needs returns the sizes of the files that must be there before the job begins: those it reads, or
// the one it goes over.
func (j Job) Needs() []int64 {
	switch {
	case len(j.Streams) > 0:
		return j.streamFiles(false)
	case j.Probe > 0:
		size := int64(probeFile)
		if j.IO.Footprint > 0 {
			size = min(size, max(j.IO.Footprint/lastingUnit, 1)*lastingUnit)
		}
		return []int64{max(size, j.IO.Block)}
	case j.IO.OneFile && len(j.Sizes) > 0:
		return j.Sizes[:1]
	case j.Role == trace.Read || j.Reads > 0:
		return j.Sizes
	}
	return nil
}

// Beyond returns those of some files that the job neither needs nor makes.
func (j Job) Beyond(sizes []int64) []int64 {
	apart, _ := split(sizes, j.leaves())
	return apart
}

// leaves returns the sizes of the files there are at the end of the job that another may read. What
// a stream has recorded is not among them: it may have gaps.
func (j Job) leaves() []int64 {
	if need := j.Needs(); need != nil || len(j.Streams) > 0 {
		return need
	}
	return j.Sizes
}

// holds returns the sizes of the files there are at the end of the job, made by it or before it.
func (j Job) holds() []int64 {
	if len(j.Streams) > 0 {
		return j.StreamFiles()
	}
	return j.leaves()
}

// space returns what the job's own files take up at most, within its footprint.
func (j Job) space() int64 {
	sizes := j.holds()
	if j.IO.Footprint <= 0 || len(sizes) == 0 {
		return sum(sizes)
	}
	return min(sum(sizes), max(j.IO.Footprint, slices.Max(sizes)))
}

func sum(sizes []int64) int64 {
	var total int64
	for _, size := range sizes {
		total += size
	}
	return total
}

// split divides a multiset of sizes into those that are not among the others and those that are.
func split(sizes, others []int64) (apart, both []int64) {
	count := map[int64]int{}
	for _, size := range others {
		count[size]++
	}
	for _, size := range sizes {
		if count[size] > 0 {
			count[size]--
			both = append(both, size)
		} else {
			apart = append(apart, size)
		}
	}
	return apart, both
}

// The test files of jobs that last as long as others do: they are used over and over, so they are
// not in the job's Sizes.
const (
	// longestStretch is how much of a stream its test file holds, in time, and stretchBytes what
	// those of all streams of a disk come to at most, which is more than a disk's own memory; but
	// each holds shortestStretch.
	longestStretch  = 20 * time.Second
	shortestStretch = time.Second
	stretchBytes    = 8e9
	// probeFile is the size of the file that a probe reads at random: more than a disk's own
	// memory.
	probeFile = 1 << 30
	// lastingUnit divides their sizes, so that they are whole blocks and sectors.
	lastingUnit = 1 << 20
)

// stretch returns how much of each stream is on the disk at one time.
func stretch(specs []stream.Spec, footprint int64) time.Duration {
	room := stretchBytes
	if footprint > 0 {
		room = min(room, float64(footprint))
	}
	seconds := room / float64(streamSecond(specs))
	return max(shortestStretch, min(longestStretch, time.Duration(seconds*float64(time.Second))))
}

// StreamFiles returns the sizes of the test files of a streams job, in the order of its streams:
// each stream has its own.
func (j Job) StreamFiles() []int64 {
	return j.streamFiles(true)
}

// streamFiles returns the sizes of those that are played, and of those that are recorded if these
// are wanted too.
func (j Job) streamFiles(recorded bool) []int64 {
	long := j.Stretch
	if long == 0 {
		long = stretch(j.Streams, j.IO.Footprint)
	}
	var sizes []int64
	for _, s := range j.Streams {
		size := max(int64(s.Rate*long.Seconds())/lastingUnit, 1) * lastingUnit
		if recorded || !s.Record {
			sizes = append(sizes, slices.Repeat([]int64{size}, s.Count)...)
		}
	}
	return sizes
}

// Volume is the file system of a disk's folder, in bytes.
type Volume struct {
	Size int64
	Used int64 // by anyone
	Free int64 // for this user; less than the rest if some is reserved
}

// What stays free on a volume that is filled, besides the space for test files: a full file system
// is slower than the disk, and other programs may need space.
const (
	reservePart  = 50 // a fiftieth of the volume, and
	reserveBytes = 64 << 20
)

// Filling returns how many bytes fill a volume to a share of its size, existing data included.
// Space for the test files and a reserve must remain: if the share leaves less, the volume is
// filled as far as that allows, and whole is false.
func (v Volume) Filling(share float64, needed int64) (bytes int64, whole bool) {
	bytes = int64(share*float64(v.Size)) - v.Used
	most := v.Free - max(needed, 0) - v.Size/reservePart - reserveBytes
	return max(min(bytes, most), 0), bytes <= max(most, 0)
}

// KeepsFilling reports whether the phase after the given one wants volumes as full as that has
// them: then what they were filled with stays.
func (p *Plan) KeepsFilling(phase int) bool {
	if phase+1 == len(p.Phases) {
		return false
	}
	share := p.Phases[phase].Precondition
	return share > 0 && share == p.Phases[phase+1].Precondition
}

// Fillings returns how many bytes are written to a disk's volume before each phase, to fill it as
// that asks. They are wear, and they take up space until the phase is over, or the last of several
// that ask the same. A zero Volume, which is one that is not known, is not filled.
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
