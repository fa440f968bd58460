package diskio

import (
	"slices"

	"github.com/hubbench/hubbench/pkg/scenario"
)

// Leave is the sizes of the files that the disk's next job in the plan, after the given phase, needs to
// exist. What this phase leaves of them need not be written again; it is the Leave of a Job.
func Leave(plan *scenario.Plan, phase int, disk string) []int64 {
	for _, p := range plan.Phases[phase+1:] {
		for _, job := range p.Jobs {
			if need := existing(job); job.Disk == disk && need != nil {
				return need
			}
		}
	}
	return nil
}

// Space is the most bytes that the disk's test files take up in each phase of the plan, with what earlier
// phases leave for later ones and what is kept.
func Space(plan *scenario.Plan, disk string) []int64 {
	space := make([]int64, len(plan.Phases))
	var left []int64 // files there are between the phases
	var kept int64
	for i, p := range plan.Phases {
		space[i] = kept + sum(left)
		for _, job := range p.Jobs {
			if job.Disk != disk {
				continue
			}
			leave := Leave(plan, i, disk)
			own := produced(job)
			left = common(left, without(leave, own))
			space[i] = kept + sum(left) + most(job, own)
			if job.IO.Keep {
				kept += most(job, own)
			}
			left = common(append(left, own...), leave)
		}
	}
	return space
}

// produced is the sizes of the files there are at the end of the job, made by it or before it.
func produced(job scenario.Job) []int64 {
	if need := existing(job); need != nil {
		return need
	}
	return job.Sizes
}

// most is what files of these sizes take up within the job's footprint.
func most(job scenario.Job, sizes []int64) int64 {
	if job.IO.Footprint <= 0 || len(sizes) == 0 {
		return sum(sizes)
	}
	return min(sum(sizes), max(job.IO.Footprint, slices.Max(sizes)))
}

func sum(sizes []int64) int64 {
	var total int64
	for _, size := range sizes {
		total += size
	}
	return total
}

// without is the multiset of sizes less those of taken.
func without(sizes, taken []int64) []int64 {
	rest, _ := split(sizes, taken)
	return rest
}

// common is what both multisets have.
func common(sizes, others []int64) []int64 {
	_, both := split(sizes, others)
	return both
}

// split divides sizes into those that are not among the others and those that are.
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
