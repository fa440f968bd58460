package scenario

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
	"time"

	yaml "github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
)

// Limits of a workload.
const (
	maxBlock   = 1 << 30 // bytes
	maxBuffers = 1 << 30 // bytes of all blocks in flight, which a worker holds in memory
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

// IO is how a job is to move its bytes; what it really did is in trace.Effective. A field with the
// tag yaml is a key of the workload, and of a phase: strictyaml.Of has the tags. It is refused by
// the rules that its tag not names, see checkWorkload.
type IO struct {
	Mode        string `json:"mode" yaml:"io" is:"direct | app" default:"direct" doc:"direct: past the operating system's cache; app: each file in one call from memory, as a plain program does"`
	Block       int64  `json:"block" yaml:"block" is:"512 B to 1 GiB by 512 B" default:"8 MiB" not:"tests app" doc:"bytes per request"`
	Depth       int    `json:"depth" yaml:"depth" is:"1 to 1024" default:"4" not:"tests app" doc:"requests in flight"`
	Flush       string `json:"flush" yaml:"flush" is:"none | fsync | full" shows:"fsync" doc:"what is flushed within a written file's time: fsync, until the system says so, which on macOS is when the drive's own cache has it; full, until it is on the medium"`
	Verify      string `json:"verify" yaml:"verify" is:"off | stamps | full" default:"off" doc:"stamps: check 32 bytes of every 4 KiB read (0.8%), so not for flipped bits; full: also read every file once more, outside the timing, and compare each byte"`
	Preallocate bool   `json:"preallocate" yaml:"preallocate" default:"true" doc:"reserve the space of a file before its timing starts"`
	Keep        bool   `json:"keep,omitempty" yaml:"keep" default:"false" doc:"leave the test files when the run ends"`
	Footprint   int64  `json:"footprint,omitempty" yaml:"footprint" is:"1 B to 1000 TB" doc:"maximum size of test files at one time: the oldest are removed, so that many fit on a small disk; unlimited if not given"`

	// Sequential also if it is empty.
	Access string `json:"access,omitempty" yaml:"access" is:"sequential | random" shows:"sequential" not:"tests app" doc:"random: every block of a file once, in random order"`
	// Cap is the maximum time of a file, whose rest is then left; 0: no limit.
	Cap time.Duration `json:"cap_ns,omitempty"`
	// Each of Sizes, all alike, is a pass over one and the same file, written in full before.
	OneFile bool          `json:"one_file,omitempty"`
	Rest    time.Duration `json:"rest_ns,omitempty"` // pause before each file but the first
	// Files begin at its multiples after the release, so that disks that rest keep in step; 0: at
	// once.
	Step time.Duration `json:"step_ns,omitempty"`
	// After a longer pause a disk no longer counts as busy.
	Think   time.Duration `json:"think_ns,omitempty" yaml:"think" is:"0 s to 400 ms" not:"tests" doc:"a pause between files, as of a program that works on each; within the measured time"`
	Discard int           `json:"discard,omitempty"` // number of warm-up files, which do not count
}

// ThinkTime returns the pause between two files that belongs to the work, on real disks, simulated
// ones and in forecasts.
func (io *IO) ThinkTime() time.Duration { return io.Think }

// workload says which files each disk of a phase moves, and how. The zero Files, Sizes, Order and
// IO.Flush are the preset's.
type workload struct {
	At *yaml.Mapping

	Preset presetName    `yaml:"preset" default:"random"`
	Sizes  sizes         `yaml:"sizes" doc:"the files' sizes, the preset's if they are not given: a list, or a range {min: 2 MB, max: 2 GB}"`
	Order  string        `yaml:"order" is:"random | ascending | descending | listed" doc:"the order of the files, the preset's if it is not given; listed: as sizes has them"`
	WarmUp int           `yaml:"warm_up" is:"0 to 1000000" not:"tests saturation" doc:"how many files each disk moves first that do not count"`
	Seed   uint64        `yaml:"seed" is:"0 to 9223372036854775807" default:"1" doc:"the same seed gives the same files"`
	IO     IO            `yaml:",inline"`
	Files  number        `yaml:"files" doc:"how many files each disk moves, the preset's number if it is not given; auto: as many as fit in target, so that all disks end together"`
	Target time.Duration `yaml:"target" is:"100 ms to 24 h" shows:"40 s" doc:"the time for files: auto to take"`
}

// number is how many files there are; auto: as many as fit in a time.
type number struct {
	files int // 0: the preset's
	auto  bool
}

// Value returns a number or a word.
func (f *number) Value() yaml.Value {
	files := yaml.Tagged(&f.files, `is:"1 to 1000000"`)
	schema := yaml.Schema{"anyOf": []yaml.Schema{{"const": filesAuto}, files.Schema}}
	return yaml.Value{Schema: schema, Read: func(n yaml.Node) {
		switch f.auto = n.Raw() == filesAuto; {
		case n.Kind() == yaml.Map:
			n.Errorf("%s gives the number for every disk, and numbers for single disks belong "+
				"in a phase; "+
				"try phases: [{pattern: WW, files: {B: 20}}]", n.Label())
		case !f.auto:
			files.Read(n)
		}
	}}
}

// sizes are work.Sizes as the scenario has them.
type sizes struct {
	List         []int64 `is:"1 B to 1 TB" empty:"sizes is empty; list one, such as 1 GB, or delete the key"`
	Min          int64   `yaml:"min,required" is:"1 B to 1 TB" doc:"the smallest size"`
	Max          int64   `yaml:"max,required" is:"1 B to 1 TB" doc:"the largest size"`
	Distribution string  `yaml:"distribution" is:"uniform | log-uniform" shows:"uniform" doc:"uniform: every size equally likely; log-uniform: as many from 2 to 20 MB as from 200 MB to 2 GB"`
}

// Check compares the ends of a range.
func (s *sizes) Check(m *yaml.Mapping) {
	if at, ok := m.Get("max"); ok && s.Max > 0 && s.Max < s.Min {
		at.Errorf("max is less than min; swap them")
	}
}

// Short returns a list.
func (s *sizes) Short() yaml.Value { return yaml.Field(s, "List") }

type presetName string

// Value is one of the presets' names.
func (to *presetName) Value() yaml.Value {
	var names []string
	about := []string{"a published method in one word"}
	for _, p := range Presets() {
		names = append(names, p.Name)
		about = append(about, p.Name+": "+p.About)
	}
	return yaml.OneOf(to, names...).With("description", strings.Join(about, ". "))
}

// over returns the workload of a phase: what its mapping has not, it takes over from another,
// except for what only goes with the other's preset or sizes.
func (w workload) over(from workload, m *yaml.Mapping) workload {
	if m.Has("preset") {
		from.Files = number{}
		from.Target = 0
		from.Sizes = sizes{}
		from.Order = ""
	}
	if m.Has("sizes") {
		from.Order = ""
	}
	if m.Has("files") {
		from.Target = 0
	}
	yaml.Inherit(&w, from, m)
	w.Order = cmp.Or(w.Order, from.Order) // the phase's may be that of the disks
	if !w.Files.auto {
		// The phase's may be of single disks.
		w.Files.files = cmp.Or(w.Files.files, from.Files.files)
	}
	return w
}

// target returns the time that files: auto are to take; else 0.
func (w *workload) target() time.Duration {
	if !w.Files.auto {
		return 0
	}
	return cmp.Or(w.Target, defaultTarget)
}

// checkWorkload refuses keys that do not go together.
func (s *Scenario) checkWorkload(m *yaml.Mapping, w *workload) {
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
		for _, pair := range m.Pairs() {
			if rule.is && slices.Contains(pair.Not, rule.name) {
				pair.Value.Errorf(rule.say, pair.Key)
			}
		}
	}
	if io.Mode == ModeApp {
		io.Access = "" // the workload's was meant for blocks
	}
	refuse := func(is bool, keys []string, format string, args ...any) {
		for _, key := range keys { // the first that is there
			if n, ok := m.Get(key); ok && is {
				n.Errorf(format, args...)
				return
			}
		}
	}
	refuse(!w.Files.auto, []string{"target"},
		"target is the time for files: auto to take; add files: auto, or delete target")
	refuse(p.oneFile && len(w.Sizes.List) != 1, []string{"sizes"},
		"preset %s moves one file again and again; give one size, such as [1 GB]", p.Name)
	if p.hasTests() {
		refuse(io.Mode == ModeApp, []string{"io", "preset"},
			"preset %s moves single blocks, and io: app whole files; delete one of the two", p.Name)
		refuse(w.Files.auto, []string{"files"}, "preset %s moves its file a number of times, "+
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

// count returns the number of files each disk moves unless its phase says otherwise.
func (w workload) count() int {
	p := presetByName(w.Preset)
	switch {
	case w.Files.files > 0:
		return w.Files.files
	case w.Sizes.List != nil && !p.oneFile:
		return len(w.Sizes.List)
	}
	return p.files
}

// warmUp returns the number of files that each disk moves first and that do not count.
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
	if work.Sizes(w.Sizes).IsZero() {
		w.Sizes = sizes(p.sizes)
	}
	w.IO.Flush = cmp.Or(w.IO.Flush, p.flush, FlushFsync)
	w.IO.OneFile = p.oneFile
	w.IO.Discard = w.warmUp()
	w.IO.Cap = p.cap
	w.IO.Rest = p.rest
	return w
}

// Work returns the job's work, except for what it shares with the other jobs of its phase. It has
// the fields of IO that work.Work knows by the same name.
func (j *Job) Work() work.Work {
	w := work.Work{
		Op: j.Role, Sizes: j.Source, Order: j.Order, WarmUp: j.IO.Discard,
		Pace: j.Pace, Reads: j.Reads, Streams: j.Streams, Every: j.Probe,
	}
	to := reflect.ValueOf(&w).Elem()
	from := reflect.ValueOf(j.IO)
	for i := range from.NumField() {
		if field := to.FieldByName(from.Type().Field(i).Name); field.IsValid() {
			field.Set(from.Field(i))
		}
	}
	if w.Access = cmp.Or(w.Access, AccessSequential); w.Mode == ModeApp {
		w.Block = 0
		w.Depth = 0
		w.Access = ""
	}
	if j.Writes() == 0 {
		w.Flush = ""
		w.Preallocate = false
	}
	if j.Probe > 0 {
		w.Probe = j.IO.Block
	}
	return w
}

// Works returns the work of each of the phase's disks.
func (p *Phase) Works() map[string]work.Work {
	works := make(map[string]work.Work, len(p.Jobs))
	for _, j := range p.Jobs {
		w := j.Work()
		w.Test = p.Test
		w.Fill = p.Precondition
		works[j.Disk] = w
	}
	return works
}
