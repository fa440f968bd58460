package scenario

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/test/check"
)

// manyDisks is a scenario of so many disks, D1 and on, with a study and no phases.
func manyDisks(n int, study string) string {
	disks := make([]string, n)
	for i := range disks {
		disks[i] = fmt.Sprintf("{name: D%d, path: /d%d}", i+1, i+1)
	}
	return fmt.Sprintf("version: 1\nname: many\ndisks: [%s]\nworkload: {files: 1}\nstudy: %s\n",
		strings.Join(disks, ", "), study)
}

func phaseNames(p *Plan) []string {
	names := make([]string, len(p.Phases))
	for i, phase := range p.Phases {
		names[i] = phase.Name
	}
	return names
}

func TestStudyPhases(t *testing.T) {
	for _, tt := range []struct {
		disks int
		study string
		want  []string
	}{
		{1, "matrix", []string{"D1 writes", "D1 reads"}},
		{1, "all", []string{"D1 writes", "D1 reads"}},
		{2, "matrix", []string{"D1 writes", "D2 writes", "D1 reads", "D2 reads", "D1 and D2 write",
			"D1 and D2 read", "D1 writes, D2 reads", "D1 reads, D2 writes"}},
		{3, "[solo, all, mixed]", []string{
			"D1 writes", "D2 writes", "D3 writes", "D1 reads", "D2 reads", "D3 reads", "all write",
			"all read",
			"D1 writes, D2 and D3 read", "D1 and D3 read, D2 writes", "D1 and D2 read, D3 writes",
			"D1 reads, D2 and D3 write", "D1 and D3 write, D2 reads",
			"D1 and D2 write, D3 reads",
		}},
		{3, "pairs", []string{
			"D2 and D3 write", "D1 and D3 write", "D1 and D2 write", "D2 and D3 read",
			"D1 and D3 read", "D1 and D2 read",
			"D2 writes, D3 reads", "D1 writes, D3 reads", "D1 writes, D2 reads",
			"D2 reads, D3 writes", "D1 reads, D3 writes", "D1 reads, D2 writes",
		}},
		{3, "{include: all, disks: [D3, D1]}", []string{"D1 and D3 write", "D1 and D3 read"}},
		{3, "{include: [all, solo, all], disks: [D2]}", []string{"D2 writes", "D2 reads"}},
		{2, "{include: all, connection: direct}",
			[]string{"D1 and D2 write, direct", "D1 and D2 read, direct"}},
		{1, "{include: solo, repeat: 3}",
			[]string{"D1 writes-1", "D1 reads-1", "D1 reads-2", "D1 writes-2", "D1 writes-3",
				"D1 reads-3"}},
		{1, "{include: solo, repeat: 2, interleave: false}",
			[]string{"D1 writes-1", "D1 writes-2", "D1 reads-1", "D1 reads-2"}},
		{4, "mixed", []string{
			"D1 writes, the rest read", "D2 writes, the rest read", "D3 writes, the rest read",
			"D4 writes, the rest read",
			"D1 reads, the rest write", "D2 reads, the rest write", "D3 reads, the rest write",
			"D4 reads, the rest write",
		}},
		{1, "{include: solo, preset: crystal}", []string{
			"D1 writes SEQ1M Q8T1", "D1 writes SEQ1M Q1T1", "D1 writes RND4K Q32T1",
			"D1 writes RND4K Q1T1",
			"D1 reads SEQ1M Q8T1", "D1 reads SEQ1M Q1T1", "D1 reads RND4K Q32T1",
			"D1 reads RND4K Q1T1",
		}},
	} {
		check.Same(t, fmt.Sprintf("study %s of %d disks", tt.study, tt.disks), tt.want,
			phaseNames(mustPlan(t, manyDisks(tt.disks, tt.study))))
	}
}

// The phases of a study grow with the disks as documented, and no two are the same.
func TestStudySize(t *testing.T) {
	for _, tt := range []struct {
		disks int
		study string
		want  int
	}{
		{3, "matrix", 26}, {4, "matrix", 8 + 24 + 8 + 2 + 8}, {4, "all_but_one", 8},
		{2, "[solo, all_but_one]", 4},
		{12, "matrix", 24 + 264 + 24 + 2 + 24}, {12, "[solo, all, mixed]", 24 + 2 + 24},
		{64, "[solo, all, mixed]", 128 + 2 + 128},
	} {
		plan := mustPlan(t, manyDisks(tt.disks, tt.study))
		check.Same(t, fmt.Sprintf("phases of study %s of %d disks", tt.study, tt.disks), tt.want,
			len(plan.Phases))
		seen := map[string]string{}
		for _, phase := range plan.Phases {
			roles := fmt.Sprint(phase.Roles)
			if other, again := seen[roles]; again {
				t.Errorf("%s and %s are the same", phase.Name, other)
			}
			seen[roles] = phase.Name
		}
	}
}

