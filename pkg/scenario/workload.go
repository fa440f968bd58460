package scenario

import (
	"cmp"
	"slices"
	"strings"
	"time"

	yaml "github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
)

// Limits of a workload.
const (
	maxFiles    = 1_000_000 // of one disk in one phase
	maxFileSize = 1e12      // bytes
	minBlock    = 512       // bytes: the smallest sector, of which a block is a multiple
	maxBlock    = 1 << 30   // bytes
	maxBuffers  = 1 << 30   // bytes of all blocks in flight, which a worker holds in memory

	minTime = 100 * time.Millisecond // of a phase or its work: two samples of its progress
	maxTime = 24 * time.Hour
)

// A number of files that follows from the time they are to take, and that time unless it is said.
const (
	filesAuto     = "auto"
	defaultTarget = 40 * time.Second
)

// How bytes are moved: blocks past the cache, or whole files as a plain application does.
const (
	ModeDirect = "direct"
	ModeApp    = work.ModeApp
)

// Orders of the blocks in a file.
const (
	AccessSequential = "sequential"
	AccessRandom     = "random"
)

// What is flushed before a written file's time ends.
const (
	FlushNone  = "none"
	FlushFsync = "fsync"
	FlushFull  = "full" // to the medium itself
)

// How data read is verified.
const (
	VerifyOff    = "off"
	VerifyStamps = "stamps" // each block's stamp
	VerifyFull   = "full"   // each byte
)

// IO is how a job is to move its bytes; what it really did is in trace.Effective. A field with the tag yaml is a
// key of the workload, and of a phase: strictyaml.Struct has the tags. It is refused by the rules that its tag not
// names, see workload.check.
type IO struct {
	Mode        string `json:"mode" yaml:"io" is:"direct | app" doc:"direct: past the operating system's cache; app: each file in one call from memory, as a plain program does"`
	Block       int64  `json:"block" yaml:"block" not:"tests app" doc:"bytes per request"`
	Depth       int    `json:"depth" yaml:"depth" is:"1 to 1024" not:"tests app" doc:"requests in flight"`
	Flush       string `json:"flush" yaml:"flush" is:"none | fsync | full" default:"fsync" doc:"what is flushed within a written file's time: fsync, until the system says so, which on macOS is when the drive's own cache has it; full, until it is on the medium"`
	Verify      string `json:"verify" yaml:"verify" is:"off | stamps | full" doc:"stamps: check 32 bytes of every 4 KiB read (0.8 %), so not for flipped bits; full: also read every file once more, outside the timing, and compare each byte"`
	Preallocate bool   `json:"preallocate" yaml:"preallocate" doc:"reserve the space of a file before its timing starts"`
	Keep        bool   `json:"keep,omitempty" yaml:"keep" doc:"leave the test files when the run ends"`
	Footprint   int64  `json:"footprint,omitempty" yaml:"footprint" is:"1 B to 1000 TB" doc:"maximum size of test files at one time: the oldest are removed, so that many fit on a small disk; unlimited if not given"`

	// Sequential also if it is empty.
	Access string        `json:"access,omitempty" yaml:"access" is:"sequential | random" default:"sequential" not:"tests app" doc:"random: every block of a file once, in random order"`
	Cap    time.Duration `json:"cap_ns,omitempty"` // maximum time of a file, whose rest is then left; 0: no limit
	// Each of Sizes, all alike, is a pass over one and the same file, written in full before.
	OneFile bool          `json:"one_file,omitempty"`
	Rest    time.Duration `json:"rest_ns,omitempty"` // pause before each file but the first
	// Files begin at its multiples after the release, so that disks that rest keep in step; 0: at once.
	Step time.Duration `json:"step_ns,omitempty"`
	// After a longer pause a disk no longer counts as busy.
	Think   time.Duration `json:"think_ns,omitempty" yaml:"think" is:"0 s to 400 ms" not:"tests" doc:"a pause between files, as of a program that works on each; within the measured time"`
	Discard int           `json:"discard,omitempty"` // number of warm-up files, which do not count
}

