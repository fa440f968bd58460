package scenario

import (
	"maps"
	"slices"
	"time"

	"github.com/hubbench/hubbench/pkg/stats"
	yaml "github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
)

// Preset is a published method that a scenario can name: which files, how many, in which order. The
// phases say what the disks do with them.
type Preset struct {
	Name  string
	About string // the files in a few words

	files int // number of files that count
	sizes work.Sizes
	order string

	oneFile bool // its files are passes over one and the same file
	discard int  // passes before those that count
	cap     time.Duration
	rest    time.Duration // between passes
	flush   string        // empty: the workload's
	score   string

	// Run one after another, each in a phase of its own; none: the workload says all.
	tests     []test
	between   time.Duration // between tests
	saturates bool          // its tests are the steps that show where a disk's fast cache ends
}

// test is one way of moving a preset's file, or one step of its method.
type test struct {
	name   string
	access string
	block  int64
	depth  int

	saturation *trace.Saturation
}

// Presets lists the methods. Sizes are decimal, as in the reports they come from.
func Presets() []Preset {
	const (
		kb = int64(1e3)
		mb = int64(1e6)
		gb = int64(1e9)

		// Of AmorphousDiskMark and CrystalDiskMark.
		sequentialBlock = 1 << 20
		randomBlock     = 4 << 10
		testFile        = 1 << 30
		testTime        = 5 * time.Second // maximum time of a pass, and the time between tests
	)
	anySize := work.Sizes{Min: 2 * mb, Max: 2 * gb, Distribution: work.Uniform}
	list := func(sizes ...int64) work.Sizes { return work.Sizes{List: sizes} }
	return []Preset{
		// The one for concurrent tests: sizes as varied as a real copy's.
		{Name: "random",
			About: "50 files of 2 MB to 2 GB, sizes drawn uniformly; for several disks at once",
			files: 50, sizes: anySize, order: work.Random},
		// Ten files of each size, 53.3 GB.
		{Name: "standard",
			About: "160 files, ten each of 16 sizes from 2 MB to 2 GB (53.3 GB), in random order",
			files: 160, order: work.Random, sizes: list(
				2*mb, 4*mb, 6*mb, 8*mb, 10*mb, 20*mb, 40*mb, 60*mb, 80*mb, 100*mb,
				200*mb, 400*mb, 600*mb, 800*mb, 1*gb, 2*gb)},
		// Speed against size, one file of each. The reports give the ends and the number of sizes;
		// these steps are close where they saw speed change (under 1 MB, around 600 MB).
		{Name: "ladder", About: "20 sizes from 50 KB to 2 GB, in ascending order",
			files: 20, order: work.Ascending, sizes: list(
				50*kb, 100*kb, 200*kb, 400*kb, 600*kb, 800*kb, 1*mb, 2*mb, 5*mb, 10*mb,
				20*mb, 50*mb, 100*mb, 200*mb, 400*mb, 600*mb, 800*mb, 1*gb, 1500*mb, 2*gb)},
		// Speed against all the bytes so far: long enough to exhaust a cache or to heat a disk; 800
		// files for a large cache.
		{Name: "endurance",
			About: "320 files of 2 MB to 2 GB, to see whether the rate falls with the bytes " +
				"written",
			files: 320, sizes: anySize, order: work.Random},
		// Like Blackmagic Disk Speed Test, which runs until it is stopped: five times show a
		// spread.
		{Name: "blackmagic",
			About: "one 5 GB file, five times, as Blackmagic Disk Speed Test moves it",
			files: 5, sizes: list(5 * gb), order: work.Listed, oneFile: true},
		// Until the fast cache is full and beyond: the same files, overwritten.
		{Name: "saturation",
			About: "1 GB files over and over, in phases of its own: each disk that writes goes " +
				"on alone " +
				"until its fast cache is full and the rate is steady again (at most 5 min, or " +
				"as long as stop says), " +
				"then for 20 s after rests of 10 s to 5 min 20 s; then all disks together",
			files: 100, sizes: list(1 * gb), order: work.Listed, saturates: true},
		// AmorphousDiskMark waits between passes, and flushes inside a write's time.
		{Name: "amorphous",
			About: "four tests of AmorphousDiskMark, sequential and random, " +
				"5 passes of at most 5 s; the score is the median",
			files: 5, sizes: list(testFile), order: work.Listed, oneFile: true,
			cap: testTime, rest: testTime, flush: FlushFsync, score: ScoreMedian, between: testTime,
			tests: []test{
				{name: "SEQ1M QD8", access: AccessSequential, block: sequentialBlock, depth: 8},
				{name: "SEQ1M QD1", access: AccessSequential, block: sequentialBlock, depth: 1},
				{name: "RND4K QD64", access: AccessRandom, block: randomBlock, depth: 64},
				{name: "RND4K QD1", access: AccessRandom, block: randomBlock, depth: 1},
			}},
		// The default of CrystalDiskMark: its passes follow one another at once, its tests do not,
		// and it never flushes. T1 is one thread.
		{Name: "crystal",
			About: "four tests of CrystalDiskMark, 5 passes of at most 5 s after one that does " +
				"not count; " +
				"the score is the best",
			files: 5, sizes: list(testFile), order: work.Listed, oneFile: true, discard: 1,
			cap: testTime, flush: FlushNone, score: ScoreBest, between: testTime,
			tests: []test{
				{name: "SEQ1M Q8T1", access: AccessSequential, block: sequentialBlock, depth: 8},
				{name: "SEQ1M Q1T1", access: AccessSequential, block: sequentialBlock, depth: 1},
				{name: "RND4K Q32T1", access: AccessRandom, block: randomBlock, depth: 32},
				{name: "RND4K Q1T1", access: AccessRandom, block: randomBlock, depth: 1},
			}},
	}
}

