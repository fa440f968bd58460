package scenario

import (
	"cmp"
	"math"
	"strings"
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
	WarmUp int           // files before those, which do not count; not of presets that are phases of their own
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

// workload is what every phase does unless it says otherwise.
func (s *Scenario) workload() strictyaml.Value {
	w := &s.work
	o := w.object(w.order())
	o.Short = "preset"
	files := w.files()
	byPhase := strictyaml.Value{
		Read: func(n strictyaml.Node) {
			if n.Kind() == strictyaml.Map {
				n.Errorf("%s gives the number for every disk, and numbers for single disks belong in a phase; try phases: [{pattern: WW, files: {B: 20}}]", n.Label())
				return
			}
			files.Read(n)
		},
		Schema: files.Schema,
	}
	o.Keys = append(o.Keys, w.amount(byPhase)...)
	o.Also = append(o.Also, strictyaml.Implies("target", strictyaml.Schema{}, strictyaml.Schema{"required": []string{"files"}}))
	o.Check = func(m *strictyaml.Mapping) { s.checkWorkload(m, w) }
	return o.Value()
}

// object is the keys of a workload, but for its amount. order is that of the files, which a phase writes in more ways.
func (w *Workload) object(order strictyaml.Value) strictyaml.Object {
	type schema = strictyaml.Schema
	tests := presetsWith(preset.hasTests)
	return strictyaml.Object{
		Keys: []strictyaml.Key{
			{Name: "preset", Value: strictyaml.OneOf(&w.Preset, presetsWith(nil)...).First(func() {
				w.Files, w.Target, w.Sizes, w.Order = 0, 0, Sizes{}, "" // a preset brings its own
			}), About: aboutPreset()},
			{Name: "sizes", Value: w.Sizes.value().First(func() { w.Order = "" }), // the order was meant for other sizes
				About: "the files' sizes, the preset's if they are not given: a list, or a range {min: 2 MB, max: 2 GB}"},
			{Name: "order", Value: order, About: "the order of the files, the preset's if it is not given; listed: as sizes has them"},
			{Name: "warm_up", Value: strictyaml.Int(&w.WarmUp, 0, maxFiles), About: "how many files each disk moves first that do not count"},
			{Name: "seed", Value: strictyaml.Int(&w.Seed, 0, math.MaxInt64), About: "the same seed gives the same files"},
			{Name: "block", Value: sectors(&w.IO.Block, maxBlock), About: "bytes per request"},
			{Name: "depth", Value: strictyaml.Int(&w.IO.Depth, 1, maxDepth), About: "requests in flight"},
			{Name: "access", Value: strictyaml.OneOf(&w.IO.Access, AccessSequential, AccessRandom).Default(AccessSequential),
				About: "random: every block of a file once, in random order"},
			{Name: "io", Value: strictyaml.OneOf(&w.IO.Mode, ModeDirect, ModeApp),
				About: "direct: past the operating system's cache; app: each file in one call from memory, as a plain program does"},
			{Name: "flush", Value: strictyaml.OneOf(&w.IO.Flush, FlushNone, FlushFsync, FlushFull).Default(FlushFsync),
				About: "what is flushed within a written file's time: full, until it is on the medium"},
			{Name: "verify", Value: strictyaml.OneOf(&w.IO.Verify, VerifyOff, VerifyStamps, VerifyFull),
				About: "stamps: check that each block read is the one that was written; full: read every byte again, outside the timing"},
			{Name: "preallocate", Value: strictyaml.Bool(&w.IO.Preallocate), About: "reserve the space of a file before its timing starts"},
			{Name: "keep", Value: strictyaml.Bool(&w.IO.Keep), About: "leave the test files when the run ends"},
			{Name: "footprint", Value: strictyaml.Bytes(&w.IO.Footprint, 1, maxFootprint), About: "maximum size of test files at one time: the oldest are removed, so that many fit on a small disk; unlimited if not given"},
		},
		Rules: []strictyaml.Rule{
			{Key: "preset", Is: tests, Now: &w.Preset, Refuse: []string{"block", "depth", "access", "warm_up"}, Say: "each test of preset %[2]s has its own %[1]s; delete it"},
			{Key: "io", Is: []string{ModeApp}, Now: &w.IO.Mode, Refuse: []string{"block", "depth", "access"}, Say: "io: app moves whole files, in one call each; delete %[1]s"},
		},
		Also: []schema{
			strictyaml.Implies("preset", schema{"enum": tests}, only("io", schema{"const": ModeDirect})),
			strictyaml.Implies("preset", schema{"enum": tests}, only("files", not("const", filesAuto))),
			strictyaml.Implies("preset", schema{"enum": presetsWith(func(p preset) bool { return p.oneFile })}, only("sizes", schema{"type": "array", "maxItems": 1})),
			strictyaml.Implies("target", schema{}, only("files", schema{"const": filesAuto})),
		},
	}
}

// aboutPreset says what each preset moves.
func aboutPreset() string {
	text := []string{"a published method in one word"}
	for _, p := range presets() {
		text = append(text, p.name+": "+p.about)
	}
	return strings.Join(text, ". ")
}

// amount is the keys that say how many files there are. A phase writes their number in more ways.
func (w *Workload) amount(files strictyaml.Value) []strictyaml.Key {
	return []strictyaml.Key{
		{Name: "files", Value: files, About: "how many files each disk moves, the preset's number if it is not given; auto: as many as fit in target, so that all disks end together"},
		{Name: "target", Value: w.target(), About: "the time for files: auto to take"},
	}
}

// sectors is a size of whole sectors.
func sectors(to *int64, most int64) strictyaml.Value {
	v := strictyaml.Bytes(to, minBlock, most).Then(func(n strictyaml.Node) {
		if *to%minBlock != 0 {
			n.Errorf("block of %d bytes is not a multiple of a sector; try a multiple of %d, such as 1 MiB", *to, minBlock)
		}
	})
	return strictyaml.Value{Read: v.Read, Schema: func() strictyaml.Schema {
		s := v.Schema()
		s["not"] = strictyaml.Schema{"type": "number", "not": strictyaml.Schema{"multipleOf": minBlock}}
		return s
	}}
}

// order is the order of the files.
func (w *Workload) order() strictyaml.Value { return strictyaml.OneOf(&w.Order, orders()...) }

// files is the number of files, or auto, and then they are to take a time.
func (w *Workload) files() strictyaml.Value {
	return strictyaml.WordOr(filesAuto, func() { w.Files, w.Target = 0, defaultTarget },
		strictyaml.Int(&w.Files, 1, maxFiles).First(func() { w.Target = 0 }))
}

// target is how long the files are to take if their number follows from that.
func (w *Workload) target() strictyaml.Value {
	time := strictyaml.Duration(&w.Target, minTime, maxTime)
	return strictyaml.Value{
		Read: func(n strictyaml.Node) {
			if w.Target == 0 {
				n.Errorf("target is the time for files: auto to take; add files: auto, or delete target")
				return
			}
			time.Read(n)
		},
		Schema: time.Default(unit.FormatSeconds(defaultTarget.Seconds())).Schema,
	}
}

// checkWorkload checks a workload's keys against its preset, the disks and each other.
func (s *Scenario) checkWorkload(m *strictyaml.Mapping, w *Workload) {
	if w.IO.Mode == ModeApp {
		w.IO.Access = "" // that of the workload was meant for blocks
	}
	p := presetByName(w.Preset)
	said := func(key string, is bool, format string, args ...any) {
		if n, ok := m.Get(key); ok && is {
			n.Errorf(format, args...)
		}
	}
	said("sizes", p.oneFile && len(w.Sizes.List) != 1, "preset %s moves one file again and again; give one size, such as [1 GB]", p.name)
	if p.hasTests() {
		key := "io"
		if _, ok := m.Get(key); !ok {
			key = "preset"
		}
		said(key, w.IO.Mode == ModeApp, "preset %s moves single blocks, and io: app whole files; delete one of the two", p.name)
		said("files", w.Target > 0, "preset %s moves its file a number of times, for a few seconds each; write how often, such as files: %d", p.name, p.files)
		// The hub's model has no notion of a block.
		said("preset", s.simulated(), "preset %s measures single blocks, which simulated disks do not have; use another preset, or disks with a path", p.name)
	}
	if w.IO.Block*int64(w.IO.Depth) > maxBuffers {
		key := "depth"
		if _, ok := m.Get(key); !ok {
			key = "block"
		}
		said(key, true, "%d blocks of %s at a time need %s of memory; try a depth of at most %d", w.IO.Depth,
			unit.FormatBytes(w.IO.Block), unit.FormatBytes(w.IO.Block*int64(w.IO.Depth)), maxBuffers/w.IO.Block)
	}
}

// count is the number of files each disk moves unless its phase says otherwise.
func (w Workload) count() int {
	p := presetByName(w.Preset)
	switch {
	case w.Files > 0:
		return w.Files
	case w.Sizes.List != nil && !p.oneFile:
		return len(w.Sizes.List)
	}
	return p.files
}

// resolved is w with the preset's sizes, order and way of moving them if it has none of its own.
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
	w.IO.OneFile, w.IO.Discard, w.IO.Cap, w.IO.Rest = p.oneFile, w.warmUp(), p.cap, p.rest
	return w
}

// warmUp is the number of files that each disk moves first and that do not count.
func (w Workload) warmUp() int {
	if p := presetByName(w.Preset); p.hasTests() || p.saturates() {
		return p.discard
	}
	return w.WarmUp
}
