package progress

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

func plan() *scenario.Plan {
	phase := scenario.Phase{Name: "WRR", Jobs: []scenario.Job{
		{Disk: "C", Role: trace.Write, Sizes: []int64{20e9, 10e9}},
		{Disk: "A", Role: trace.Read, Sizes: []int64{10e9}},
		{Disk: "B", Role: trace.Read, Sizes: []int64{10e9}},
	}}
	last := phase
	last.Name = "again"
	return &scenario.Plan{Phases: []scenario.Phase{phase, last}}
}

// screen is a terminal of a fixed size.
func screen(columns, rows int) func() (int, int) {
	return func() (int, int) { return columns, rows }
}

// follow shows a run up to a time after the first release, by a clock of its own: C moves 2 GB/s, A and B 1.
func follow(t testing.TB, opts Options, upTo time.Duration) (*Progress, *bytes.Buffer) {
	var out bytes.Buffer
	now := time.Unix(0, 0)
	shown := New(&out, opts)
	t.Cleanup(shown.Close)
	shown.clock = func() time.Time { return now }
	phase := opts.Plan.Phases[0]
	shown.PhaseBegins(0, phase)
	shown.Moved("A", 0, 1) // before the release nothing is shown
	shown.Released()
	for now.Sub(time.Unix(0, 0)) < upTo {
		now = now.Add(500 * time.Millisecond)
		s := now.Sub(time.Unix(0, 0)).Seconds()
		for _, job := range phase.Jobs {
			rate := 1e9
			if job.Role == trace.Write {
				rate = 2e9
			}
			if bytes := int64(rate * s); bytes <= job.Bytes() {
				shown.Moved(job.Disk, int(bytes*int64(len(job.Sizes))/job.Bytes()), bytes)
			}
		}
	}
	return shown, &out
}

// drawn is the last picture on a terminal.
func drawn(out *bytes.Buffer) string {
	_, picture, _ := strings.Cut(out.String()[strings.LastIndex(out.String(), "\x1b["):], "A")
	return picture
}

// erased is what takes that many rows off a terminal.
func erased(rows int) string {
	up := fmt.Sprintf("\x1b[%dA", rows)
	return up + strings.Repeat("\x1b[2K\n", rows) + up
}

func TestLines(t *testing.T) {
	p := plan()
	p.Phases[0].Jobs[0].Sizes = []int64{200e9, 100e9}
	p.Phases[0].Jobs[1].Sizes = []int64{100e9}
	shown, out := follow(t, Options{Plan: p}, 35*time.Second)
	shown.PhaseEnds([]trace.RunFailure{{Phase: "WRR", Disk: "A", Cause: "unplugged"}})
	want := `[1/2] C writes, A and B read; 4 files, 410 GB
      30 s, about 3 min 37 s left in all: C 0 of 2 files, 2.00 GB/s; A 0 of 1 files, 1.00 GB/s; B 1 of 1 files, done
      disk A, phase WRR: unplugged
`
	check.Same(t, "lines", want, out.String())
}

