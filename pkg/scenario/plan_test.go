package scenario

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// mustPlan plans a scenario given as text.
func mustPlan(t *testing.T, text string) *Plan {
	t.Helper()
	plan, err := loadPlan("test.yaml", []byte(text))
	check.Must(t, err)
	return plan
}

// twoDisks is a scenario of disks A and B with the given workload and phases, both in flow style.
func twoDisks(workload, phases string) string {
	return fmt.Sprintf("version: 1\nname: two\ndisks: [{name: A, path: /a}, {name: B, path: /b}]\nworkload: %s\nphases: %s\n", workload, phases)
}

// The plans of the scenarios in testdata, in short.
func TestPlans(t *testing.T) {
	for _, file := range files(t, "testdata/*.yaml") {
		t.Run(file.name, func(t *testing.T) {
			plan := mustPlan(t, string(file.data))
			golden(t, strings.TrimSuffix(file.path, ".yaml")+".plan", outline(t, plan))

			encoded, err := json.Marshal(plan)
			check.Must(t, err)
			again, err := json.Marshal(mustPlan(t, string(file.data)))
			check.Must(t, err)
			if !bytes.Equal(encoded, again) {
				t.Error("the same file gave two plans")
			}
			var decoded *Plan
			check.Must(t, json.Unmarshal(encoded, &decoded))
			check.Same(t, "plan changed on its way through JSON", plan, decoded)
		})
	}
}

// outline writes a plan for people to check.
func outline(t *testing.T, p *Plan) string {
	t.Helper()
	var b strings.Builder
	fmt.Fprintf(&b, "plan %q\n", p.Name)
	if p.Hub != nil {
		fmt.Fprintf(&b, "hub %q speedup %v\n", p.Hub.Profile, p.Hub.Speedup)
	}
	for _, d := range p.Disks {
		fmt.Fprintf(&b, "disk %q path %q connection %q profile %q\n", d.Name, d.Path, d.Connection,
			d.Profile)
	}
	for _, ph := range p.Phases {
		fmt.Fprintf(&b,
			"\nphase %q %v connections %v cooldown %v until idle %v pause %q stop %s limit %v target %v test %q score %q\n", ph.Name, ph.Roles,
			ph.Connections, ph.Cooldown, ph.UntilIdle, ph.Pause, ph.Stop, ph.Limit, ph.Target,
			ph.Test, ph.Score)
		if ph.Steady > 0 || ph.Precondition > 0 || ph.Search != nil ||
			len(work.PacedOf(ph.Works())) > 0 {
			encoded, err := json.Marshal(ph.Search)
			check.Must(t, err)
			fmt.Fprintf(&b, "  %s; steady %v, precondition %v, search %s\n", ph.Who(), ph.Steady,
				ph.Precondition, encoded)
		}
		for _, j := range ph.Jobs {
			io, err := json.Marshal(j.IO)
			check.Must(t, err)
			moves, bound := ph.Moves(j)
			fmt.Fprintf(&b, "  %q %s %d files, %s %d bytes, seed %016x, %s\n    %d", j.Disk, j.Role,
				len(j.Sizes), bound, moves, j.Seed, io, j.Sizes[:min(4, len(j.Sizes))])
			if j.Pace > 0 || j.Reads > 0 || j.HasNoFiles() {
				fmt.Fprintf(&b, " pace %v reads %v streams %v probe %v needs %d", j.Pace, j.Reads,
					j.Streams, j.Probe, j.Needs())
			}
			if n := len(j.Sizes); n > 4 {
				fmt.Fprintf(&b, " ... %d", j.Sizes[n-1])
			}
			b.WriteByte('\n')
		}
	}
	b.WriteByte('\n')
	for i, total := range p.Totals() {
		fmt.Fprintf(&b, "total of %q %+v\n", p.Disks[i].Name, total)
	}
	return b.String()
}

