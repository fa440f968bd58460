package scenario

import (
	"cmp"
	"math"
	"time"

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

	maxFootprint = 1e15 // bytes

	minTime = 100 * time.Millisecond // of a phase or its work: two samples of its progress
	maxTime = 24 * time.Hour
)

// A number of files that follows from the time they are to take, and that time unless it is said.
const (
	filesAuto     = "auto"
	defaultTarget = 40 * time.Second
)

// Workload says which files each disk of a phase moves, and how. The zero Files, Sizes, Order and IO.Flush are
// the preset's.
type Workload struct {
	Preset string
	Files  int
	Target time.Duration // files: auto, as many as take so long; 0: Files
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
		IO:     IO{Mode: ModeDirect, Block: 8 << 20, Depth: 4, Verify: VerifyOff, Preallocate: true},
	}
}

// read overrides w with a mapping's keys, all but order and files, which a phase writes in more ways.
func (w *Workload) read(m *strictyaml.Mapping) {
	if _, ok := m.Get("preset"); ok {
		w.Files, w.Target, w.Sizes, w.Order = 0, 0, Sizes{}, "" // a preset brings its own
		m.OneOf("preset", &w.Preset, presetNames()...)
	}
	if n, ok := m.Get("sizes"); ok {
		w.Sizes, w.Order = readSizes(n), "" // the order was meant for other sizes
	}
	if n, ok := m.Get("seed"); ok {
		if seed, ok := n.Int(0, math.MaxInt64); ok {
			w.Seed = uint64(seed)
		}
	}
	m.OneOf("io", &w.IO.Mode, ModeDirect, ModeApp)
	m.Bytes("block", &w.IO.Block, minBlock, maxBlock)
	m.Int("depth", &w.IO.Depth, 1, maxDepth)
	m.OneOf("access", &w.IO.Access, AccessSequential, AccessRandom)
	m.OneOf("flush", &w.IO.Flush, FlushNone, FlushFsync, FlushFull)
	m.OneOf("verify", &w.IO.Verify, VerifyOff, VerifyStamps, VerifyFull)
	m.Bool("preallocate", &w.IO.Preallocate)
	m.Bool("keep", &w.IO.Keep)
	m.Bytes("footprint", &w.IO.Footprint, 1, maxFootprint)
	w.checkBuffers(m)
	w.checkMethod(m)
}

// checkMethod refuses what the preset or the way of moving files leaves no choice in.
func (w *Workload) checkMethod(m *strictyaml.Mapping) {
	if w.IO.Mode == ModeApp {
		refuseKeys(m, "io: app moves files from beginning to end; delete %s", "access")
		w.IO.Access = "" // that of the workload was meant for blocks
	}
	if io, ok := m.Get("io"); ok && io.Raw() == ModeApp {
		refuseKeys(m, "io: app moves whole files, in one call each; delete %s", "block", "depth")
	}
	p := presetByName(w.Preset)
	if n, ok := m.Get("sizes"); ok && p.oneFile && len(w.Sizes.List) != 1 {
		n.Errorf("preset %s moves one file again and again; give one size, such as [1 GB]", p.name)
	}
	if p.tests == nil {
		return
	}
	refuseKeys(m, "each test of preset "+p.name+" has its own %[1]s; delete it", "block", "depth", "access")
	if w.IO.Mode != ModeApp {
		return
	}
	n, ok := m.Get("io")
	if !ok {
		n, ok = m.Get("preset")
	}
	if ok {
		n.Errorf("preset %s moves single blocks, and io: app whole files; delete one of the two", p.name)
	}
}

// refuseKeys reports each of the keys that is there.
func refuseKeys(m *strictyaml.Mapping, format string, keys ...string) {
	for _, key := range keys {
		if n, ok := m.Get(key); ok {
			n.Errorf(format, key)
		}
	}
}

// checkBuffers refuses a block that no disk takes, and more blocks in flight than fit in memory.
func (w *Workload) checkBuffers(m *strictyaml.Mapping) {
	if n, ok := m.Get("block"); ok && w.IO.Block%minBlock != 0 {
		n.Errorf("block of %d bytes is not a multiple of a sector; try a multiple of %d, such as 1 MiB", w.IO.Block, minBlock)
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

// readFiles reads the number of files, or how long they are to take.
func (w *Workload) readFiles(m *strictyaml.Mapping) {
	switch n, ok := m.Get("files"); {
	case ok && n.Raw() == filesAuto:
		w.Files, w.Target = 0, defaultTarget
		if p := presetByName(w.Preset); p.tests != nil {
			n.Errorf("preset %s moves its file a number of times, for a few seconds each; write how often, such as files: %d", p.name, p.files)
		}
	case ok:
		w.Target = 0
		m.Int("files", &w.Files, 1, maxFiles)
	}
	w.readTarget(m)
}

// readTarget reads how long the files are to take where their number follows from that.
func (w *Workload) readTarget(m *strictyaml.Mapping) {
	if n, ok := m.Get("target"); ok && w.Target == 0 {
		n.Errorf("target is the time for files: auto to take; add files: auto, or delete target")
		return
	}
	m.Duration("target", &w.Target, minTime, maxTime)
}

// files is the number of files each disk moves unless its phase says otherwise.
func (w Workload) files() int {
	p := presetByName(w.Preset)
	switch {
	case w.Files > 0:
		return w.Files
	case w.Sizes.List != nil && !p.oneFile:
		return len(w.Sizes.List)
	}
	return p.files
}

// resolved is w with the preset's sizes, order and way of moving them where it has none of its own.
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
	w.IO.Flush = cmp.Or(w.IO.Flush, p.flush, FlushFsync)
	w.IO.OneFile, w.IO.Discard, w.IO.Cap, w.IO.Rest = p.oneFile, p.discard, p.cap, p.rest
	return w
}

// variants are the preset's tests.
func (w Workload) variants() []test { return presetByName(w.Preset).variants() }
