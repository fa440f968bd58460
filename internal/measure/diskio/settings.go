package diskio

import (
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// effective settles how the job will really run, and warns if that is not what was asked for.
func (m *mover) effective() trace.Effective {
	m.settleBlock()
	space := m.settleSpace()
	io := &m.job.IO
	eff := trace.Effective{Cache: "buffered", Block: io.Block, Depth: io.Depth, Space: space,
		FileSystem: m.traits.fileSystem}
	eff.Flush, eff.FlushReaches = m.settleFlush()
	if m.system.priority != nil {
		var warning string
		if eff.Priority, warning = m.system.priority(); warning != "" {
			m.warn("%s", warning)
		}
	}
	if m.traits.direct {
		eff.Cache = "direct"
	}
	m.smallWrites(&eff)
	if io.Mode == scenario.ModeApp {
		eff.Block = appCall(m.job.Sizes)
		if m.job.Pace > 0 {
			eff.Block = min(eff.Block, layoutBlock)
		}
		if !oneCall && eff.Block > appBytes {
			eff.Block = appBytes
			m.warn("this system moves files in calls of %d bytes, while an application might use "+
				"a single call", appBytes)
		}
	}
	return eff
}

// settleBlock makes the block a whole number of what goes past the cache together.
func (m *mover) settleBlock() {
	io := &m.job.IO
	if io.Mode == scenario.ModeApp {
		m.traits.sector = 1
		io.Depth = 1
		io.Block = appBytes
	} else if !m.traits.direct && m.traits.directErr != "" {
		m.warn("direct I/O is not available here (%s): requests go through the cache, which is "+
			"flushed and emptied as the job runs", m.traits.directErr)
	}
	// Blocks that can be whole pages are: otherwise sectors decide.
	if m.traits.direct && io.Block >= m.system.cachedBelow {
		m.traits.sector = max(m.traits.sector, m.system.cachedBelow)
	}
	if over := io.Block % m.traits.sector; over != 0 {
		asked := io.Block
		io.Block += m.traits.sector - over
		m.warn("the block of %d bytes is not a multiple of the %d bytes that go past the cache "+
			"together: %d is used", asked, m.traits.sector, io.Block)
	}
}

// settleSpace decides how new files get their space, and with it how many requests may be in
// flight. It is empty for a job that reserves none.
func (m *mover) settleSpace() (space string) {
	job := &m.job
	// Files of random blocks must have their length before, whatever that costs.
	overwrites := len(job.Needs()) > 0
	m.inOrder = m.traits.fills() && (overwrites || job.IO.Access != scenario.AccessRandom)
	newFiles := job.Role == trace.Write && !overwrites && len(job.Streams) == 0
	if m.inOrder && newFiles && job.IO.Depth > 1 {
		job.IO.Depth = 1
		m.warn("macOS fills a file on %s with zeros up to where it is written: new files are "+
			"written from front to back, with one request in flight", m.traits.fileSystem)
	}
	if job.IO.Preallocate && job.Role == trace.Write {
		if space = m.space(); space != trace.SpaceReserved && !overwrites {
			m.gauge(trace.FilledFiles, 1)
		}
	}
	return space
}

// settleFlush returns the flush, and what it reaches.
func (m *mover) settleFlush() (flush, reaches string) {
	io := &m.job.IO
	if io.Flush == scenario.FlushFull && m.traits.fullFlushErr != nil {
		io.Flush = scenario.FlushFsync
		m.warn("the file system cannot flush to the medium (%v): fsync is used, which may leave "+
			"bytes in the disk's own cache", m.traits.fullFlushErr)
	}
	switch io.Flush {
	case scenario.FlushFull:
		reaches = trace.ReachesMedium
	case scenario.FlushFsync:
		reaches = fsyncReaches
	}
	return io.Flush, reaches
}

// smallWrites records what became of direct writes that the system does not promise to make, and
// warns if its cache makes them.
func (m *mover) smallWrites(eff *trace.Effective) {
	if !m.traits.direct || m.op() != trace.Write || eff.Block >= m.system.cachedBelow {
		return
	}
	block := unit.FormatBlock(eff.Block)
	if !m.cachesWrites() {
		eff.SmallWrites = "direct " + block + " writes"
		return
	}
	eff.Cache = trace.CacheOfWrites
	eff.SmallWrites = "cached writes: the score is the cache's"
	m.gauge(trace.CachedWrites, float64(eff.Block))
	m.warn("this system writes no blocks of %s past its cache, only %s and more: its cache reads "+
		"and writes whole pages for them, so that the disk moves more than is counted; the score "+
		"is the cache's and not the disk's", block, unit.FormatBlock(m.system.cachedBelow))
}

// cachesWrites reports whether the job writes through the cache although direct requests are
// available.
func (m *mover) cachesWrites() bool {
	return m.op() == trace.Write && m.job.IO.Block < m.system.cachedBelow && !m.traits.smallDirect
}

// space says how the space of new files is reserved, and warns if that is not as elsewhere, so that
// the numbers are not those of another system.
func (m *mover) space() string {
	switch {
	case m.inOrder:
		return trace.SpaceNone // Such files are to be written that way.
	case m.traits.reserveErr != nil:
		m.warn("the file system does not preallocate (%v): the time of allocation is part of the "+
			"measurement, and requests in flight together may have it fill gaps with zeros",
			m.traits.reserveErr)
		return trace.SpaceNone
	case m.traits.direct && m.traits.zeroFills:
		m.warn("the file system preallocates by writing zeros: each new file is written twice, " +
			"the first time before it is timed")
		return trace.SpaceZeros
	case m.traits.declareErr != nil:
		m.warn("new files must be written from front to back (%v): requests in flight together "+
			"wait for one another, and gaps are filled with zeros first; start hubbench as "+
			"administrator to measure as other systems do", m.traits.declareErr)
		return trace.SpaceInOrder
	}
	return trace.SpaceReserved
}
