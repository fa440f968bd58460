package progress

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/measure/life"
	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/ink"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// plan has C write 30 GB while A and B read 10 GB each, and then the same again.
func plan() *scenario.Plan {
	phase := scenario.Phase{Name: "race", Jobs: []scenario.Job{
		{Disk: "C", Role: trace.Write, Sizes: []int64{20e9, 10e9}},
		{Disk: "A", Role: trace.Read, Sizes: []int64{10e9}},
		{Disk: "B", Role: trace.Read, Sizes: []int64{10e9}},
	}}
	again := phase
	again.Name = "again"
	return &scenario.Plan{
		Name: "plug", Disks: []scenario.Disk{{Name: "A"}, {Name: "B"}, {Name: "C"}},
		Phases: []scenario.Phase{phase, again},
	}
}

// run is a run that is shown, by a clock of its own.
type run struct {
	*Progress
	out bytes.Buffer
	now time.Time
}

// show begins to show a run. Ticks come from the test alone.
func show(opts Options) *run {
	r := &run{now: time.Date(2026, 11, 25, 22, 38, 0, 0, time.UTC)}
	r.Progress = New(&r.out, opts)
	r.Close() // its own ticks would come at any time
	r.clock = func() time.Time { return r.now }
	return r
}

// pass lets so much time pass, with a tick and reports twice a second: each disk goes at its rate.
func (r *run) pass(took time.Duration, rates map[string]float64) {
	const step = 500 * time.Millisecond
	moved := map[string]float64{}
	for i := range r.state.disks {
		moved[r.state.disks[i].job.Disk] = float64(r.state.disks[i].moved())
	}
	for end := r.now.Add(took); r.now.Before(end); {
		r.now = r.now.Add(step)
		for _, job := range r.state.current.Jobs {
			rate, shown := rates[job.Disk]
			if moved[job.Disk] += rate * step.Seconds(); shown {
				bytes := moved[job.Disk]
				if !job.HasNoFiles() && r.state.current.Target == 0 && r.state.current.Limit == 0 {
					bytes = min(bytes, float64(job.Bytes()))
				}
				r.Moves(job.Disk, 0, int64(bytes))
			}
		}
		r.tick()
	}
}

// phase runs the beginning of a phase of the plan, without preparation.
func (r *run) phase(index int, took time.Duration, rates map[string]float64) {
	r.begins(index, r.state.plan.Phases[index])
	r.Enter(life.Released)
	r.Enter(life.Measuring)
	r.tick()
	r.pass(took, rates)
}

// begins announces a phase, without a rest of its disks.
func (r *run) begins(index int, phase scenario.Phase) {
	r.Enter(life.GettingReady)
	r.PhaseBegins(index, phase, false)
}

// usual are the rates of the plan's disks.
func usual() map[string]float64 { return map[string]float64{"C": 2e9, "A": 1e9, "B": 1e9} }

// screen is a terminal of a fixed size.
func screen(columns, rows int) func() (int, int) {
	return func() (int, int) { return columns, rows }
}

// picture is the last one on a terminal, without the spaces at the ends of its lines.
func (r *run) picture() string {
	_, picture, _ := strings.Cut(r.out.String()[strings.LastIndex(r.out.String(), "\x1b["):], "A")
	return regexp.MustCompile(`(?m) +$`).ReplaceAllString(picture, "")
}

// last is the last line that was printed.
func (r *run) last() string {
	lines := strings.Split(strings.TrimSpace(r.out.String()), "\n")
	return lines[len(lines)-1]
}

// study has each disk write alone, and then all, each for 20 s with a rest of 10 s.
func study() *scenario.Plan {
	p := &scenario.Plan{Name: "plug"}
	job := func(disk string) scenario.Job {
		return scenario.Job{Disk: disk, Role: trace.Write, Sizes: []int64{1e9}}
	}
	all := scenario.Phase{Name: "all write", Target: 20 * time.Second, Cooldown: 10 * time.Second}
	for _, disk := range []string{"A", "B", "C"} {
		p.Disks = append(p.Disks, scenario.Disk{Name: disk})
		alone := all
		alone.Name, alone.Jobs = disk+" writes", []scenario.Job{job(disk)}
		p.Phases = append(p.Phases, alone)
		all.Jobs = append(all.Jobs, job(disk))
	}
	again := all
	again.Name = "again"
	p.Phases = append(p.Phases, all, again)
	return p
}

