package configs

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/testdata/fixture"
)

func load(t *testing.T, name string) *hub.Profile {
	t.Helper()
	data, ok := Hub(name)
	if !ok {
		t.Fatalf("no built-in hub %s", name)
	}
	p, err := hub.Load(name+".yaml", data)
	check.Must(t, err)
	return p
}

// Every built-in hub has disks A, B and C, so one scenario can be tried on all of them.
func TestHubs(t *testing.T) {
	check.Same(t, "the hubs", []string{"goshen-ridge", "ideal", "thunderbolt-5", "usb-10g"}, Hubs())
	for _, name := range Hubs() {
		if p := load(t, name); p.Name != name {
			t.Errorf("hubs/%s.yaml calls itself %q", name, p.Name)
		} else if p.Disk("A") == nil || p.Disk("B") == nil || p.Disk("C") == nil {
			t.Errorf("hubs/%s.yaml lacks one of A, B and C", name)
		} else if measured := p.Source == hub.Measured; measured != (name == "goshen-ridge") {
			t.Errorf("hubs/%s.yaml: its source is %q", name, p.Source)
		}
	}
	if _, ok := Hub("../configs"); ok {
		t.Error("a name led out of the folder")
	}
}

// What each built-in scenario answers when it is played on its hub's model.
var answers = map[string]string{
	"alone-or-together": "C crowds out A and B: they drop to 47% when all three write | C still writes at 2.15 of 3.52 GB/s in total. When all three read, the hub is shared evenly: each drops to 43%.",
	"backup":            "C may write at up to 2.65 GB/s while A plays 5 streams | A plays 5 of 5 streams without a dropped frame but strained (its buffer falls below half) when B reads and C writes (tested for 29.9 s). | A plays 5 of 5 streams without a dropped frame alone",
	"compare-hubs":      "C crowds out A and B: they drop to 47% when all three write | C still writes at 2.15 of 3.52 GB/s in total. When all three read, the hub is shared evenly: each drops to 43%.",
	"demo":              "C crowds out A and B: they drop to 47% when all three write | C still writes at 2.15 of 3.51 GB/s in total. When all three read, the disks share evenly. | C crowds out A and B: they drop to 66% when A and B read and C writes",
	"full-cache":        "A writes 23.9 GB fast, then drops by 71% | 2.30 GB/s until its cache is full after 10.4 s, and 0.665 GB/s from then on. | It was still slow after 5 min 20 s of rest",
	"gate":              "C crowds out A and B: they drop to 47% when all three write | C still writes at 2.15 of 3.52 GB/s in total. When all three read, the hub is shared evenly: each drops to 43%.",
	"ingest":            "A plays 3 streams while card 1 and card 2 read and C writes | A drops 11% of frames when card 1 and card 2 read and C writes. | A plays 4 of 4 streams without a dropped frame alone",
	"ports":             "Your hub costs A 33% of its write speed | ",
	"ramp":              "C crowds out A and B: they drop to 39% when all four write | C still writes at 1.80 of 3.52 GB/s in total. D drops to 37% when all four write. | The hub is shared evenly: each drops to 32 to 54% when all four read",
	"random-4k":         "The model covers only large requests: only a run on real disks shows how fast small ones are (A QD1). | ",
	"recovery":          "C crowds out B: it drops to 47% when all three write | C still writes at 2.15 of 3.52 GB/s in total. A drops to 47% when all three write. | C crowds out A and B: they drop to 66% when A and B read and C writes",
	"small-files":       "It is unclear whether A is slowed when both write | ",
	"soak":              "Speeds change by themselves when all three write | ",
	"streams-demo":      "A records 3 cameras while B and C write | C may write at up to 1.84 GB/s while A records 4 cameras. | A drops 8.4% of frames of 4 x ProRes 4444 XQ UHD 25p when B and C write | A plays 4 x ProRes 422 HQ UHD 25p without a dropped frame when C writes (tested for 9.7 s) | A records 4 x ProRes 4444 XQ UHD 25p without a dropped frame when B writes (tested for 8.9 s)",
	"study-demo":        "C crowds out A and B: they drop to 47% when all three write | C still writes at 2.16 of 3.52 GB/s in total. When all three read, the hub is shared evenly: each drops to 43%. | C crowds out A and B: they drop to 38% when A and B read and C writes | Your hub costs A 33% of its write speed | Your hub costs B 31% of its write speed",
	"triple-hub":        "C crowds out A and B: they drop to 47% when all three write | C still writes at 2.15 of 3.51 GB/s in total. When all three read, the disks share evenly. | C crowds out A and B: they drop to 66% when A and B read and C writes",
}