// The presets against the field notes.
func TestPresets(t *testing.T) {
	tests := []struct {
		preset    string
		files     int
		bytes     int64 // 0: drawn
		low, high int64
		score     string
		tests     []string
		io        IO // of the first test, what the preset says of it
	}{
		{preset: "random", files: 50, low: 2e6, high: 2e9},
		{preset: "standard", files: 160, bytes: 53_300_000_000, low: 2e6, high: 2e9},
		{preset: "ladder", files: 20, low: 50e3, high: 2e9},
		{preset: "endurance", files: 320, low: 2e6, high: 2e9},
		{preset: "blackmagic", files: 5, bytes: 25_000_000_000, low: 5e9, high: 5e9,
			io: IO{OneFile: true}},
		{preset: "saturation", files: 100, bytes: 100e9, low: 1e9, high: 1e9,
			tests: []string{"W- A alone", "W- A after 10 s", "W- A after 20 s", "W- A after 40 s",
				"W- A after 1 min 20 s", "W- A after 2 min 40 s", "W- A after 5 min 20 s"}},
		{preset: "amorphous", files: 5, bytes: 5 << 30, low: 1 << 30, high: 1 << 30,
			tests: []string{"W- SEQ1M QD8", "W- SEQ1M QD1", "W- RND4K QD64", "W- RND4K QD1"},
			score: ScoreMedian,
			io: IO{OneFile: true, Cap: 5 * time.Second, Rest: 5 * time.Second, Access: "sequential",
				Block: 1 << 20, Depth: 8}},
		{preset: "crystal", files: 6, bytes: 6 << 30, low: 1 << 30, high: 1 << 30,
			tests: []string{"W- SEQ1M Q8T1", "W- SEQ1M Q1T1", "W- RND4K Q32T1", "W- RND4K Q1T1"},
			score: ScoreBest,
			io: IO{OneFile: true, Cap: 5 * time.Second, Discard: 1, Access: "sequential",
				Block: 1 << 20, Depth: 8, Flush: "none"}},
	}
	check.Same(t, "how many presets", len(tests), len(Presets()))
	for _, tt := range tests {
		t.Run(tt.preset, func(t *testing.T) {
			plan := mustPlan(t, twoDisks("{preset: "+tt.preset+"}", "[{pattern: W-}]"))
			if tt.tests == nil {
				tt.tests = []string{"W-"}
			}
			var names []string
			for _, phase := range plan.Phases {
				names = append(names, phase.Name)
				check.Same(t, "score of "+phase.Name, tt.score, phase.Score)
			}
			check.Same(t, "phases", tt.tests, names)
			j := plan.Phases[0].Jobs[0]
			check.Same(t, "how many files", tt.files, len(j.Sizes))
			if tt.bytes > 0 && j.Bytes() != tt.bytes {
				t.Errorf("%d bytes, want %d", j.Bytes(), tt.bytes)
			}
			if low, high := slices.Min(j.Sizes), slices.Max(j.Sizes); low < tt.low ||
				high > tt.high {
				t.Errorf("sizes from %d to %d, want within %d to %d", low, high, tt.low, tt.high)
			}
			if ladder := slices.IsSorted(j.Sizes); ladder != (tt.preset == "ladder" ||
				tt.low == tt.high) {
				t.Errorf("sizes ascending: %v", ladder)
			}
			// What a preset leaves open is the workload's.
			usual := IO{Mode: "direct", Block: 8 << 20, Depth: 4, Flush: "fsync", Verify: "off",
				Preallocate: true}
			want := tt.io
			want.Mode, want.Verify, want.Preallocate = usual.Mode, usual.Verify, usual.Preallocate
			if want.Block == 0 {
				want.Block, want.Depth = usual.Block, usual.Depth
			}
			if want.Flush == "" {
				want.Flush = usual.Flush
			}
			check.Same(t, "io", want, j.IO)
		})
	}
}