// inStudy is 12 s into the fourth phase of the study.
func inStudy(opts Options) *run {
	opts.Plan = study()
	opts.Conclude = func(phase string) (time.Duration, *analysis.PhaseResult) {
		verdict := "It was so with " + phase + "."
		return 20 * time.Second, &analysis.PhaseResult{Name: phase, Verdict: verdict}
	}
	r := show(opts)
	for i, rate := range []float64{1.46e9, 1.45e9, 2.8e9} {
		r.phase(i, 20*time.Second, map[string]float64{opts.Plan.Disks[i].Name: rate})
		r.PhaseEnds(nil)
	}
	r.phase(3, 12*time.Second, map[string]float64{"A": 0.68e9, "B": 0.69e9, "C": 2.72e9})
	return r
}

func TestPicture(t *testing.T) {
	for _, tt := range []struct {
		columns, rows int
		ink           ink.Ink
		want          string
	}{
		{80, 24, ink.Ink{}, `
plug   phase 4 of 5: all write                         38 s left, done at 22:39
▕█████████████████████████████████████████████▊                        ▏    65%

  ● A writes   0.680 GB/s   ▄▄▄▄                         47% of 1.46
  ▲ B writes   0.690 GB/s   ▄▄▄▄                         48% of 1.45
  ◆ C writes    2.72 GB/s   ████                         97% of 2.80
    together    4.09 GB/s   last 60 s, full height = baseline, else the fastest

  So far     It was so with C writes.
  Written    163 GB
  Now        measuring: 12 of 20 s, then 10 s rest
  Ctrl-C stops after this request and keeps the results
`},
		{60, 24, ink.Ink{ASCII: true}, `
plug   phase 4 of 5: all write     38 s left, done at 22:39
[#################################                 ]    65%

  o A writes   0.680 GB/s   ----                47% of 1.46
  ^ B writes   0.690 GB/s   ----                48% of 1.45
  + C writes    2.72 GB/s   ####                97% of 2.80
    together    4.09 GB/s   last 38 s

  So far     It was so with C writes.
  Written    163 GB
  Now        measuring: 12 of 20 s, then 10 s rest
  Ctrl-C stops after this request and keeps the results
`},
		{40, 24, ink.Ink{}, `
phase 4 of 5: all write       38 s left
▕███████████████████▋          ▏    65%

  ● A writes   0.680 GB/s   ▄▄▄▄
  ▲ B writes   0.690 GB/s   ▄▄▄▄
  ◆ C writes    2.72 GB/s   ████
    together    4.09 GB/s   last 28 s

  So far     It was so with C writes.
  Written    163 GB
  Now        measuring: 12 of 20 s, th…
  Ctrl-C stops after this request and …
`},
		{80, 8, ink.Ink{}, `
plug   phase 4 of 5: all write                         38 s left, done at 22:39
▕█████████████████████████████████████████████▊                        ▏    65%
  ● A writes   0.680 GB/s   ▄▄▄▄                         47% of 1.46
  ▲ B writes   0.690 GB/s   ▄▄▄▄                         48% of 1.45
  ◆ C writes    2.72 GB/s   ████                         97% of 2.80
    together    4.09 GB/s   last 60 s, full height = baseline, else the fastest
  Now        measuring: 12 of 20 s, then 10 s rest
`},
		{20, 4, ink.Ink{}, `
phase 4…  38 s left
  ● A writes   0.6…
  Now        measu…
`},
	} {
		name := fmt.Sprintf("%d columns, %d rows, %v", tt.columns, tt.rows, tt.ink)
		r := inStudy(Options{Ink: tt.ink, Size: screen(tt.columns, tt.rows)})
		check.Same(t, name, tt.want, "\n"+r.picture())
		for line := range strings.Lines(r.picture()) {
			if cells.Width(strings.TrimSuffix(line, "\n")) >= tt.columns {
				t.Errorf("%s: %q does not fit", name, line)
			}
		}
	}
}

