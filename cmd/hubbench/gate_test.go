package main

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/trace"
)

// gated is a run of two phases, WW of A and B and then R of A, of half a minute each, that a gate
// compares with another.
type gated struct {
	seed    uint64
	factor  float64 // of all rates
	noise   float64
	seconds float64
	levels  []tracetest.Level // of A in WW, in place of its own
	disks   string            // that write
	phases  int
	fails   bool   // B, with an error, after a third
	header  string // more of the run line
	profile string // of simulated disks
	end     string // of the file: the last line or lines
	cut     bool   // the last phase, in its middle
}

// events are the run's lines.
func (g gated) events() string {
	rnd := rand.New(rand.NewPCG(g.seed, 1))
	var text strings.Builder
	disk := func(name string) string {
		return fmt.Sprintf(`{"name":%q,"connection":"hub","profile":%q}`, name, g.profile)
	}
	fmt.Fprintf(&text, `{"type":"run","version":1,"name":"gate","disks":[%s,%s]%s}`+"\n", disk("A"), disk("B"), g.header)
	for i, phase := range []string{"WW", "R-"}[:g.phases] {
		names, op, roles := g.disks, trace.Write, `"A":"write","B":"write"`
		if i == 1 {
			names, op, roles = "A", trace.Read, `"A":"read"`
		}
		fmt.Fprintf(&text, `{"type":"phase","phase":%q,"roles":{%s}}`+"\n", phase, roles)
		for name := range strings.SplitSeq(names, "") {
			levels := []tracetest.Level{{UntilS: g.seconds, Rate: 1e9 * g.factor}}
			if i == 0 && name == "A" && g.levels != nil {
				levels = g.levels
			}
			d := tracetest.Disk{Name: name, Op: op, Levels: levels, Sizes: tracetest.Fixed(1e8),
				Noise: tracetest.Noise{Sigma: g.noise}}.Play(rnd)
			for k, f := range d.Files {
				half := g.cut && i == g.phases-1 && k > len(d.Files)/2
				if half || g.fails && name == "B" && k > len(d.Files)/3 {
					break
				}
				fmt.Fprintf(&text, `{"type":"file","phase":%q,"disk":%q,"op":%q,"seq":%d,"bytes":%d,"start_ns":%d,"end_ns":%d}`+"\n",
					phase, name, op, k, f.Bytes, f.StartNS, f.EndNS)
			}
			if g.fails && name == "B" && i == 0 {
				fmt.Fprintf(&text, `{"type":"error","phase":%q,"disk":"B","seq":99,"t_ns":11000000000,"error":"write: input/output error"}`+"\n", phase)
			}
		}
		if !g.cut || i < g.phases-1 {
			fmt.Fprintf(&text, `{"type":"phase_end","phase":%q,"status":"complete"}`+"\n", phase)
		}
	}
	return text.String() + g.end
}

