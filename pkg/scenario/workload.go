package scenario

import (
	"math"

	"github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Limits of a workload.
const (
	maxFiles    = 1_000_000 // of one disk in one phase
	maxFileSize = 1e12      // bytes
	minBlock    = 512       // bytes: the smallest sector, of which a block is a multiple
	maxBlock    = 1 << 30   // bytes
	maxDepth    = 1024
	maxBuffers  = 1 << 30 // bytes of all blocks in flight, which a worker holds in memory
)

// Workload says which files each disk of a phase moves, and how. The zero Files, Sizes and Order are the preset's.
type Workload struct {
	Preset string
	Files  int
	Sizes  Sizes
	Order  string // random | ascending | descending | listed
	Seed   uint64
	IO     IO
}

// defaultWorkload is what a scenario without a workload gets.
func defaultWorkload() Workload {
	return Workload{
		Preset: "random",
		Seed:   1,
		IO:     IO{Mode: "direct", Block: 8 << 20, Depth: 4, Flush: "fsync", Verify: "off", Preallocate: true},
	}
}

// read overrides w with a mapping's keys, all but order and files, which a phase writes in more ways.
func (w *Workload) read(m *strictyaml.Mapping) {
	refuseUnsupported(m)
	if _, ok := m.Get("preset"); ok {
		w.Files, w.Sizes, w.Order = 0, Sizes{}, "" // a preset brings its own
		m.OneOf("preset", &w.Preset, append(presetNames(), "amorphous", "crystal")...)
	}
	if n, ok := m.Get("sizes"); ok {
		w.Sizes, w.Order = readSizes(n), "" // the order was meant for other sizes
	}
	if n, ok := m.Get("seed"); ok {
		if seed, ok := n.Int(0, math.MaxInt64); ok {
			w.Seed = uint64(seed)
		}
	}
	m.OneOf("io", &w.IO.Mode, "direct", "app")
	m.Bytes("block", &w.IO.Block, minBlock, maxBlock)
	m.Int("depth", &w.IO.Depth, 1, maxDepth)
	m.OneOf("flush", &w.IO.Flush, "none", "fsync", "full")
	m.OneOf("verify", &w.IO.Verify, "off", "stamps", "full")
	m.Bool("preallocate", &w.IO.Preallocate)
	m.Bool("keep", &w.IO.Keep)
	m.Get("footprint")
	w.checkBuffers(m)
}

// checkBuffers refuses a block that no disk takes, and more blocks in flight than fit in memory.
func (w *Workload) checkBuffers(m *strictyaml.Mapping) {
	if n, ok := m.Get("block"); ok && w.IO.Block%minBlock != 0 {
		n.Errorf("block of %d bytes is no multiple of a sector; try a multiple of %d, such as 1 MiB", w.IO.Block, minBlock)
	}
	if w.IO.Block*int64(w.IO.Depth) <= maxBuffers {
		return
	}
	n, ok := m.Get("depth")
	if !ok {
		n, ok = m.Get("block")
	}
	if ok {
		n.Errorf("%d blocks of %s at a time need %s of memory; try a depth of at most %d", w.IO.Depth,
			unit.FormatBytes(w.IO.Block), unit.FormatBytes(w.IO.Block*int64(w.IO.Depth)), maxBuffers/w.IO.Block)
	}
}

// readOrder reads the order of the files.
func (w *Workload) readOrder(m *strictyaml.Mapping) {
	m.OneOf("order", &w.Order, orders()...)
}

// readFiles reads the number of files.
func (w *Workload) readFiles(m *strictyaml.Mapping) {
	m.Int("files", &w.Files, 1, maxFiles)
}

// files is the number of files each disk moves unless its phase says otherwise.
func (w Workload) files() int {
	switch {
	case w.Files > 0:
		return w.Files
	case w.Sizes.List != nil:
		return len(w.Sizes.List)
	}
	return presetByName(w.Preset).files
}

// resolved is w with the preset's sizes and order where it has none of its own.
func (w Workload) resolved() Workload {
	p := presetByName(w.Preset)
	switch {
	case w.Order != "":
	case w.Sizes.List != nil:
		w.Order = orderListed
	case w.Sizes.Max > 0:
		w.Order = orderRandom
	default:
		w.Order = p.order
	}
	if w.Sizes.IsZero() {
		w.Sizes = p.sizes
	}
	return w
}
