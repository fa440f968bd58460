package scenario

import (
	"slices"

	"github.com/hubbench/hubbench/pkg/trace"
)

// Stock is the effect of a phase on one disk's test files.
type Stock struct {
	Space  int64 // maximum size at one time, with what earlier phases leave for later ones and what is kept
	Before int64 // bytes written before the release, if the files to read or go over are not there yet
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

// CarryOver is the sizes of the files that the disk's next job in the plan, after the given phase, needs to
// exist. What this phase leaves of them need not be written again. After a try of a search that is the next try.
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

// Needs is the sizes of the files that must be there before the job begins: those it reads, or the one it
// goes over.
func (j Job) Needs() []int64 {
	switch {
	case len(j.Streams) > 0:
		return j.streamFiles(func(record bool) bool { return !record })
	case j.Probe > 0:
		return j.probeFiles()
	case j.IO.OneFile && len(j.Sizes) > 0:
		return j.Sizes[:1]
	case j.Role == trace.Read || j.Reads > 0:
		return j.Sizes
	}
	return nil
}

// Beyond is those of some files that the job neither needs nor makes.
func (j Job) Beyond(sizes []int64) []int64 {
	apart, _ := split(sizes, j.leaves())
	return apart
}

// leaves is the sizes of the files there are at the end of the job that another may read. What a stream has recorded is
// not among them: it may have gaps.
func (j Job) leaves() []int64 {
	if need := j.Needs(); need != nil || len(j.Streams) > 0 {
		return need
	}
	return j.Sizes
}

// holds is the sizes of the files there are at the end of the job, made by it or before it.
func (j Job) holds() []int64 {
	if len(j.Streams) > 0 {
		return j.StreamFiles()
	}
	return j.leaves()
}

// space is what the job's own files take up at most, within its footprint.
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