// What one part of a scenario draws never moves another's.
func TestSizesStay(t *testing.T) {
	sizes := func(text string, phase int, disk string) []int64 {
		j, ok := mustPlan(t, text).Phases[phase].Job(disk)
		if !ok {
			t.Fatalf("disk %s has no job in phase %d", disk, phase)
		}
		return j.Sizes
	}
	base := sizes(twoDisks("{files: 20}", "[{pattern: WW}]"), 0, "A")
	same := map[string][]int64{
		"a phase added before": sizes(twoDisks("{files: 20}",
			"[{pattern: RR}, {pattern: WW}]"), 1, "A"),
		"another role": sizes(twoDisks("{files: 20}", "[{pattern: RW}]"), 0, "A"),
		"another block and depth": sizes(twoDisks("{files: 20, block: 4096, depth: 1}",
			"[{pattern: WW}]"), 0, "A"),
		"more files of another disk": sizes(twoDisks("{files: 20}",
			"[{pattern: WW, files: {B: 40}}]"), 0, "A"),
		"the first of more files": sizes(twoDisks("{files: 40}", "[{pattern: WW}]"), 0,
			"A")[:20],
		"a repeat": sizes(twoDisks("{files: 20}", "[{pattern: WW, repeat: 3}]"),
			2, "A"),
	}
	for name, got := range same {
		if diff := cmp.Diff(base, got); diff != "" {
			t.Errorf("%s changed the sizes:\n%s", name, diff)
		}
	}
	differ := map[string][]int64{
		"another disk": sizes(twoDisks("{files: 20}", "[{pattern: WW}]"), 0, "B"),
		"another seed": sizes(twoDisks("{files: 20, seed: 2}", "[{pattern: WW}]"), 0, "A"),
	}
	for name, got := range differ {
		if slices.Equal(base, got) {
			t.Errorf("%s has the same sizes", name)
		}
	}

	first := sizes(twoDisks("{preset: standard}", "[{pattern: WW}, {pattern: RR}]"), 0, "A")
	second := sizes(twoDisks("{preset: standard}", "[{pattern: WW}, {pattern: RR}]"), 1, "A")
	if slices.Equal(first, second) {
		t.Error("two phases shuffled a list the same way")
	}
	slices.Sort(first)
	slices.Sort(second)
	if !slices.Equal(first, second) {
		t.Error("shuffling changed the sizes")
	}
}

// The data of any two jobs differs, so that no controller finds a block it has already.
func TestSeedsDiffer(t *testing.T) {
	seen := map[uint64]string{}
	for _, ph := range mustPlan(t, twoDisks("{files: 1}",
		"[{pattern: WW, repeat: 10}, {pattern: RR}, {pattern: WR, seed: 2}]")).Phases {
		for _, j := range ph.Jobs {
			if other, again := seen[j.Seed]; again {
				t.Errorf("%s of %s and %s have one seed", j.Disk, ph.Name, other)
			}
			seen[j.Seed] = j.Disk + " of " + ph.Name
		}
	}
}

// Drawn sizes fill their range as their distribution says: the share below a mark is within four
// standard errors.
func TestDistribution(t *testing.T) {
	tests := []struct {
		distribution string
		mark         float64
		below        float64 // share of sizes
	}{
		{work.Uniform, 0.2e9, (0.2e9 - 2e6) / (2e9 - 2e6)},
		{work.Uniform, 1e9, (1e9 - 2e6) / (2e9 - 2e6)},
		{work.LogUniform, 20e6, math.Log(10) / math.Log(1000)},
		{work.LogUniform, 200e6, math.Log(100) / math.Log(1000)},
	}
	const n = 20_000
	for _, tt := range tests {
		sizes := mustPlan(t,
			twoDisks(fmt.Sprintf("{files: %d, sizes: {min: 2 MB, max: 2 GB, distribution: %s}}", n,
				tt.distribution),
				"[{pattern: W-}]")).Phases[0].Jobs[0].Sizes
		below := 0
		for _, size := range sizes {
			if size < 2e6 || size > 2e9 || size%grain != 0 {
				t.Fatalf("%s drew %d", tt.distribution, size)
			}
			if float64(size) < tt.mark {
				below++
			}
		}
		if got, slack := float64(below)/n,
			4*math.Sqrt(tt.below*(1-tt.below)/n); math.Abs(got-tt.below) > slack {
			t.Errorf("%s: %.3f of the sizes below %.0f, want %.3f within %.3f", tt.distribution,
				got, tt.mark, tt.below, slack)
		}
	}
}

