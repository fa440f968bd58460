package scenario

import (
	"time"

	"github.com/hubbench/hubbench/pkg/stream"
)

// The test files of jobs that last as long as others do: they are used over and over, so they are not in the job's Sizes.
const (
	// longestStretch is how much of a stream its test file holds, in time, and stretchBytes what those of all streams of a
	// disk come to at most, which is more than a disk's own memory; but each holds shortestStretch.
	longestStretch  = 20 * time.Second
	shortestStretch = time.Second
	stretchBytes    = 8e9
	// probeFile is the size of the file that a probe reads at random: more than a disk's own memory.
	probeFile = 1 << 30
	// lastingUnit divides their sizes, so that they are whole blocks and sectors.
	lastingUnit = 1 << 20
)

// stretch is how much of each stream is on the disk at one time.
func stretch(specs []stream.Spec, footprint int64) time.Duration {
	room := stretchBytes
	if footprint > 0 {
		room = min(room, float64(footprint))
	}
	seconds := room / float64(streamSecond(specs))
	return max(shortestStretch, min(longestStretch, time.Duration(seconds*float64(time.Second))))
}

// StreamFiles is the sizes of the test files of a streams job, in the order of its streams: each stream has its own.
func (j Job) StreamFiles() []int64 {
	return j.streamFiles(func(bool) bool { return true })
}

// streamFiles is the sizes of those that are recorded, or played.
func (j Job) streamFiles(want func(record bool) bool) []int64 {
	long := j.Stretch
	if long == 0 {
		long = stretch(j.Streams, j.IO.Footprint)
	}
	var sizes []int64
	for _, s := range j.Streams {
		size := max(int64(s.Rate*long.Seconds())/lastingUnit, 1) * lastingUnit
		if want(s.Record) {
			for range s.Count {
				sizes = append(sizes, size)
			}
		}
	}
	return sizes
}

// probeFiles is the size of the one file that a probe reads.
func (j Job) probeFiles() []int64 {
	size := int64(probeFile)
	if j.IO.Footprint > 0 {
		size = min(size, max(j.IO.Footprint/lastingUnit, 1)*lastingUnit)
	}
	return []int64{max(size, j.IO.Block)}
}