// Every two meet once, and nobody is in two pairs of a round.
func TestPairs(t *testing.T) {
	for n := range 13 {
		met := map[[2]int]bool{}
		round := map[int]bool{}
		for i, pair := range pairs(n) {
			if i%max(1, n/2) == 0 {
				clear(round)
			}
			if met[pair] || round[pair[0]] || round[pair[1]] || pair[0] >= pair[1] || pair[1] >= n {
				t.Errorf("of %d: pair %v has met, or is in its round twice, or is none", n, pair)
			}
			met[pair] = true
			round[pair[0]] = true
			round[pair[1]] = true
		}
		check.Same(t, fmt.Sprintf("pairs of %d", n), n*(n-1)/2, len(met))
	}
}

// Names that would be too long give way to the pattern.
func TestStudyNamesFit(t *testing.T) {
	long := strings.Repeat("x", 40)
	text := fmt.Sprintf("version: 1\nname: n\ndisks: [{name: %szz, path: /a}, {name: %s, path: /b}, {name: %sy, path: /c}]\nstudy: [solo, pairs]\n", long, long, long)
	names := phaseNames(mustPlan(t, text))
	want := []string{long + "zz writes", long + " writes", long + "y writes", long + "zz reads",
		long + " reads", long + "y reads", "-WW", "W-W", "WW-", "-RR", "R-R", "RR-", "-WR", "W-R",
		"WR-", "-RW", "R-W", "RW-"}
	check.Same(t, "names", want, names)
}

// A study stands beside explicit phases, after them, whatever names those have taken.
func TestStudyBesidePhases(t *testing.T) {
	plan := mustPlan(t,
		manyDisks(1, "{include: solo, pause: Plug it in, cooldown: 10 s, stop: hold}")+
			"phases: [{pattern: W, name: D1 reads}, {pattern: W}]\n")
	check.Same(t, "names", []string{"D1 reads", "W", "D1 writes", "D1 reads-2"}, phaseNames(plan))
	for i, want := range []string{"", "", "Plug it in", ""} {
		check.Same(t, fmt.Sprintf("phase %d: pause", i), want, plan.Phases[i].Pause)
	}
	if p := plan.Phases[3]; p.Cooldown != 10*time.Second || p.Stop != StopHold {
		t.Errorf("cooldown %v, stop %s; want 10s, hold", p.Cooldown, p.Stop)
	}
}

// What a phase moves at most, at least or about.
func TestMoves(t *testing.T) {
	for _, tt := range []struct {
		phases string
		want   int64
		bound  Bound
	}{
		{"{pattern: WW}", 3e9, Exact},
		{"{pattern: WW, stop: hold}", 3e9, AtLeast},
		{"{pattern: W-, stop: hold}", 3e9, Exact},
		{"{pattern: WW, stop: 10 s}", 17e9, About},
		{"{pattern: WW, files: auto, target: 20 s}", 34e9, About},
		{"{pattern: WW, preset: amorphous, sizes: [1 GB], files: 3}", 3e9, AtMost},
		{"{pattern: WW, preset: amorphous, sizes: [1 GB], files: 3, stop: hold}", 3e9, About},
		// One every 10 s.
		{"{pattern: WW, preset: amorphous, sizes: [1.7 GB], stop: 1 min}", 10.2e9, About},
		// 5 s after each.
		{"{pattern: W-, preset: amorphous, sizes: [3.4 GB], stop: 1 min}", 34e9, About},
	} {
		phase := mustPlan(t, twoDisks("{sizes: [1 GB], files: 3}", "["+tt.phases+"]")).Phases[0]
		if got, bound := phase.Moves(phase.Jobs[0]); got != tt.want || bound != tt.bound {
			t.Errorf("%s moves %s %d, want %s %d", tt.phases, bound, got, tt.bound, tt.want)
		}
	}
}

// What a phase says of its own replaces what the workload says, and what follows from that.
func TestOverrides(t *testing.T) {
	for _, tt := range []struct {
		workload, phase string
		files           int
		target          time.Duration
	}{
		{"{files: auto}", "{pattern: WW}", 50, 40 * time.Second},
		{"{files: auto, target: 1 min}", "{pattern: WW}", 50, time.Minute},
		{"{files: auto}", "{pattern: WW, target: 10 s}", 50, 10 * time.Second},
		{"{files: auto}", "{pattern: WW, files: 5}", 5, 0},
		{"{files: auto}", "{pattern: WW, files: {A: 5}}", 5, 0},
		{"{files: auto}", "{pattern: WW, stop: 5 s}", 50, 0},
		{"{files: auto}", "{pattern: WW, preset: ladder}", 20, 0},
		{"{files: 7}", "{pattern: WW, files: auto}", 50, 40 * time.Second},
		{"{preset: crystal}", "{pattern: WW, files: 2}", 3, 0},
		{"{preset: crystal, sizes: [1 MB]}", "{pattern: WW}", 6, 0},
		{"{preset: crystal}", "{pattern: WW, preset: random, files: 2}", 2, 0},
		{"{preset: blackmagic}", "{pattern: WW, files: auto}", 5, 40 * time.Second},
	} {
		phase := mustPlan(t, twoDisks(tt.workload, "["+tt.phase+"]")).Phases[0]
		if got := len(phase.Jobs[0].Sizes); got != tt.files || phase.Target != tt.target {
			t.Errorf("%s in %s: %d files, target %v; want %d, %v", tt.phase, tt.workload, got,
				phase.Target, tt.files, tt.target)
		}
	}
}