// workload says which files each disk of a phase moves, and how. The zero Files, Sizes, Order and
// IO.Flush are the preset's.
type workload struct {
	Preset string        `yaml:"preset"`
	Sizes  work.Sizes    `yaml:"sizes" doc:"the files' sizes, the preset's if they are not given: a list, or a range {min: 2 MB, max: 2 GB}"`
	Order  string        `yaml:"order" is:"random | ascending | descending | listed" doc:"the order of the files, the preset's if it is not given; listed: as sizes has them"`
	WarmUp int           `yaml:"warm_up" is:"0 to 1000000" not:"tests saturation" doc:"how many files each disk moves first that do not count"`
	Seed   uint64        `yaml:"seed" is:"0 to 9223372036854775807" doc:"the same seed gives the same files"`
	IO     IO            `yaml:",inline"`
	Files  int           `yaml:"files" doc:"how many files each disk moves, the preset's number if it is not given; auto: as many as fit in target, so that all disks end together"`
	Target time.Duration `yaml:"target" default:"40 s" doc:"the time for files: auto to take"` // 0: Files
}

// values are the workload's keys that tags do not describe.
func (w *workload) values() yaml.Values {
	about := []string{"a published method in one word"}
	for _, p := range Presets() {
		about = append(about, p.Name+": "+p.About)
	}
	bringsItsOwn := func(yaml.Node) { w.Files, w.Target, w.Sizes, w.Order = 0, 0, work.Sizes{}, "" }
	forOtherSizes := func(yaml.Node) { w.Order = "" }
	time := yaml.Duration(&w.Target, minTime, maxTime)
	return yaml.Values{
		"preset": yaml.OneOf(&w.Preset, presetsWith(nil)...).First(bringsItsOwn).
			With("description", strings.Join(about, ". ")),
		"sizes": sizes(&w.Sizes).First(forOtherSizes),
		"block": sectors(&w.IO.Block, maxBlock),
		"files": w.files(),
		"target": yaml.Read(time.Schema(), func(n yaml.Node) {
			if w.Target == 0 {
				n.Errorf("target is the time for files: auto to take; add files: auto, or delete target")
				return
			}
			time.Read(n)
		}),
	}
}

func (w *workload) files() yaml.Value {
	number := yaml.Int(&w.Files, 1, maxFiles)
	schema := yaml.Schema{"anyOf": []yaml.Schema{{"const": filesAuto}, number.Schema()}}
	return yaml.Read(schema, func(n yaml.Node) {
		if n.Raw() == filesAuto {
			w.Files, w.Target = 0, defaultTarget
			return
		}
		w.Target = 0
		number.Read(n)
	})
}

func sectors(to *int64, most int64) yaml.Value {
	whole := yaml.Schema{"type": "number", "not": yaml.Schema{"multipleOf": minBlock}}
	return yaml.Bytes(to, minBlock, most).With("not", whole).Then(func(n yaml.Node) {
		if *to%minBlock != 0 {
			n.Errorf("block of %d bytes is not a multiple of a sector; try a multiple of %d, such as 1 MiB", *to, minBlock)
		}
	})
}

func sizes(to *work.Sizes) yaml.Value {
	list := yaml.Items[int64]{
		To:    &to.List,
		Item:  func(size *int64) yaml.Value { return yaml.Bytes(size, 1, maxFileSize) },
		Empty: "sizes is empty; list one, such as 1 GB, or delete the key",
	}
	distribution := yaml.OneOf(&to.Distribution, work.Uniform, work.LogUniform).With("default", work.Uniform)
	span := yaml.Object{
		Keys: []yaml.Key{
			yaml.Required("min", yaml.Bytes(&to.Min, 1, maxFileSize), "the smallest size"),
			yaml.Required("max", yaml.Bytes(&to.Max, 1, maxFileSize), "the largest size"),
			yaml.Optional("distribution", distribution, "uniform: every size equally likely; "+
				"log-uniform: as many from 2 to 20 MB as from 200 MB to 2 GB"),
		},
		Check: func(m *yaml.Mapping) {
			if at, ok := m.Get("max"); ok && to.Max > 0 && to.Max < to.Min {
				at.Errorf("max is less than min; swap them")
			}
		},
	}
	return yaml.MappingOr(span.Value(), list.Value()).First(func(yaml.Node) { *to = work.Sizes{} })
}

// workload is what every phase does unless it says otherwise.
func (s *Scenario) workload() yaml.Value {
	w := &s.work
	values := w.values()
	values["files"] = w.files().First(func(n yaml.Node) {
		if n.Kind() == yaml.Map {
			n.Errorf("%s gives the number for every disk, and numbers for single disks belong in a phase; "+
				"try phases: [{pattern: WW, files: {B: 20}}]", n.Label())
		}
	})
	keys := yaml.Struct(w, values)
	check := func(m *yaml.Mapping) { s.checkWorkload(m, keys, w) }
	return yaml.Object{Keys: keys, Short: "preset", Check: check}.Value()
}

