package diskio

import (
	"errors"
	"fmt"
	"slices"

	"github.com/hubbench/hubbench/pkg/policy"
	"github.com/hubbench/hubbench/pkg/trace"
)

// How a job moves its bytes and what it checks, as scenario files spell it.
const (
	modeDirect   = "direct"
	modeApp      = "app"
	accessRandom = "random"
	verifyStamps = "stamps"
	verifyFull   = "full"
)

// What a job gets that leaves these zero.
const (
	defaultBlock = 1 << 20
	defaultDepth = 8
)

const (
	maxDepth = 1024
	// maxBuffers is what all requests in flight may hold together.
	maxBuffers = 1 << 30
)

// withDefaults is the job with nothing left open.
func (j Job) withDefaults() Job {
	if j.SampleNS <= 0 {
		j.SampleNS = policy.SampleNS
	}
	if j.IO.Mode == "" {
		j.IO.Mode = modeDirect
	}
	if j.IO.Flush == "" {
		j.IO.Flush = flushNone
	}
	if j.IO.Block == 0 {
		j.IO.Block = defaultBlock
	}
	if j.IO.Depth == 0 {
		j.IO.Depth = defaultDepth
	}
	return j
}

// check refuses what no disk could do.
func (j Job) check() error {
	switch {
	case j.Role != trace.Read && j.Role != trace.Write:
		return fmt.Errorf("a job must read or write, not %q", j.Role)
	case len(j.Sizes) == 0:
		return errors.New("the job has no files")
	case j.IO.Block < 0 || j.IO.Block > maxBuffers:
		return fmt.Errorf("block of %d bytes: it must lie between 1 byte and 1 GiB", j.IO.Block)
	case j.IO.Depth < 0 || j.IO.Depth > maxDepth:
		return fmt.Errorf("depth %d: it must lie between 1 and %d", j.IO.Depth, maxDepth)
	case j.IO.Block*int64(j.IO.Depth) > maxBuffers:
		return fmt.Errorf("%d requests of %d bytes in flight: together they may have 1 GiB; use a smaller block or depth", j.IO.Depth, j.IO.Block)
	case j.IO.Mode == modeApp && j.IO.Access == accessRandom:
		return errors.New("an application's whole-file calls have no random access: use `io: direct`")
	case j.IO.OneFile && slices.Min(j.Sizes) != slices.Max(j.Sizes):
		return errors.New("passes over one file must all have its size")
	}
	for seq, size := range j.Sizes {
		if size <= 0 {
			return fmt.Errorf("file %d has %d bytes: a file must have at least 1", seq, size)
		}
	}
	var need int64
	for _, size := range j.Needs() {
		need += size
	}
	if j.IO.Footprint > 0 && need > j.IO.Footprint {
		return fmt.Errorf("the files to be read take %d bytes, more than the footprint of %d: read fewer or smaller files, or allow more", need, j.IO.Footprint)
	}
	return nil
}