// Colour comes on top: without the escape sequences all is the same, and takes the same room.
func TestColours(t *testing.T) {
	rich := inStudy(Options{Ink: ink.Ink{Colours: 256}, Size: screen(80, 24)})
	plain := inStudy(Options{Size: screen(80, 24)})
	got := rich.out.String()
	for _, want := range []string{
		"\x1b[1mphase 4 of 5: all write\x1b[0m", "\x1b[38;5;33m  ● \x1b[0mA writes",
		"\x1b[31m     47%\x1b[0m",
		"\x1b[2m of 1.46\x1b[0m", "    97%", "\x1b[38;5;36m   ████",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is not in the picture", want)
		}
	}
	sequences := regexp.MustCompile(`\x1b\[[0-9;]*m`)
	check.Same(t, "the text", plain.out.String(), sequences.ReplaceAllString(got, ""))
}

func TestOtherPictures(t *testing.T) {
	many, rates := plan(), usual()
	for i := range 40 {
		name := fmt.Sprint("Samsung T7 Shield ", i)
		many.Disks = append(many.Disks, scenario.Disk{Name: name})
		job := scenario.Job{Disk: name, Role: trace.Read, Sizes: []int64{10e9}}
		many.Phases[0].Jobs = append(many.Phases[0].Jobs, job)
		rates[name] = 10e6 * float64(i+1)
	}
	one := plan()
	one.Phases[0].Jobs = one.Phases[0].Jobs[:1]
	simulated := plan()
	simulated.Hub = &scenario.Hub{Profile: "goshen-ridge", Speedup: 10}
	for _, tt := range []struct {
		name  string
		plan  *scenario.Plan
		rates map[string]float64
		want  string
	}{
		{"43 disks", many, rates, `
plug   phase 1 of 2: race: C writes, the rest read   18 min left, done at 22:55
▕▍                                                                     ▏     1%
  ◆ C writes                  2.00 GB/s   ███
  ● A reads                   1.00 GB/s   ███
  ▲ B reads                   1.00 GB/s   ███
  ■ Samsung…Shield 0 reads  0.0100 GB/s   ███
  ▼ Samsung…Shield 1 reads  0.0200 GB/s   ███
    38 more
    together                  12.2 GB/s   last 52 s
  Written    15 of 480 GB
  Now        measuring: 7 s of about 16 min 40 s
  Ctrl-C stops after this request and keeps the results
`},
		{"one disk", one, usual(), `
plug   phase 1 of 2: race: C writes                    28 s left, done at 22:38
▕██████████████▉                                                       ▏    21%

  ◆ C writes    2.00 GB/s   ███

  Written    15 of 80 GB
  Now        measuring: 7 of about 15 s

  Ctrl-C stops after this request and keeps the results
`},
		{"a simulated hub", simulated, usual(), `
plug   phase 1 of 2: race: C writes, A and B read      23 s left, done at 22:38
▕█████████████████▍                                                    ▏    25%

  ◆ C writes     200 MB/s   ████████████████████████
  ● A reads      100 MB/s   ████████████████████████
  ▲ B reads      100 MB/s   ████████████████████████
    together     400 MB/s   last 60 s, full height = baseline, else the fastest

  Written    15 of 60 GB
  Now        measuring: 1 min 15 s of about 2 min 30 s of model time

  Ctrl-C stops after this request and keeps the results
`},
	} {
		r := show(Options{Plan: tt.plan, Size: screen(80, 24)})
		r.phase(0, 7500*time.Millisecond, tt.rates)
		check.Same(t, tt.name, tt.want, "\n"+r.picture())
	}
}

// A first rate would be one of caches, or of a report that came at once.
func TestNoRateInTheFirstSecond(t *testing.T) {
	r := show(Options{Plan: plan(), Size: screen(80, 24)})
	r.phase(0, 0, nil)
	r.now = r.now.Add(100 * time.Millisecond)
	r.Moves("C", 0, 4.6e9)
	r.tick()
	if got := r.picture(); strings.Contains(got, "B/s") ||
		!strings.Contains(got, "● A reads        –\n") {
		t.Errorf("after 0.1 s: got %s", got)
	}
	r.pass(time.Second, usual())
	if got := r.picture(); !strings.Contains(got, "A reads    0.909 GB/s") {
		t.Errorf("after 1.1 s: got %s", got)
	}
}