// checkWorkload refuses keys that do not go together.
func (s *Scenario) checkWorkload(m *yaml.Mapping, keys []yaml.Key, w *workload) {
	p := presetByName(w.Preset)
	io := &w.IO
	for _, rule := range []struct {
		name string
		is   bool
		say  string // with the key that is refused
	}{
		{"tests", p.hasTests(), "each test of preset " + p.Name + " has its own %s; delete it"},
		{"app", io.Mode == ModeApp, "io: app moves whole files, in one call each; delete %s"},
		{"verify", io.Verify != VerifyOff, "verify: " + io.Verify +
			" does not go with %s, which writes what it reads; delete one of the two"},
		{"saturation", p.saturates, "preset " + p.Name +
			" is phases of disks that work as fast as they can until they fall; delete %s"},
	} {
		for _, key := range keys {
			if n, ok := m.Get(key.Name); ok && rule.is && slices.Contains(key.Not, rule.name) {
				n.Errorf(rule.say, key.Name)
			}
		}
	}
	if io.Mode == ModeApp {
		io.Access = "" // that of the workload was meant for blocks
	}
	refuse := func(is bool, keys []string, format string, args ...any) {
		for _, key := range keys { // the first that is there
			if n, ok := m.Get(key); ok && is {
				n.Errorf(format, args...)
				return
			}
		}
	}
	refuse(p.oneFile && len(w.Sizes.List) != 1, []string{"sizes"},
		"preset %s moves one file again and again; give one size, such as [1 GB]", p.Name)
	if p.hasTests() {
		refuse(io.Mode == ModeApp, []string{"io", "preset"},
			"preset %s moves single blocks, and io: app whole files; delete one of the two", p.Name)
		refuse(w.Target > 0, []string{"files"}, "preset %s moves its file a number of times, "+
			"for a few seconds each; write how often, such as files: %d", p.Name, p.files)
		// The hub's model has no notion of a block.
		refuse(s.simulated(), []string{"preset"}, "preset %s measures single blocks, "+
			"which simulated disks do not have; use another preset, or disks with a path", p.Name)
	}
	memory := io.Block * int64(io.Depth)
	refuse(memory > maxBuffers, []string{"depth", "block"},
		"%d blocks of %s at a time need %s of memory; try a depth of at most %d",
		io.Depth, unit.FormatBytes(io.Block), unit.FormatBytes(memory), maxBuffers/max(io.Block, 1))
}

// count is the number of files each disk moves unless its phase says otherwise.
func (w workload) count() int {
	p := presetByName(w.Preset)
	switch {
	case w.Files > 0:
		return w.Files
	case w.Sizes.List != nil && !p.oneFile:
		return len(w.Sizes.List)
	}
	return p.files
}

// warmUp is the number of files that each disk moves first and that do not count.
func (w workload) warmUp() int {
	if p := presetByName(w.Preset); p.hasTests() || p.saturates {
		return p.discard
	}
	return w.WarmUp
}

// resolved is w with the preset's sizes, order and way of moving them if it has none of its own.
func (w workload) resolved() workload {
	p := presetByName(w.Preset)
	switch {
	case w.Order != "":
	case w.Sizes.List != nil:
		w.Order = work.Listed
	case w.Sizes.Max > 0:
		w.Order = work.Random
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

// Work is the job's work, except for what it shares with the other jobs of its phase.
func (j *Job) Work() work.Work {
	io := &j.IO
	w := work.Work{
		Op: j.Role, Sizes: j.Source, Order: j.Order,
		Mode: io.Mode, Verify: io.Verify, Footprint: io.Footprint, WarmUp: io.Discard,
		OneFile: io.OneFile, Cap: io.Cap, Rest: io.Rest, Think: io.Think,
		Pace: j.Pace, Reads: j.Reads, Streams: j.Streams, Every: j.Probe,
	}
	if io.Mode == ModeDirect {
		w.Block, w.Depth, w.Access = io.Block, io.Depth, cmp.Or(io.Access, AccessSequential)
	}
	if j.Writes() > 0 {
		w.Flush, w.Preallocate = io.Flush, io.Preallocate
	}
	if j.Probe > 0 {
		w.Probe = io.Block
	}
	return w
}

// Works is the work of each of the phase's disks.
func (p *Phase) Works() map[string]work.Work {
	works := make(map[string]work.Work, len(p.Jobs))
	for _, j := range p.Jobs {
		w := j.Work()
		w.Test, w.Fill = p.Test, p.Precondition
		works[j.Disk] = w
	}
	return works
}
