package scenario

import (
	"time"

	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// Orders in which a job takes its files.
const (
	orderRandom     = work.Random     // drawn sizes as they were drawn; listed ones shuffled, anew in every phase
	orderAscending  = work.Ascending  // smallest first
	orderDescending = work.Descending // largest first
	orderListed     = work.Listed     // as the list has them
)

// orders lists them.
func orders() []string {
	return []string{orderRandom, orderAscending, orderDescending, orderListed}
}

// preset is a published method: which files, how many, in which order. The phases say what the disks do with them.
type preset struct {
	name  string
	about string // which files, in a few words
	files int    // that count
	sizes Sizes
	order string

	oneFile bool // its files are passes over one and the same file
	discard int  // passes before those that count
	cap     time.Duration
	rest    time.Duration // between passes
	flush   string        // empty: the workload's
	score   string

	tests   []test                                // run one after another, each in a phase of its own; none: the workload says all
	steps   func(s *Scenario, p PhaseSpec) []test // in place of tests, if they depend on the roles
	between time.Duration                         // between tests
}

// test is one way of moving a preset's file, or one step of its method.
type test struct {
	name   string
	access string
	block  int64
	depth  int

	saturation *trace.Saturation
}

// variants are the tests of a phase's preset; one without a name, that changes nothing, if it has none.
func (s *Scenario) variants(p PhaseSpec) []test {
	switch preset := presetByName(p.Workload.Preset); {
	case preset.steps != nil:
		return preset.steps(s, p)
	case preset.hasTests():
		return preset.tests
	}
	return []test{{}}
}

// apply makes io the test's.
func (t test) apply(io IO) IO {
	if t.block > 0 {
		io.Access, io.Block, io.Depth = t.access, t.block, t.depth
	}
	return io
}

// presets lists the methods. Sizes are decimal, as in the reports they come from.
func presets() []preset {
	const (
		kb = int64(1e3)
		mb = int64(1e6)
		gb = int64(1e9)
	)
	anySize := Sizes{Min: 2 * mb, Max: 2 * gb, Distribution: uniform}
	return []preset{
		// The one for concurrent tests: sizes as varied as a real copy's.
		{name: "random", about: "50 files of 2 MB to 2 GB, sizes drawn uniformly; for several disks at once",
			files: 50, sizes: anySize, order: orderRandom},
		// Ten files of each size, 53.3 GB.
		{name: "standard", about: "160 files, ten each of 16 sizes from 2 MB to 2 GB (53.3 GB), in random order",
			files: 160, order: orderRandom, sizes: Sizes{List: []int64{
				2 * mb, 4 * mb, 6 * mb, 8 * mb, 10 * mb, 20 * mb, 40 * mb, 60 * mb, 80 * mb, 100 * mb,
				200 * mb, 400 * mb, 600 * mb, 800 * mb, 1 * gb, 2 * gb,
			}}},
		// Speed against size, one file of each. The reports give the ends and the number of sizes; these steps are close
		// where they saw speed change (under 1 MB, around 600 MB).
		{name: "ladder", about: "20 sizes from 50 KB to 2 GB, in ascending order",
			files: 20, order: orderAscending, sizes: Sizes{List: []int64{
				50 * kb, 100 * kb, 200 * kb, 400 * kb, 600 * kb, 800 * kb, 1 * mb, 2 * mb, 5 * mb, 10 * mb,
				20 * mb, 50 * mb, 100 * mb, 200 * mb, 400 * mb, 600 * mb, 800 * mb, 1 * gb, 1500 * mb, 2 * gb,
			}}},
		// Speed against all the bytes so far: long enough to exhaust a cache or to heat a disk; 800 files for a large cache.
		{name: "endurance", about: "320 files of 2 MB to 2 GB, to see whether the rate falls with the bytes written",
			files: 320, sizes: anySize, order: orderRandom},
		// Like Blackmagic Disk Speed Test, which runs until it is stopped: five times show a spread.
		{name: "blackmagic", about: "one 5 GB file, five times, as Blackmagic Disk Speed Test moves it",
			files: 5, sizes: Sizes{List: []int64{5 * gb}}, order: orderListed, oneFile: true},
		// Until the fast cache is full and beyond: the same files, overwritten.
		{name: "saturation", about: "1 GB files over and over, in phases of its own: each disk that writes goes on alone until its fast cache is full and the rate is steady again (at most 5 min, or as long as stop says), then for 20 s after rests of 10 s to 5 min 20 s; then all disks together",
			files: 100, sizes: Sizes{List: []int64{1 * gb}}, order: orderListed, steps: (*Scenario).saturation},
		amorphous(),
		crystal(),
	}
}

// The tests that AmorphousDiskMark and CrystalDiskMark share, and the file that they are run on.
const (
	sequentialBlock = 1 << 20
	randomBlock     = 4 << 10
	testFile        = 1 << 30
	testTime        = 5 * time.Second // of a pass at most, and between tests
)

// amorphous is AmorphousDiskMark's method: it waits between passes, and flushes inside a write's time.
func amorphous() preset {
	return preset{
		name: "amorphous", about: "four tests of AmorphousDiskMark, sequential and random, 5 passes of at most 5 s; the score is the median",
		files: 5, sizes: Sizes{List: []int64{testFile}}, order: orderListed,
		oneFile: true, cap: testTime, rest: testTime, flush: FlushFsync, score: ScoreMedian, between: testTime,
		tests: []test{
			{name: "SEQ1M QD8", access: AccessSequential, block: sequentialBlock, depth: 8},
			{name: "SEQ1M QD1", access: AccessSequential, block: sequentialBlock, depth: 1},
			{name: "RND4K QD64", access: AccessRandom, block: randomBlock, depth: 64},
			{name: "RND4K QD1", access: AccessRandom, block: randomBlock, depth: 1},
		},
	}
}

// crystal is CrystalDiskMark's default: its passes follow one another at once, its tests do not, and it never
// flushes. T1 is one thread.
func crystal() preset {
	return preset{
		name: "crystal", about: "four tests of CrystalDiskMark, 5 passes of at most 5 s after one that does not count; the score is the best",
		files: 5, sizes: Sizes{List: []int64{testFile}}, order: orderListed,
		oneFile: true, discard: 1, cap: testTime, flush: FlushNone, score: ScoreBest, between: testTime,
		tests: []test{
			{name: "SEQ1M Q8T1", access: AccessSequential, block: sequentialBlock, depth: 8},
			{name: "SEQ1M Q1T1", access: AccessSequential, block: sequentialBlock, depth: 1},
			{name: "RND4K Q32T1", access: AccessRandom, block: randomBlock, depth: 32},
			{name: "RND4K Q1T1", access: AccessRandom, block: randomBlock, depth: 1},
		},
	}
}

// Preset is a published method that a scenario can name.
type Preset struct{ Name, About string }

// Presets lists them.
func Presets() []Preset {
	var all []Preset
	for _, p := range presets() {
		all = append(all, Preset{p.name, p.about})
	}
	return all
}

// presetsWith lists the names of the presets for which a condition holds; all if it is nil.
func presetsWith(holds func(preset) bool) []string {
	var names []string
	for _, p := range presets() {
		if holds == nil || holds(p) {
			names = append(names, p.name)
		}
	}
	return names
}

// hasTests reports whether the preset is a number of tests, each with blocks of its own.
func (p preset) hasTests() bool { return p.tests != nil }

// saturates reports whether the preset is the steps that show where a disk's fast cache ends.
func (p preset) saturates() bool { return p.steps != nil }

func presetByName(name string) preset {
	for _, p := range presets() {
		if p.name == name {
			return p
		}
	}
	return presets()[0]
}