// Both ends of a range are drawn.
func TestRangeEnds(t *testing.T) {
	for _, distribution := range []string{work.Uniform, work.LogUniform} {
		s := work.Sizes{Min: 3 * grain, Max: 5 * grain, Distribution: distribution}
		seen := map[int64]int{}
		for r, i := rand.NewPCG(digest(1, distribution)), 0; i < 300; i++ {
			seen[drawSize(sizes(s), r)]++
		}
		if len(seen) != 3 || seen[3*grain] == 0 || seen[4*grain] == 0 || seen[5*grain] == 0 {
			t.Errorf("%s drew %v", distribution, seen)
		}
	}
}

// DiskPos lets a later check of a folder point into the file.
func TestDiskPos(t *testing.T) {
	s, err := Load("two.yaml", []byte(twoDisks("{files: 1}", "[{pattern: WW}]")))
	check.Must(t, err)
	check.Same(t, "place", "two.yaml:3:46", s.DiskPos("B").String())
}

func TestPhaseNames(t *testing.T) {
	for phases, want := range map[string][]string{
		"[{pattern: WW}, {pattern: RR}, {pattern: WW}]":         {"WW", "RR", "WW-2"},
		"[{pattern: WW, repeat: 2}, {pattern: WW}]":             {"WW-1", "WW-2", "WW"},
		"[{pattern: WW}, {pattern: RR, name: WW}]":              {"WW-2", "WW"},
		"[{pattern: WW, repeat: 2}, {pattern: RR, name: WW-2}]": {"WW-2-1", "WW-2-2", "WW-2"},
		"[{roles: {B: read}}]":                                  {"-R"},
	} {
		check.Same(t, phases, want, phaseNames(mustPlan(t, twoDisks("{files: 1}", phases))))
	}
}