// A disk that is not heard of moves nothing, and its last rate does not stay.
func TestSilence(t *testing.T) {
	r := show(Options{Plan: plan()})
	r.phase(0, 5*time.Second, usual())
	r.pass(3*time.Second, map[string]float64{"C": 2e9})
	if rate := r.state.rate(r.state.disk("B")); rate != 0 {
		t.Errorf("got %g B/s, want none", rate)
	}
}

// The picture is drawn at ticks, and not whenever a disk reports.
func TestTicks(t *testing.T) {
	r := show(Options{Plan: plan(), Size: screen(80, 24)})
	r.phase(0, time.Second, usual())
	before := r.out.Len()
	for i := range 100 {
		r.Moves("C", 0, 2e9+int64(i))
	}
	check.Same(t, "bytes drawn", before, r.out.Len())
	r.PhaseEnds(nil)
	before = r.out.Len()
	r.tick() // a person may be asked something now
	check.Same(t, "bytes drawn between phases", before, r.out.Len())
}

// drawings gets a value for each picture.
type drawings chan struct{}

func (d drawings) Write(text []byte) (int, error) {
	d <- struct{}{}
	return len(text), nil
}

func TestPictureIsDrawnByItself(t *testing.T) {
	drawn := make(drawings, 100)
	p := New(drawn, Options{Plan: plan(), Size: screen(80, 24)})
	defer p.Close()
	p.PhaseBegins(0, p.state.plan.Phases[0], false)
	for range 3 {
		<-drawn
	}
}

func TestLeft(t *testing.T) {
	timed := func(change func(p *scenario.Phase)) *scenario.Plan {
		p := plan()
		for i := range p.Phases {
			change(&p.Phases[i])
		}
		return p
	}
	streams := timed(func(p *scenario.Phase) {
		beside := scenario.Job{Disk: "D", Role: trace.Read, Sizes: []int64{8e9}}
		beside.Streams = make([]stream.Spec, 1)
		p.Jobs = append(slices.Clone(p.Jobs), beside)
	})
	streams.Disks = append(streams.Disks, scenario.Disk{Name: "D"})
	for _, tt := range []struct {
		name string
		plan *scenario.Plan
		want string // 5 s after the first release
	}{
		// C needs 15 s for a phase, which is what the links let all of it take.
		{"files", plan(), "25 s left, done at 22:38"},
		{"files, and a rest of a minute", timed(func(p *scenario.Phase) {
			p.Cooldown = time.Minute
		}),
			"1 min left, done at 22:39"},
		{"streams beside them", streams, "25 s left, done at 22:38"},
		{"files as many as a time needs", timed(func(p *scenario.Phase) {
			p.Target = 30 * time.Second
		}),
			"55 s left, done at 22:39"},
		{"a time", timed(func(p *scenario.Phase) {
			p.Stop, p.Limit = scenario.StopTime, 20*time.Second
		}),
			"35 s left, done at 22:38"},
		{"until steady", timed(func(p *scenario.Phase) {
			p.Steady, p.Limit = time.Second, 20*time.Second
		}),
			"at most 35 s left, done by 22:38"},
		{"until idle", timed(func(p *scenario.Phase) {
			p.UntilIdle, p.Cooldown = true, 5*time.Second
		}),
			"at most 30 s left, done by 22:38"},
	} {
		r := show(Options{Plan: tt.plan})
		r.phase(0, 5*time.Second, usual())
		left, done := r.state.leftText()
		check.Same(t, tt.name, tt.want, left+done)
	}

	r := show(Options{Plan: plan()})
	r.begins(0, r.state.plan.Phases[0])
	left, done := r.state.leftText()
	check.Same(t, "before anything has moved", "at least 21 s left", left+done)

	resumed := plan()
	resumed.Phases = append(plan().Phases[:1:1], resumed.Phases...)
	r = show(Options{Plan: resumed, Done: 1})
	r.phase(1, 5*time.Second, usual())
	left, done = r.state.leftText()
	check.Same(t, "after a phase of an earlier sitting", "25 s left, done at 22:38", left+done)

	r = show(Options{Plan: searchPlan(trace.SearchStreams, "A", 2)})
	try, _ := search.New(&r.state.plan.Phases[0]).Next()
	r.begins(0, try)
	r.Enter(life.Released)
	r.Enter(life.Measuring)
	r.pass(5*time.Second, nil)
	left, done = r.state.leftText() // 24 tries of 30 s with rests of 5 s, and a rest of a minute
	check.Same(t, "a search", "at most 15 min left, done by 22:52", left+done)
}