// The findings that answer what some of them ask.
var finds = map[string]string{
	"full-cache": "saturation", "ingest": "drops", "ports": "hub_cost",
	"recovery": "recovery",
}

// Every built-in scenario says what it is for, is called as its file is, and answers on the model
// of a hub.
func TestCookbook(t *testing.T) {
	head := regexp.MustCompile(`^# yaml-language-server: \$schema=(\.\./)?scenario\.schema\.json\n(# .+\n){2,3}(version|#)`)
	path := regexp.MustCompile(`path: /Volumes/(\w+)`)
	for _, name := range Scenarios() {
		want, ok := answers[name]
		if !ok {
			t.Errorf("%s: no answer is expected of it", name)
		}
		data, _ := Scenario(name)
		if about := About(name); len(about) > 90 || about == "" ||
			!strings.ContainsAny(about[len(about)-1:], ".?") {
			t.Errorf("%s: not a sentence for a list: %q", name, about)
		}
		if !head.Match(data) || !strings.Contains(string(data),
			"hange the disk") != strings.Contains(name, "demo") && name != "triple-hub" {
			t.Errorf("%s does not begin with what it answers and what to change:\n%.300s", name,
				data)
		}
		text := string(data)
		if name == "triple-hub" { // whose disks are real
			text = path.ReplaceAllString(strings.Replace(text, "\ndisks:",
				"\nhub: {profile: goshen-ridge}\ndisks:", 1), "simulate: {profile: $1}")
		}
		run := fixture.Simulated(t, text, func(profile string) (*hub.Profile, error) {
			return load(t, profile), nil
		})
		if run.Name != name && name != "triple-hub" || run.Status != trace.Complete {
			t.Errorf("%s: its run is called %q and ends %q", name, run.Name, run.Status)
		}
		a := analysis.Analyze(run, analysis.Options{})
		check.Same(t, name, want,
			strings.Join(append([]string{a.Answer.Headline, a.Answer.Sentence},
				a.Answer.More...), " | "))
		code := finds[name]
		if code != "" && !slices.ContainsFunc(a.Findings, func(f analysis.Finding) bool {
			return f.Code == code
		}) {
			t.Errorf("%s: no finding %s among %d", name, code, len(a.Findings))
		}
	}
	check.Same(t, "how many answers", len(Scenarios()), len(answers))
}

// The demo of streams shows what its comments promise: a phase that is clean, one that is not, and
// two searches that agree with them.
func TestStreamsDemo(t *testing.T) {
	data, ok := Scenario("streams-demo")
	if !ok {
		t.Fatal("no built-in scenario streams-demo")
	}
	run := play(t, load(t, "goshen-ridge"), data)
	for phase, want := range map[string]stream.Verdict{"edit": stream.Clean,
		"ingest beside one": stream.Clean, "ingest beside two": stream.Drops} {
		p := run.phases[phase]
		if p == nil || len(p.Streams) != 4 {
			t.Errorf("%s: %+v", phase, p)
			continue
		}
		for _, s := range p.Streams {
			check.Same(t, phase+", stream "+s.Name, want, s.Verdict)
		}
	}
	if len(run.searches) != 2 {
		t.Fatalf("%d searches", len(run.searches))
	}
	many, fast := run.searches[0], run.searches[1]
	if many.Alone == nil || many.Found == nil || *many.Found >= 4 || *many.Alone <= *many.Found {
		t.Errorf("how many: %v alone, %v beside the others; four drop frames beside them",
			many.Alone, many.Found)
	}
	const whole = 2.15e9 // what C takes beside the four cameras if it may
	if fast.Found == nil || *fast.Found <= 0.5e9 || *fast.Found >= whole {
		t.Errorf("how fast: %v, want less than what makes A drop frames", fast.Found)
	}
}
