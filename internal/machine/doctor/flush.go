package doctor

import (
	"fmt"

	"github.com/hubbench/hubbench/internal/measure/diskio"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

const (
	flushes = 40
	// minFlush is less than a command takes to a disk behind a cable and back.
	minFlush = 25e3 // ns
	// minFlash is how long the fastest flash takes to be programmed (Cheong et al., A flash memory controller for 15 µs
	// ultra-low-latency SSD using high-speed 3D NAND flash with 3 µs read time, ISSCC 2018).
	minFlash = 100e3 // ns
	// flushSlow is a flush that takes as long as a file.
	flushSlow = 200e6
)

// flushed is how long flushes took, by mode, and what the disk reports of its cache.
type flushed struct {
	fsync, full     []float64 // ns
	write           float64   // ns of the write before, in the middle
	refused         error     // of full
	volatile, known bool
	virtual         bool
}

// judgeFlush checks whether a flush waits for the disk. The fastest quarter counts: the others also wrote the file system's
// own records.
func judgeFlush(f flushed) trace.Check {
	measured := fmt.Sprintf("none 0, fsync %s", span(quantile(f.fsync, 0.5)))
	reaches := f.fsync
	if f.refused != nil {
		measured += fmt.Sprintf(", full not known here (%v)", f.refused)
	} else {
		measured += fmt.Sprintf(", full %s", span(quantile(f.full, 0.5)))
		reaches = f.full
	}
	quick := quantile(reaches, 0.25)
	measured += fmt.Sprintf(" (medians of %d; the write before each takes %s; the fastest quarter return within %s)", len(reaches), span(f.write), span(quick))
	switch {
	case f.known && !f.volatile:
		return pass(measured+"; the disk says that it loses nothing without power", "A file that is flushed is on the disk.")
	case quick < minFlush:
		said := "A flush returns"
		if f.known {
			said = "The disk says that it holds written bytes in a volatile cache, and yet a flush returns"
		}
		return fail(measured, said+" sooner than a disk can answer: something on the way ignores flushes. Rates of small files are too high, and a power cut loses what was reported as written.",
			"measure on the disk itself, not on a file in memory or a virtual disk; update the enclosure's firmware, or use another")
	case quick < minFlash && !f.virtual:
		return warn(measured, "A flush returns sooner than flash can be programmed: unless the disk's memory survives a power cut, something on the way ignores flushes.",
			"measure on the disk itself, and compare its small files with those of disks that flush alike only")
	case f.refused != nil:
		return warn(measured, "`flush: full` is not available, and fsync may leave bytes in the disk's own cache.", "compare with disks of the same file system only, or format the disk as APFS")
	case quantile(reaches, 0.5) > flushSlow:
		return warn(measured, "Each file ends with a long wait for its flush: small files look slow.", "check that no other program writes to the disk; `flush: none` leaves the flush out of the times")
	}
	if quick < minFlash {
		return pass(measured, "A flush waits for the disk, which answers before flash could be programmed: it is a virtual disk, and it is not known here whether its memory survives a power cut.")
	}
	return pass(measured, "A flush waits for the disk.")
}

func (t *trial) flushes() (out flushed, err error) {
	fsync, err := diskio.TryFlush(t.ctx, t.path, t.opts.RunID, scenario.FlushFsync, flushes, t.alive)
	if err != nil {
		return out, err
	}
	full, err := diskio.TryFlush(t.ctx, t.path, t.opts.RunID, scenario.FlushFull, flushes, t.alive)
	if err != nil {
		return out, err
	}
	out = flushed{fsync: floats(fsync.FlushNS), full: floats(full.FlushNS), refused: full.Refused, write: quantile(floats(fsync.WriteNS), 0.5)}
	out.volatile, out.known = volatileCache(t.path)
	out.virtual = virtualDisk(t.path)
	return out, nil
}

func floats(list []int64) []float64 {
	out := make([]float64, len(list))
	for i, v := range list {
		out[i] = float64(v)
	}
	return out
}