// Test files are written before a phase that reads, and that has its own progress.
func TestPreparing(t *testing.T) {
	p := plan()
	p.Phases = p.Phases[:1]
	p.Phases[0].Jobs = p.Phases[0].Jobs[1:2] // A reads 10 GB
	r := show(Options{Plan: p, Size: screen(80, 24)})
	r.begins(0, p.Phases[0])
	r.now = r.now.Add(2 * time.Second)
	r.Moves("A", 3.1e9, 0)
	r.tick()
	for _, want := range []string{
		"Now        getting ready: 3.1 of 10 GB of files for A reads\n",
		"Written    3.1 of 10 GB\n",
		"● A reads        –\n", " 11 s left, ", // 4.5 s for their rest, 6.5 s for the phase
	} {
		if !strings.Contains(r.picture(), want) {
			t.Errorf("%q is not in %s", want, r.picture())
		}
	}
	r.now = r.now.Add(4 * time.Second)
	r.Moves("A", 10e9+3, 0) // files that were removed count as well
	r.tick()
	if !strings.Contains(r.picture(), "Now        getting ready\n") {
		t.Errorf("all is written: got %s", r.picture())
	}
	r.Enter(life.Released)
	r.Enter(life.Measuring)
	r.pass(2*time.Second, map[string]float64{"A": 2e9})
	for _, want := range []string{
		"Now        measuring: 2 of about 5 s\n", "Written    10 of 10 GB\n", " 3 s left, ",
	} {
		if !strings.Contains(r.picture(), want) {
			t.Errorf("%q is not in %s", want, r.picture())
		}
	}
}

// What an earlier sitting wrote is gone: all that is read is written again.
func TestPreparingResumed(t *testing.T) {
	r := show(Options{Plan: plan(), Done: 1})
	r.begins(1, r.state.plan.Phases[1])
	r.Moves("A", 5e9, 0)
	want := "getting ready: 5 of 20 GB of files for C writes, A and B read"
	check.Same(t, "resumed", want, r.state.stateText())
	check.Same(t, "what is written in this sitting", "5 of 50 GB", r.state.writing())

	r = show(Options{Plan: plan()})
	r.phase(0, 0, nil)
	r.PhaseEnds(nil)
	r.begins(1, r.state.plan.Phases[1])
	check.Same(t, "after a phase that left them", "getting ready", r.state.stateText())
}

// A run that waits says for how long.
func TestCooldown(t *testing.T) {
	for _, tt := range []struct {
		cooldown  time.Duration
		untilIdle bool
		before    string // said in the phase before
		want      string
	}{
		{time.Second, false, "0 s\n", "getting ready: cooling down, 0 of 1 s\n"},
		{10 * time.Second, false, "0 s, then 10 s rest\n",
			"getting ready: cooling down, 4 of 10 s\n"},
		{time.Hour, true, "0 s, then at most 1 h rest\n",
			"getting ready: cooling down until idle, 4 s, at most 1 h\n"},
	} {
		p := plan()
		next := &p.Phases[1]
		next.Cooldown, next.UntilIdle = tt.cooldown, tt.untilIdle
		r := show(Options{Plan: p, Size: screen(80, 24)})
		r.phase(0, 0, nil)
		if !strings.Contains(r.picture(), "Now        measuring: "+tt.before) {
			t.Errorf("before %s: got %s", tt.cooldown, r.picture())
		}
		r.PhaseEnds(nil)
		r.Enter(life.GettingReady)
		r.PhaseBegins(1, *next, true)
		r.now = r.now.Add(min(4*time.Second, tt.cooldown/2))
		r.tick()
		if !strings.Contains(r.picture(), "Now        "+tt.want) {
			t.Errorf("%s: got %s", tt.cooldown, r.picture())
		}
	}
}