func TestPlanCheck(t *testing.T) {
	plan := func() *Plan {
		return &Plan{
			Hub:   &Hub{Profile: "goshen-ridge", Speedup: 20},
			Disks: []Disk{{Name: "A", Profile: "A"}},
			Phases: []Phase{{Name: "W",
				Jobs: []Job{{Disk: "A", Role: trace.Write, Sizes: []int64{1}}}},
				{Name: "R", Stop: StopTime, Limit: time.Second,
					Jobs: []Job{{Disk: "A", Role: trace.Read, Sizes: []int64{1}}}}},
		}
	}
	if err := plan().Check(); err != nil {
		t.Errorf("a plan: %v", err)
	}
	for name, change := range map[string]func(*Plan){
		"time runs backwards": func(p *Plan) { p.Hub.Speedup = -1 },
		"time stands still":   func(p *Plan) { p.Hub.Speedup = 0 },
		"one name twice":      func(p *Plan) { p.Phases[1].Name = "W" },
		"no end":              func(p *Plan) { p.Phases[1].Limit = 0 },
		"a rest below zero":   func(p *Plan) { p.Phases[1].Cooldown = -1 },
		"no such disk":        func(p *Plan) { p.Phases[1].Jobs[0].Disk = "B" },
		"an idle job":         func(p *Plan) { p.Phases[1].Jobs[0].Role = trace.Idle },
		"no files":            func(p *Plan) { p.Phases[1].Jobs[0].Sizes = nil },
		"a file of nothing":   func(p *Plan) { p.Phases[1].Jobs[0].Sizes[0] = 0 },
		"no block":            func(p *Plan) { p.Disks[0] = Disk{Name: "A", Path: "/"} },
		"a pace below zero":   func(p *Plan) { p.Phases[1].Jobs[0].Pace = -1 },
		"reads alone":         func(p *Plan) { p.Phases[1].Jobs[0].Reads = 1 },
	} {
		p := plan()
		change(p)
		if p.Check() == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// A and B hang on a hub of USB 10 Gb/s, B having fallen to USB 2; C has a cable of its own, and of
// D nothing is known.
func wired() ([]Disk, *hardware.Setup) {
	usb := func(segment hardware.Segment, hub string, bps int64) hardware.Link {
		return hardware.Link{Segment: segment, Hub: hub, Kind: hardware.USBLink, RxBps: bps,
			TxBps: bps}
	}
	unit := func(name string, links ...hardware.Link) hardware.Unit {
		return hardware.Unit{Drive: hardware.Drive{Name: name, Path: hardware.Path{Links: links}}}
	}
	up := usb(hardware.Uplink, "hub", 10e9)
	return []Disk{{Name: "A"}, {Name: "B"}, {Name: "C"}, {Name: "D"}},
		&hardware.Setup{Disks: map[string]hardware.Unit{
			"A": unit("sda", up, usb(hardware.Enclosure, "", 10e9)),
			"B": unit("sdb", up, usb(hardware.Enclosure, "", 480e6)),
			"C": unit("sdc", usb(hardware.Enclosure, "", 20e9)),
			"D": unit("sdd", hardware.Link{Kind: hardware.Thunderbolt}),
		}}
}

func TestLinksOf(t *testing.T) {
	disks, setup := wired()
	want := []Link{
		{[]string{"A", "B"}, 1.06e9}, {[]string{"A"}, 1.06e9}, {[]string{"B"}, 0.0532e9},
		{[]string{"C"}, 2.1e9}, {[]string{"D"}, LinkRate},
	}
	check.Same(t, "links", want, LinksOf(disks, setup))
	setup.Disks = map[string]hardware.Unit{"A": setup.Disks["D"]}
	if got := LinksOf(disks, setup); got != nil || LinksOf(disks, nil) != nil {
		t.Errorf("nothing is known: %v", got)
	}
}

// Times and amounts follow from the links that are known.
func TestTimesUseTheLinks(t *testing.T) {
	disks, setup := wired()
	job := func(disk string) Job {
		return Job{Disk: disk, Role: trace.Write, Sizes: []int64{5.32e9}}
	}
	for _, tt := range []struct {
		jobs    []Job
		links   []Link
		seconds float64
		moves   int64 // by the first, in 10 s
	}{
		{[]Job{job("B")}, LinksOf(disks, setup), 100, 0.532e9},
		{[]Job{job("A")}, LinksOf(disks, setup), 5.32 / 1.06, 10.6e9},
		{[]Job{job("A"), job("B")}, LinksOf(disks, setup), 100, 5.3e9},
		{[]Job{job("A"), job("C")}, LinksOf(disks, setup), 5.32 / 1.06, 10.6e9},
		{[]Job{job("A"), job("B")}, []Link{{[]string{"A", "B"}, 1.06e9}}, 2 * 5.32 / 1.06, 5.3e9},
		{[]Job{job("A"), job("B")}, nil, 2 * 5.32 / 3.4, 17e9},
		// One each way.
		{[]Job{job("A"), {Disk: "B", Role: trace.Read, Sizes: []int64{5.32e9}}}, nil, 5.32 / 3.4,
			23.8e9},
	} {
		phase := Phase{Jobs: tt.jobs, Links: tt.links}
		least, _, _ := phase.Time()
		if want := time.Duration(tt.seconds * float64(time.Second)); (least -
			want).Abs() > time.Microsecond {
			t.Errorf("%d jobs over %v take %v, want %v", len(tt.jobs), tt.links, least, want)
		}
		phase.Target = 10 * time.Second
		moves, _ := phase.Moves(tt.jobs[0])
		check.Same(t, fmt.Sprintf("bytes of %d jobs over %v", len(tt.jobs), tt.links), tt.moves,
			moves)
	}
}

func TestCarried(t *testing.T) {
	disks, setup := wired()
	jobs := []Job{{Disk: "A", Role: trace.Write}, {Disk: "B", Role: trace.Write},
		{Disk: "C", Role: trace.Write}}
	all := Phase{Jobs: jobs, Links: LinksOf(disks, setup)}
	check.Same(t, "all together", 1.06e9+0.0532e9+2.1e9, all.Carried(trace.Write))
	check.Same(t, "one link for all", LinkMax, (Phase{Jobs: jobs}).Carried(trace.Write))
	check.Same(t, "none reads", 0.0, (Phase{Jobs: jobs}).Carried(trace.Read))
}

// A plan whose jobs were lost says so, and in which phase.
func TestPlanWithoutJobs(t *testing.T) {
	p := &Plan{Phases: []Phase{{Name: "WW", Stop: StopRace}}}
	check.Refused(t, "a plan with jobs: null", p.Check(), `phase "WW" has no jobs`)
}