// hasTests reports whether the preset is a number of tests, each with blocks of its own.
func (p Preset) hasTests() bool { return p.tests != nil }

func presetByName(name presetName) Preset {
	all := Presets()
	return all[max(0, slices.IndexFunc(all, func(p Preset) bool { return p.Name == string(name) }))]
}

// variants returns the tests of a phase's preset; one without a name, that changes nothing, if it
// has none.
func (s *Scenario) variants(p phaseSpec) []test {
	switch preset := presetByName(p.work.Preset); {
	case preset.saturates:
		return s.saturation(p)
	case preset.hasTests():
		return preset.tests
	}
	return []test{{}}
}

// The preset saturation writes past the end of a disk's fast cache, in phases: each disk that
// writes does so alone until it has fallen and is steady again, then in short bursts after longer
// and longer rests, which show how much of the cache has come back; and in the end all disks of the
// phase work together, for what the others gain when one falls.
const (
	// For a disk to fall and become steady; several hundred gigabytes at the speed of a link.
	saturationMax = 5 * time.Minute
	// A fall may come after a few seconds, and must not be lost in its window.
	saturationWindow = 5 * time.Second
	saturationBurst  = 20 * time.Second // 46 GB at 2.3 GB/s: more than most caches have regained
	shortestRest     = 10 * time.Second // before the bursts; each twice as long as the one before
	longestBurstRest = shortestRest << 5
)

func (s *Scenario) saturation(p phaseSpec) []test {
	var steps []test
	working := 0
	for _, d := range s.Disks {
		if p.Roles[d.Name] != trace.Idle {
			working++
		}
		if p.Roles[d.Name] != trace.Write {
			continue
		}
		alone := &trace.Saturation{Step: trace.SaturationAlone, Disk: d.Name}
		steps = append(steps, test{name: d.Name + " alone", saturation: alone})
		for rest := shortestRest; rest <= longestBurstRest; rest *= 2 {
			burst := &trace.Saturation{Step: trace.SaturationBurst, Disk: d.Name,
				RestNS: rest.Nanoseconds()}
			name := d.Name + " after " + unit.FormatDuration(rest)
			steps = append(steps, test{name: name, saturation: burst})
		}
	}
	if working > 1 {
		together := &trace.Saturation{Step: trace.SaturationTogether}
		steps = append(steps, test{name: "together", saturation: together})
	}
	return steps
}

func (p *Phase) saturate(step trace.Saturation) {
	p.Stop = StopTime
	p.Target = 0
	p.Test = ""
	p.Saturation = &step
	if p.Limit == 0 {
		p.Limit = saturationMax
	}
	switch rest := time.Duration(step.RestNS); step.Step {
	case trace.SaturationAlone:
		p.Steady = saturationWindow
		p.AfterFall = true
	case trace.SaturationTogether:
		p.Steady = saturationWindow
		p.AfterFall = true
		p.Cooldown = max(p.Cooldown, longestBurstRest)
	case trace.SaturationBurst:
		p.Limit = min(p.Limit, saturationBurst)
		p.Test = unit.FormatDuration(rest) + " of rest"
		p.Cooldown = rest
		p.UntilIdle = false
	}
}

func (p *phaseSpec) checkSaturation(m *yaml.Mapping) {
	preset := presetByName(p.work.Preset)
	if !preset.saturates {
		return
	}
	n, stops := m.Get("stop")
	if stops && p.Stop != StopTime {
		n.Errorf("preset %s ends each phase when its disks have fallen, and stop is the latest "+
			"time for that; "+
			"try 10 min, or delete stop", preset.Name)
	} else if stops && p.Limit < stats.SteadyWindows*saturationWindow {
		n.Errorf("stop comes before the five windows of %s have passed over which preset %s "+
			"judges rates; "+
			"try %s, or delete stop",
			unit.FormatDuration(saturationWindow), preset.Name,
			unit.FormatDuration(saturationMax))
	}
	if n, ok := m.Get("files"); ok && p.work.Files.auto {
		n.Errorf("preset %s writes its files again and again; give their number, or delete files",
			preset.Name)
	}
	writes := slices.Contains(slices.Collect(maps.Values(p.Roles)), trace.Write)
	switch {
	case p.Roles != nil && !writes:
		m.Errorf("preset %s writes until a disk's fast cache is full, and no disk writes here; "+
			"give one the letter W", preset.Name)
	}
}