func TestTerminal(t *testing.T) {
	long := plan()
	long.Phases[0].Jobs[1].Disk, long.Phases[0].Jobs[2].Disk = "Samsung T7 Shield 2TB", "日本語の名前 4TB"
	simulated := plan()
	simulated.Hub = &scenario.Hub{Profile: "goshen-ridge", Speedup: 10}
	slow := plan()
	slow.Hub = &scenario.Hub{Profile: "goshen-ridge", Speedup: 10_000}
	done := plan()
	done.Phases[0].Jobs[1].Sizes = []int64{3e9}
	many := plan()
	for i := range 40 {
		many.Phases[0].Jobs = append(many.Phases[0].Jobs, scenario.Job{Disk: fmt.Sprint("D", i), Role: trace.Read, Sizes: []int64{10e9}})
	}
	one := plan()
	one.Phases[0].Jobs = one.Phases[0].Jobs[:1]
	one.Phases[0].Jobs[0].IO = scenario.IO{OneFile: true}
	limit := func(*scenario.Phase) float64 { return 4.25e9 }
	for _, tt := range []struct {
		name          string
		plan          *scenario.Plan
		columns, rows int
		limit         func(*scenario.Phase) float64
		want          string
	}{
		{"80 columns, the hub known", plan(), 80, 24, limit, `
      disk   GB/s  share  the hub's limit: 4.25 GB/s                files    GB
      C      2.00   50 %  [#################                    ]  1 of 2  15.0
      A      1.00   25 %  [#########                            ]  0 of 1   7.0
      B      1.00   25 %  [#########                            ]  0 of 1   7.0
      total  4.00         [###################################  ]          29.0
      7 s, about 18 s left in all; 94 % of the hub's limit
`},
		{"60 columns", plan(), 60, 24, nil, `
      disk   GB/s  share  highest total: 4.00   files    GB
      C      2.00   50 %  [#########        ]  1 of 2  15.0
      A      1.00   25 %  [####             ]  0 of 1   7.0
      B      1.00   25 %  [####             ]  0 of 1   7.0
      total  4.00         [#################]          29.0
      7 s, about 18 s left in all
`},
		{"40 columns", plan(), 40, 24, limit, `
      disk   GB/s  share   files
      C      2.00   50 %  1 of 2
      A      1.00   25 %  0 of 1
      B      1.00   25 %  0 of 1
      total  4.00
      7 s, about 18 s left in all; 94 …
`},
		{"20 columns", plan(), 20, 24, limit, `
      disk   GB/s
      C      2.00
      A      1.00
      B      1.00
      total  4.00
      7 s, about 1…
`},
		{"60 columns, long names", long, 60, 24, nil, `
      disk                GB/s  share  0 to 4.00      files
      C                   2.00   50 %  [#####     ]  1 of 2
      Samsung …hield 2TB  1.00   25 %  [###       ]  0 of 1
      日本語の名前 4TB    1.00   25 %  [###       ]  0 of 1
      total               4.00         [##########]
      7 s, about 18 s left in all
`},
		{"160 columns, long names", long, 160, 24, nil, `
      disk                   GB/s  share  the highest total so far: 4.00 GB/s        files    GB
      C                      2.00   50 %  [###################                   ]  1 of 2  15.0
      Samsung T7 Shield 2TB  1.00   25 %  [##########                            ]  0 of 1   7.0
      日本語の名前 4TB       1.00   25 %  [##########                            ]  0 of 1   7.0
      total                  4.00         [######################################]          29.0
      7 s, about 18 s left in all
`},
		{"simulated", simulated, 80, 24, nil, `
      disk   MB/s  share  the highest total so far: 400 MB/s        files    GB
      C       200   50 %  [###################                  ]  1 of 2  15.0
      A       100   25 %  [#########                            ]  0 of 1   7.0
      B       100   25 %  [#########                            ]  0 of 1   7.0
      total   400         [#####################################]          29.0
      1 min 15 s of model time, about 18 s left in real time
`},
		{"slow", slow, 80, 24, nil, `
      disk   KB/s  share  the highest total so far: 400 KB/s        files    GB
      C       200   50 %  [###################                  ]  1 of 2  15.0
      A       100   25 %  [#########                            ]  0 of 1   7.0
      B       100   25 %  [#########                            ]  0 of 1   7.0
      total   400         [#####################################]          29.0
      20 h 50 min of model time, about 18 s left in real time
`},
		{"a disk is done", done, 80, 24, nil, `
      disk   GB/s  share  the highest total so far: 4.00 GB/s       files    GB
      C      2.00   67 %  [###################                  ]  1 of 2  15.0
      A      done         [                                     ]  1 of 1   3.0
      B      1.00   33 %  [#########                            ]  0 of 1   7.0
      total  3.00         [############################         ]          25.0
      7 s, about 18 s left in all
`},
		{"more disks than rows", many, 80, 10, nil, `
      disk    GB/s  share  the highest total so far: 44.00 GB/s    files     GB
      C       2.00    5 %  [##                                 ]  1 of 2   15.0
      A       1.00    2 %  [#                                  ]  0 of 1    7.0
      B       1.00    2 %  [#                                  ]  0 of 1    7.0
      D0      1.00    2 %  [#                                  ]  0 of 1    7.0
      D1      1.00    2 %  [#                                  ]  0 of 1    7.0
      and 38 more
      total  44.00         [###################################]          309.0
      7 s, about 5 s left in all
`},
		{"one disk", one, 80, 24, nil, `
      disk   GB/s  the highest total so far: 2.00 GB/s       passes    GB
      C      2.00  [######################################]  1 of 2  15.0
      7 s, about 33 s left in all
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, out := follow(t, Options{Plan: tt.plan, Size: screen(tt.columns, tt.rows), Limit: tt.limit}, 7500*time.Millisecond)
			check.Same(t, "the last picture", tt.want, "\n"+drawn(out))
		})
	}
}

// What a phase showed, and that what was drawn over and over is gone.
func TestConclusion(t *testing.T) {
	simulated := plan()
	simulated.Hub = &scenario.Hub{Profile: "goshen-ridge", Speedup: 10}
	conclude := func(string) (time.Duration, string) {
		return 79 * time.Second, "Three disks got 4.00 GB/s together for 70 s."
	}
	for _, tt := range []struct {
		name     string
		opts     Options
		failures []trace.RunFailure
		want     string
	}{
		{"nothing known", Options{Plan: plan(), Size: screen(80, 24)}, nil, "      done in 8 s\n"},
		{"a verdict", Options{Plan: simulated, Size: screen(60, 24), Conclude: conclude}, nil,
			"      done in 1 min 19 s of model time. Three disks got\n      4.00 GB/s together for 70 s.\n"},
		{"a failure", Options{Plan: plan(), Size: screen(80, 24), Conclude: conclude}, []trace.RunFailure{{Phase: "WRR", Disk: "A\x1b", Cause: "unplugged"}},
			"      disk A·, phase WRR: unplugged\n"},
	} {
		shown, out := follow(t, tt.opts, 8*time.Second)
		shown.PhaseEnds(tt.failures)
		if want := erased(6) + tt.want; !strings.HasSuffix(out.String(), want) {
			t.Errorf("%s: got %q, want %q at its end", tt.name, out.String()[max(0, out.Len()-120):], want)
		}
	}
}

// A terminal that is made smaller breaks the lines drawn before: all their rows go.
func TestResize(t *testing.T) {
	columns := 80
	shown, out := follow(t, Options{Plan: plan(), Size: func() (int, int) { return columns, 24 }}, 8*time.Second)
	columns, before := 40, out.Len()
	shown.printer.(*terminal).redraw(&shown.state)
	if got := out.String()[before:]; !strings.HasPrefix(got, erased(11)+"      disk") {
		t.Errorf("got %q, want the six lines of 80 cells, now eleven rows, gone", got)
	}
	for line := range strings.Lines(drawn(out)) {
		if cells.Width(strings.TrimSuffix(line, "\n")) >= columns {
			t.Errorf("%q does not fit", line)
		}
	}
}

func TestStopping(t *testing.T) {
	for _, size := range []func() (int, int){nil, screen(80, 24)} {
		shown, out := follow(t, Options{Plan: plan(), Size: size}, time.Second)
		shown.Stopping()
		if !strings.HasSuffix(out.String(), "      stopping; Ctrl-C again ends at once\n") {
			t.Errorf("got %q", out.String())
		}
	}
}

func TestRatesAreTheModels(t *testing.T) {
	p := plan()
	p.Hub = &scenario.Hub{Profile: "goshen-ridge", Speedup: 10}
	shown, _ := follow(t, Options{Plan: p}, 8*time.Second)
	if got := shown.state.rate(&shown.state.disks[0]); got != 0.2e9 {
		t.Errorf("got %g B/s, want 2e8 in the model's time", got)
	}
}

// A disk that is not heard of moves nothing, and its last rate does not stay.
func TestSilence(t *testing.T) {
	shown, _ := follow(t, Options{Plan: plan()}, 8*time.Second)
	shown.state.move("C", 1, 16e9, shown.state.now.Add(5*time.Second))
	if got := shown.state.rate(&shown.state.disks[1]); got != 0 {
		t.Errorf("got %g B/s, want none", got)
	}
}

func TestLeft(t *testing.T) {
	p := plan()
	shown, _ := follow(t, Options{Plan: p}, 10*time.Second)
	if left, known := shown.state.left(); !known || left != 15*time.Second {
		t.Errorf("40 of 100 GB in 10 s: got %s, %v; want 15 s", left, known)
	}
	p.Phases[1].Cooldown = time.Minute
	if left, _ := shown.state.left(); left != 75*time.Second {
		t.Errorf("with a cooldown of 1 min: got %s left, want 1 min more", left)
	}
	p.Phases[1].Stop, p.Phases[1].Limit = scenario.StopTime, time.Second
	if _, known := shown.state.left(); known {
		t.Error("a time is predicted for a phase that ends by the clock")
	}

	p = plan() // what accompanies the others is no work to finish
	for i := range p.Phases {
		p.Phases[i].Jobs = append(slices.Clone(p.Phases[i].Jobs), scenario.Job{Disk: "D", Role: trace.Read, Sizes: []int64{8e9}, Streams: make([]stream.Spec, 1)})
	}
	shown, _ = follow(t, Options{Plan: p}, 10*time.Second)
	if left, known := shown.state.left(); !known || left != 15*time.Second {
		t.Errorf("with streams beside 40 of 100 GB in 10 s: got %s, %v; want 15 s", left, known)
	}

	p = plan()
	p.Phases = append([]scenario.Phase{{Name: "done", Jobs: p.Phases[0].Jobs}}, p.Phases...)
	resumed := New(io.Discard, Options{Plan: p})
	begun := time.Unix(0, 0)
	resumed.PhaseBegins(1, p.Phases[1])
	resumed.state.release(begun)
	resumed.state.move("C", 1, 25e9, begun.Add(10*time.Second))
	if left, known := resumed.state.left(); !known || left != 30*time.Second {
		t.Errorf("25 of 100 GB in 10 s, after a phase of an earlier sitting: got %s, %v; want 30 s", left, known)
	}
}

func TestWork(t *testing.T) {
	for want, p := range map[string]scenario.Phase{
		"for 30 s":      {Stop: scenario.StopTime, Limit: 30 * time.Second},
		"about 40 s":    {Target: 40 * time.Second},
		"1 file, 5 B":   {Jobs: []scenario.Job{{Sizes: []int64{5}}}},
		"2 files, 10 B": {Jobs: []scenario.Job{{Sizes: []int64{5, 5}}}},
	} {
		if got := work(&p); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// A run that waits says so.
func TestCooldown(t *testing.T) {
	for _, tt := range []struct {
		cooldown  time.Duration
		untilIdle bool
		want      string
	}{
		{time.Second, false, "      done in 1 s\n"},
		{time.Minute, false, "      done in 1 s\n      next after a cooldown of 1 min\n"},
		{time.Hour, true, "      done in 1 s\n      next after a cooldown until the disks are idle, at most 1 h\n"},
	} {
		p := plan()
		p.Phases[1].Cooldown, p.Phases[1].UntilIdle = tt.cooldown, tt.untilIdle
		shown, out := follow(t, Options{Plan: p}, time.Second)
		shown.PhaseEnds(nil)
		if !strings.HasSuffix(out.String(), tt.want) {
			t.Errorf("got %q, want %q at its end", out.String(), tt.want)
		}
	}
}