// What goes wrong stays on the screen, and the picture does not.
func TestWarnings(t *testing.T) {
	r := show(Options{Plan: plan(), Size: screen(40, 24), Ink: ink.Ink{Colours: 16}})
	r.Notify("before all")
	r.phase(0, 2*time.Second, usual())
	r.Notify("disk A: nothing has moved for 8 s\x1b")
	r.tick()
	if want := "\x1b[33m  !          \x1b[0mdisk A: nothing has moved\n"; !strings.Contains(
		r.out.String(), want) {
		t.Errorf("%q is not in %q", want, r.out.String())
	}
	rows := len(r.display.drawn)
	r.PhaseEnds([]trace.RunFailure{{Phase: "race", Disk: "A", Cause: "unplugged"}})
	up := fmt.Sprintf("\x1b[%dA", rows)
	want := up + strings.Repeat("\x1b[2K\n", rows) + "\x1b[2K" + up +
		"disk A: nothing has moved for 8 s·\ndisk A, phase race: unplugged\n"
	if !strings.HasPrefix(r.out.String(), "before all\n") ||
		!strings.HasSuffix(r.out.String(), want) {
		t.Errorf("got %q, want %q at its end", r.out.String(), want)
	}
}

// A terminal that is made smaller breaks the lines drawn before: all their rows go.
func TestResize(t *testing.T) {
	columns := 80
	r := show(Options{Plan: plan(), Size: func() (int, int) { return columns, 24 }})
	r.phase(0, 2*time.Second, usual())
	before, rows := r.out.Len(), 0
	columns = 40
	for _, width := range r.display.drawn {
		rows += max(1, (width+columns-1)/columns)
	}
	r.tick()
	if got := r.out.String()[before:]; !strings.HasPrefix(got, fmt.Sprintf("\x1b[%dA", rows)) ||
		rows < 13 {
		t.Errorf("got %q, want %d rows gone", got, rows)
	}
}

func TestStopping(t *testing.T) {
	for _, size := range []func() (int, int){nil, screen(80, 24)} {
		r := show(Options{Plan: plan(), Size: size})
		r.Stopping()
		check.Same(t, "before a phase", "stopping; Ctrl-C again ends at once\n", r.out.String())
		r.phase(0, time.Second, nil)
		r.Stopping()
		check.Same(t, "in a phase", "stopping; Ctrl-C again ends at once",
			strings.TrimSpace(r.last()))
	}
}

// A log has a line for each phase that ends, and one now and then.
func TestLines(t *testing.T) {
	p := plan()
	p.Phases[0].Jobs[0].Sizes = []int64{200e9}
	p.Phases[1].Jobs = []scenario.Job{{Disk: "A", Role: trace.Read, Sizes: []int64{400e9}}}
	disks := map[string]analysis.OverlapDisk{
		"A": {Rate: 1.01e9}, "B": {Rate: 1e9}, "C": {Rate: 2e9},
	}
	overlap := analysis.Overlap{Disks: disks}
	r := show(Options{Plan: p, Conclude: func(string) (time.Duration, *analysis.PhaseResult) {
		return 31 * time.Second, &analysis.PhaseResult{Overlap: &overlap}
	}})
	r.phase(0, 35*time.Second, usual())
	r.PhaseEnds(nil)
	r.begins(1, p.Phases[1])
	r.now = r.now.Add(40 * time.Second)
	r.Moves("A", 40e9, 0)
	r.tick()
	r.Enter(life.Released)
	r.Enter(life.Measuring)
	r.pass(time.Second, usual())
	r.PhaseEnds([]trace.RunFailure{{Phase: "again", Disk: "A", Cause: "unplugged"}})
	check.Same(t, "lines", `
[1/2] race: C writes, A and B read   measuring: 30 s of about 1 min 40 s, 8 min left
[1/2] race: C writes, A and B read   C 2.00  A 1.01  B 1.00  together 4.01 GB/s   31 s
[2/2] again: A reads   getting ready: 40 of 400 GB of files for A reads, 4 min left
disk A, phase again: unplugged
`, "\n"+r.out.String())
}