// TestGate holds the exit codes of compare --fail-above 5, and of check by the limits of the base.
// A build server acts on nothing else: 0 lets a change in, 4 keeps it out, 3 asks for a person. The
// default lets no fall through unseen; with --certain what can't be told passes. What was not
// measured is kept out by both, as a fall may hide there. The two commands agree.
func TestGate(t *testing.T) {
	const complete, partial = `{"type":"end","status":"complete"}` + "\n", `{"type":"end","status":"partial"}` + "\n"
	good := gated{seed: 1, factor: 1, noise: 0.02, seconds: 30, disks: "AB", phases: 2,
		end: complete}
	for _, tt := range []struct {
		name          string
		change        func(g *gated)
		usual, proven int
		held          int // by the limits of the base
	}{
		// The same disks, measured again: noise alone must not keep anything out, even without
		// --certain.
		{"complete", func(g *gated) {}, 0, 0, 0},
		// The very same rates.
		{"equal", func(g *gated) { g.seed = good.seed }, 0, 0, 0},
		// Stopped on the way: its last phase is not whole, and what it would have shown is not
		// known.
		{"partial", func(g *gated) { g.cut, g.end = true, partial }, 4, 4, 4},
		// No line says that it ended, so the last phase may have been about to fall.
		{"killed", func(g *gated) { g.cut, g.end = true, "" }, 4, 4, 4},
		// The base has a phase that nobody measured again.
		{"missing phase", func(g *gated) { g.phases = 1 }, 4, 4, 4},
		// B did nothing: its fall is not known, and A had the hub for itself.
		{"missing disk", func(g *gated) { g.disks = "A" }, 4, 4, 4},
		// A disk that fails is worse than a slow one.
		{"failed disk", func(g *gated) { g.fails = true }, 4, 4, 4},
		// Too little to judge any rate: a gate that sees nothing neither passes nor fails.
		{"too short", func(g *gated) { g.seconds = 0.3 }, 3, 3, 3},
		// A fall, and a proven one, but by less than the limit.
		{"-4 %", func(g *gated) { g.factor = 0.96 }, 0, 0, 0},
		// The measured fall is larger, and so is all of its interval.
		{"-10 %", func(g *gated) { g.factor = 0.90 }, 4, 4, 4},
		// The fall may be real, but noise may have made it: only the default keeps it out.
		{"-10 % in noise", func(g *gated) { g.factor, g.noise = 0.90, 0.8 }, 3, 0, 3},
		// Slower for certain, but by 4 to 8 %: larger than the limit as measured, not as proven.
		{"-6 % in some noise", func(g *gated) { g.factor, g.noise = 0.94, 0.12 }, 3, 0, 3},
		// From the middle on, half as fast: the mean fell by a quarter, and the level after the
		// step by a half.
		{"step in the middle", func(g *gated) {
			g.levels = []tracetest.Level{{UntilS: 15, Rate: 1e9}, {UntilS: 30, Rate: 0.5e9}}
		}, 4, 4, 4},
		// Only the last fifth is slower, as of a disk that grew hot: its level shows it.
		{"throttle", func(g *gated) {
			g.levels = []tracetest.Level{{UntilS: 24, Rate: 1e9}, {UntilS: 30, Rate: 0.4e9}}
		}, 4, 4, 4},
		// Another hub is what a person may want to compare: it is said, and only a fall counts.
		{"other hub", func(g *gated) { g.header = `,"hardware":{"hub":{"id":"1","name":"Other dock","vendor":"V"}}` }, 0, 0, 0},
		{"other hub, -10 %", func(g *gated) {
			g.header, g.factor = `,"hardware":{"hub":{"id":"1","name":"Other dock","vendor":"V"}}`, 0.9
		}, 4, 4, 4},
		// As of the hub: it is said that one was simulated, and the rates are compared.
		{"simulated against real", func(g *gated) { g.profile = "X" }, 0, 0, 0},
	} {
		dir := t.TempDir()
		g := good
		g.header = `,"hardware":{"hub":{"id":"0","name":"Dock","vendor":"V"}}`
		base := write(t, filepath.Join(dir, "base", "events.jsonl"), g.events())
		g.seed = 2
		tt.change(&g)
		other := write(t, filepath.Join(dir, "new", "events.jsonl"), g.events())
		limits := filepath.Join(dir, "limits.yaml")
		prints(t, "init", "--expect", base, "--out", limits)
		if code, out, errs := does(t, nil, "check", other, "--limits", limits); code != tt.held {
			t.Errorf("%s: check: exit code %d, want %d\n%s%s", tt.name, code, tt.held, out, errs)
		}
		for _, mode := range []struct {
			args []string
			want int
		}{{nil, tt.usual}, {[]string{"--certain"}, tt.proven}} {
			args := append([]string{"compare", base, other, "--fail-above", "5"}, mode.args...)
			if code, out, errs := does(t, nil, args...); code != mode.want {
				_, all, _ := does(t, nil, append(args, "--all")...)
				t.Errorf("%s %v: exit code %d, want %d\n%s%s%s", tt.name, mode.args, code,
					mode.want, out, errs, all)
			}
		}
	}
}

// Where equal runs vary by 2 %, single ones can't show that, but a history does: then a gate of 2 %
// keeps none out.
func TestGateWithHistory(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 7))
	dir := t.TempDir()
	run := func(name string, factor float64) string {
		g := gated{seed: rnd.Uint64(), factor: factor * (1 + 0.02*rnd.NormFloat64()), noise: 0.02,
			seconds: 30, disks: "AB", phases: 1,
			header: `,"hardware":{"host":{"name":"pc"},"hub":{"id":"0","name":"Dock","vendor":"V"}}`,
			end:    `{"type":"end","status":"complete"}` + "\n"}
		return write(t, filepath.Join(dir, name, "events.jsonl"), g.events())
	}
	var history []string
	catalogue := filepath.Join(dir, "catalogue")
	for i := range 10 {
		path := run(fmt.Sprint("earlier", i), 1)
		history = append(history, "--history", path)
		prints(t, "collect", path, "--into", catalogue)
	}
	fails := map[string]int{}
	for pair := range 12 {
		base, equal, slow := run(fmt.Sprint("base", pair), 1), run(fmt.Sprint("equal", pair), 1),
			run(fmt.Sprint("slow", pair), 0.75)
		for name, args := range map[string][]string{
			"alone":     {"compare", base, equal},
			"runs":      append([]string{"compare", base, equal}, history...),
			"catalogue": {"compare", base, equal, "--history", catalogue},
			"check":     {"check", equal, "--history", catalogue},
		} {
			if code, _, errs := does(t, nil,
				append(args, "--fail-above", "0")...); code == exit.Threshold {
				fails[name]++
			} else if code != 0 && code != exit.Partial {
				t.Fatalf("%q: %d, %s", args, code, errs)
			}
		}
		for _, args := range [][]string{{"compare", base, slow}, {"check", slow}} {
			if code, out, _ := does(t, nil,
				append(args, "--history", catalogue, "--fail-above",
					"5")...); code != exit.Threshold {
				t.Errorf("%q, 25 %% slower: %d, %s", args, code, out)
			}
		}
	}
	if fails["alone"] < 3 || fails["runs"] > 1 || fails["catalogue"] != fails["runs"] ||
		fails["check"] > 1 {
		t.Errorf("of 12 equal pairs a gate keeps out %v", fails)
	}
}
