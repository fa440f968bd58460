package analysis

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/meter"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// gauged makes a run of one phase with gauges.
func gauged(gauges []trace.Gauge, disks ...*trace.DiskRecord) *trace.Run {
	run := runOf(disks...)
	run.Phases[0].Gauges = gauges
	return run
}

func codes(a *Analysis) []string {
	var out []string
	for _, f := range a.Findings {
		out = append(out, f.Code)
	}
	return out
}

func findingOf(a *Analysis, code string) *Finding {
	if i := slices.Index(codes(a), code); i >= 0 {
		return &a.Findings[i]
	}
	return nil
}

// evenDisk is a disk that moves 300 MB/s for some seconds, in files of some bytes.
func evenDisk(name string, op trace.Role, seconds, size float64) *trace.DiskRecord {
	d := tracetest.Disk{
		Name: name, Op: op, Levels: []tracetest.Level{{UntilS: seconds, Rate: 300e6}},
		Sizes: tracetest.Fixed(size), Noise: tracetest.Noise{Sigma: 0.05},
	}
	return d.Play(rand.New(rand.NewPCG(5, uint64(seconds))))
}

func TestForeignTraffic(t *testing.T) {
	for name, tc := range map[string]struct {
		op      trace.Role
		seconds float64
		size    float64
		perFile float64
		more    []tracetest.Traffic
		want    *meter.Foreign
	}{
		"nothing":        {op: trace.Write, seconds: 30, size: 1e8},
		"nothing, short": {op: trace.Read, seconds: 3, size: 1e8},
		"metadata":       {op: trace.Write, seconds: 10, size: 1e6, perFile: 48 << 10},
		"all the time": {
			op: trace.Write, seconds: 10, size: 1e8,
			more: []tracetest.Traffic{{ToS: 10, Rate: 50e6}},
			want: &meter.Foreign{Bytes: 500e6, Rate: 50e6, ToS: 10},
		},
		"3 s": {
			op: trace.Read, seconds: 3, size: 1e8, more: []tracetest.Traffic{{ToS: 3, Rate: 50e6}},
			want: &meter.Foreign{Bytes: 150e6, Rate: 50e6, ToS: 3},
		},
		"for a while": {
			op: trace.Write, seconds: 60, size: 1e8,
			more: []tracetest.Traffic{{FromS: 20.4, ToS: 32.7, Rate: 50e6}},
			want: &meter.Foreign{Bytes: 615e6, Rate: 50e6, FromS: 20.4, ToS: 32.7},
		},
		"less than it matters": {
			op: trace.Write, seconds: 60, size: 1e8,
			more: []tracetest.Traffic{{FromS: 20, ToS: 22, Rate: 50e6}},
		},
	} {
		d := evenDisk("A", tc.op, tc.seconds, tc.size)
		a := Analyze(gauged(tracetest.Counters(d, tc.seconds, tc.perFile, tc.more...), d),
			Options{})
		got := a.Phases[0].Disks["A"].Device
		if got == nil || (got.Foreign == nil) != (tc.want == nil) || got.CachedBytes != 0 {
			t.Errorf("%s: got %+v, want foreign traffic %+v", name, got, tc.want)
			continue
		}
		if tc.want == nil {
			if f := findingOf(a, "foreign_traffic"); f != nil {
				t.Errorf("%s: %+v", name, f)
			}
			continue
		}
		check.Near(t, name+": bytes", tc.want.Bytes, got.Foreign.Bytes, 0.1*tc.want.Bytes)
		check.Near(t, name+": rate", tc.want.Rate, got.Foreign.Rate, 0.1*tc.want.Rate)
		check.Near(t, name+": from", tc.want.FromS, got.Foreign.FromS, 1)
		check.Near(t, name+": to", tc.want.ToS, got.Foreign.ToS, 1)
		if f := findingOf(a, "foreign_traffic"); f == nil || f.Disk != "A" ||
			f.Values.(ForeignValues).Bytes != got.Foreign.Bytes {
			t.Errorf("%s: finding %+v", name, f)
		}
	}
}

func TestCachedReads(t *testing.T) {
	d := evenDisk("A", trace.Read, 10, 1e8)
	a := Analyze(gauged(tracetest.Counters(d, 10, 0, tracetest.Traffic{ToS: 10, Rate: -120e6}), d),
		Options{})
	check.Near(t, "cached", 1.2e9, float64(a.Phases[0].Disks["A"].Device.CachedBytes), 0.02e9)
	if f := findingOf(a, "cached"); f == nil || f.Disk != "A" {
		t.Errorf("findings %v, want cached", codes(a))
	}
	// Writes that stay in a cache are not held against the disk: that is what flush: none asks for.
	d = evenDisk("A", trace.Write, 10, 1e8)
	a = Analyze(gauged(tracetest.Counters(d, 10, 0, tracetest.Traffic{ToS: 10, Rate: -120e6}), d),
		Options{})
	if got := codes(a); slices.Contains(got, "cached") || slices.Contains(got, "foreign_traffic") {
		t.Errorf("findings %v, want none of writes that stay in a cache", got)
	}
}

// What one phase has left in the cache the device writes in the next: that is no foreign traffic.
func TestLateWrites(t *testing.T) {
	w, r := evenDisk("A", trace.Write, 10, 1e8), evenDisk("A", trace.Read, 10, 1e8)
	early, late := tracetest.Phase("w", w), tracetest.Phase("r", r)
	early.Gauges = tracetest.Counters(w, 10, 0, tracetest.Traffic{ToS: 10, Rate: -60e6})
	late.Gauges = tracetest.Counters(r, 10, 6e8/float64(len(r.Files)))
	a := Analyze(tracetest.Run(early, late), Options{})
	if f := findingOf(a, "foreign_traffic"); f != nil {
		t.Errorf("%+v", f.Values)
	}
	a = Analyze(tracetest.Run(late), Options{})
	if f := findingOf(a, "foreign_traffic"); f == nil {
		t.Error("600 MB written in a phase that reads, and no foreign traffic")
	}
}

// Two names on one device are held against its counters together.
func TestSharedDevice(t *testing.T) {
	a, b := evenDisk("A", trace.Write, 10, 1e8), evenDisk("B", trace.Write, 10, 1e8)
	var gauges []trace.Gauge
	other := tracetest.Counters(b, 10, 0)
	for i, g := range tracetest.Counters(a, 10, 0) {
		g.Value += other[i].Value
		gauges = append(gauges, g)
		g.Disk = "B"
		gauges = append(gauges, g)
	}
	found := Analyze(gauged(gauges, a, b), Options{})
	if got := found.Phases[0].Disks["B"].Device; got == nil || got.Foreign != nil ||
		!slices.Equal(got.Disks, []string{"A", "B"}) {
		t.Errorf("got %+v, want the two together and no foreign traffic", got)
	}
}

// Counters that are not there, run backwards, or belong to a phase that was cut short or simulated
// say nothing.
func TestNoCounters(t *testing.T) {
	d := evenDisk("A", trace.Write, 10, 1e8)
	counters := tracetest.Counters(d, 10, 0, tracetest.Traffic{ToS: 10, Rate: 50e6})
	backwards := slices.Clone(counters)
	backwards[len(backwards)-1].Value = 5
	partial, simulated := gauged(counters, d), gauged(counters, d)
	partial.Phases[0].Status = trace.Partial
	simulated.Disks[0].Profile = "x"
	for name, run := range map[string]*trace.Run{
		"none": runOf(d), "one": gauged(counters[:2], d), "backwards": gauged(backwards, d),
		"partial": partial, "simulated": simulated,
	} {
		a := Analyze(run, Options{})
		if got := a.Phases[0].Disks["A"].Device; got != nil ||
			findingOf(a, "foreign_traffic") != nil {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestHostBound(t *testing.T) {
	d := evenDisk("A", trace.Write, 10, 1e8)
	for percent, want := range map[float64]bool{99: true, 80: false} {
		var gauges []trace.Gauge
		for s := range 10 {
			gauges = append(gauges, trace.Gauge{Name: trace.CPU, TNS: int64(s) * 1e9,
				Value: percent})
		}
		a := Analyze(gauged(gauges, d), Options{})
		if got := findingOf(a, "host_bound") != nil; got != want ||
			*a.Phases[0].CPUPercent != percent {
			t.Errorf("at %v %%: host_bound %v, cpu %v", percent, got, *a.Phases[0].CPUPercent)
		}
	}
}

// Requests that failed or were repeated below the file system are warned of, if there are more of
// them by the end.
func TestFailedRequests(t *testing.T) {
	for name, last := range map[string]float64{"none": 7, "three": 10} {
		gauges := []trace.Gauge{
			{Disk: "A", Name: trace.DeviceFailures, Value: 7},
			{Disk: "A", Name: trace.DeviceFailures, TNS: 9e9, Value: last},
		}
		var warned []any
		for _, w := range Analyze(gauged(gauges, evenDisk("A", trace.Write, 10, 1e8)),
			Options{}).Phases[0].Warnings {
			if w.Code == "failed_requests" && w.Disk == "A" {
				warned = append(warned, w.Values)
			}
		}
		var want []any
		if last > 7 {
			want = []any{TimesValues{3}}
		}
		check.Same(t, name, want, warned)
	}
}

// A worker with one request at a time that uses all of its core is limited by the host, unless it
// is asked for less.
func TestWorkerBound(t *testing.T) {
	for name, tt := range map[string]struct {
		percent float64
		work    work.Work
		want    bool
	}{
		"all of its core":   {99, work.Work{Op: trace.Write, Mode: "direct", Depth: 1}, true},
		"part of it":        {60, work.Work{Op: trace.Write, Mode: "direct", Depth: 1}, false},
		"several at a time": {150, work.Work{Op: trace.Write, Mode: "direct", Depth: 8}, false},
		"at a pace": {
			99, work.Work{Op: trace.Write, Mode: "direct", Depth: 1, Pace: 1e8}, false,
		},
		"not known": {99, work.Work{Op: trace.Write}, false},
	} {
		d := evenDisk("A", trace.Write, 10, 1e8)
		var gauges []trace.Gauge
		for s := range 10 {
			gauges = append(gauges, trace.Gauge{
				Disk: "A", Name: trace.WorkerCPU, TNS: int64(s) * 1e9, Value: tt.percent,
			})
		}
		run := gauged(gauges, d)
		run.Phases[0].Work = map[string]work.Work{"A": tt.work}
		a := Analyze(run, Options{})
		if f := findingOf(a, "host_bound"); (f != nil) != tt.want || tt.want && f.Disk != "A" {
			t.Errorf("%s: %+v", name, f)
		}
	}
}

// fall is a disk that writes 2 GB/s and falls to 0.6 GB/s.
type fall struct {
	atS, endS float64
	op        trace.Role
	noise     tracetest.Noise
}

func newFall(rnd *rand.Rand) fall {
	f := fall{atS: 15 + 30*rnd.Float64(), op: trace.Write}
	f.endS = f.atS + 20 + 40*rnd.Float64()
	f.noise = []tracetest.Noise{{Sigma: 0.03}, {Wave: 0.05, MemoryS: 0.5},
		{Sigma: 0.05, FlushS: 0.1}}[rnd.IntN(3)]
	return f
}

func (f fall) play(rnd *rand.Rand) *trace.DiskRecord {
	d := tracetest.Disk{
		Name: "A", Op: f.op, Noise: f.noise,
		Levels: []tracetest.Level{{UntilS: f.atS, Rate: 2e9}, {UntilS: f.endS, Rate: 0.6e9}},
	}
	return d.Play(rnd)
}

// warmth is a sensor of some disk's.
func sensor(rnd *rand.Rand, at func(float64) float64) tracetest.Warmth {
	return tracetest.Warmth{
		EveryS: []float64{1, 1, 5}[rnd.IntN(3)], At: at, Noise: 0.3 + 0.5*rnd.Float64(),
	}
}

// approach is a temperature that goes from one to another with a time constant, from a moment on.
func approach(from, to, sinceS, constantS float64) func(s float64) float64 {
	return func(s float64) float64 { return to + (from-to)*math.Exp(-max(0, s-sinceS)/constantS) }
}

// heated is a disk that warms up from its start until it throttles, and holds its temperature from
// then on.
func heated(rnd *rand.Rand) *trace.Run {
	f := newFall(rnd)
	from, limit := 32+18*rnd.Float64(), 62+20*rnd.Float64()
	rise := approach(from, from+1.3*(limit-from), 0, f.atS/1.4663) // reaches the limit at the fall
	at := func(s float64) float64 { return min(rise(s), limit) }
	if rnd.IntN(2) == 0 { // and cools a little once it is slower
		at = func(s float64) float64 { return min(rise(s), approach(limit, limit-4, f.atS, 10)(s)) }
	}
	d := f.play(rnd)
	return gauged(sensor(rnd, at).Play(rnd, "A", f.endS), d)
}

// filled is a disk whose cache is full after some bytes, as cool as ever.
func filled(rnd *rand.Rand) *trace.Run {
	f := newFall(rnd)
	level, wander := 30+25*rnd.Float64(), 2*rnd.Float64()
	at := approach(level, level+wander, 0, 15)
	d := f.play(rnd)
	run := gauged(sensor(rnd, at).Play(rnd, "A", f.endS), d)
	if rnd.IntN(3) == 0 { // and once more, after about as many bytes
		g := f
		g.atS *= 0.9 + 0.2*rnd.Float64()
		g.endS = g.atS + 30
		more := tracetest.Phase("again", g.play(rnd))
		more.Gauges = sensor(rnd, at).Play(rnd, "A", g.endS)
		run.Phases = append(run.Phases, more)
	}
	return run
}

// puzzling is a disk that falls for no reason that its gauges show.
func puzzling(rnd *rand.Rand) *trace.Run {
	f := newFall(rnd)
	level := 30 + 25*rnd.Float64()
	flat := func(s float64) float64 { return level + 1.2*float64(int(s/7)%2) }
	kind := rnd.IntN(5)
	if kind == 3 {
		f.op = trace.Read
	}
	d := f.play(rnd)
	switch kind {
	case 0: // no gauge
		return runOf(d)
	case 1: // a stuck one, as some disks have it at 40 °C
		return gauged(tracetest.Warmth{EveryS: 1, At: func(float64) float64 { return 40 }}.Play(rnd,
			"A", f.endS), d)
	case 2: // warmer, as every disk that writes, and not hot
		at := approach(30, 30+8+8*rnd.Float64(), 0, f.atS/2)
		return gauged(sensor(rnd, at).Play(rnd, "A", f.endS), d)
	case 3: // reads fill no cache
		return gauged(sensor(rnd, flat).Play(rnd, "A", f.endS), d)
	}
	// It has moved far more in another phase, at full speed: no budget.
	run := gauged(sensor(rnd, flat).Play(rnd, "A", f.endS), d)
	long := fall{atS: 2.5 * f.atS, endS: 2.5 * f.atS, op: trace.Write, noise: f.noise}
	more := tracetest.Phase("long", long.play(rnd))
	more.Gauges = sensor(rnd, flat).Play(rnd, "A", long.endS)
	run.Phases = append(run.Phases, more)
	return run
}

// TestCauses holds the causes of throttles to known truth: at most 2 of 50 of each kind may be
// wrong. The thresholds were chosen on other seeds, which HUBBENCH_TUNE asks for.
func TestCauses(t *testing.T) {
	n := traces(t, 50, 50)
	for want, play := range map[string]func(*rand.Rand) *trace.Run{
		CauseHeat: heated, CauseCacheFull: filled, CauseUnknown: puzzling,
	} {
		var wrong []string
		for trial := range n {
			a := Analyze(play(seed(5000+trial)), Options{})
			throttle := a.Phases[0].Disks["A"].Throttle
			if throttle == nil {
				wrong = append(wrong, fmt.Sprintf("%d: no throttle", trial))
			} else if throttle.Cause != want {
				wrong = append(wrong, fmt.Sprintf("%d: %s (%s)", trial, throttle.Cause,
					grounds(throttle)))
			} else if got := findingOf(a, want) != nil; got != (want != CauseUnknown) {
				t.Errorf("%s %d: findings %v", want, trial, codes(a))
			}
		}
		t.Logf("%s: %s", want, strings.Join(wrong, "\n"))
		evidence.Report(t, evidence.AtLeast("detection", "the cause of a fall, "+want, n-len(wrong),
			n, n-n/25))
	}
}

func grounds(t *Throttle) string {
	show := func(v *float64) string {
		if v == nil {
			return "?"
		}
		return fmt.Sprintf("%.0f", *v)
	}
	e := t.Evidence
	return fmt.Sprintf("fell at %.1f s; %s, %s, %s °C; stuck %v, budgets %d, passed %.0f", t.AtS,
		show(e.StartC), show(e.AtC), show(e.AfterC), e.Stuck, e.SameBudget, e.PassedBytes)
}

// A device that counts its throttles says so itself.
func TestThrottleEvents(t *testing.T) {
	rnd := seed(1)
	f := newFall(rnd)
	d := f.play(rnd)
	var gauges []trace.Gauge
	for s := range int(f.endS) {
		value := 3.0
		if float64(s) > f.atS {
			value = 4
		}
		gauges = append(gauges, trace.Gauge{Disk: "A", Name: trace.Throttles, TNS: int64(s) * 1e9,
			Value: value})
	}
	if got := Analyze(gauged(gauges, d), Options{}).Phases[0].Disks["A"].Throttle; got == nil ||
		got.Cause != CauseHeat || got.Evidence.Events != 1 {
		t.Errorf("got %+v, want heat", got)
	}
}

// Of work that moves more than is counted by what hubbench does itself, more is nobody else's
// traffic.
func TestOwnExcessIsNotForeign(t *testing.T) {
	for _, tc := range []struct {
		gauge string
		want  bool
	}{{"", true}, {trace.CachedWrites, false}, {trace.FilledFiles, false}} {
		d := evenDisk("A", trace.Write, 10, 1e8)
		gauges := tracetest.Counters(d, 10, 0, tracetest.Traffic{ToS: 10, Rate: 300e6})
		if tc.gauge != "" {
			gauges = append(gauges, trace.Gauge{Disk: "A", Name: tc.gauge, Value: 4096})
		}
		a := Analyze(gauged(gauges, d), Options{})
		if f := findingOf(a, "foreign_traffic"); (f != nil) != tc.want {
			t.Errorf("with the gauge %q: foreign traffic %v, want %v", tc.gauge, f, tc.want)
		}
		if a.Phases[0].Disks["A"].Device == nil {
			t.Errorf("with the gauge %q the device's own bytes are not said", tc.gauge)
		}
	}
}

// Small writes through this computer's cache are marked wherever their rate is told.
func TestCachedWrites(t *testing.T) {
	run := runOf(diskOf("A", "write", 100e6, pace{10, 1e9}))
	run.Phases[0].Gauges = []trace.Gauge{{Disk: "A", Name: trace.CachedWrites, Value: 4096}}
	a := Analyze(run, Options{})
	p := a.Phases[0]
	check.Same(t, "bytes of a request", int64(4096), p.Disks["A"].CachedWrites)
	w := p.Warnings[0]
	check.Same(t, "warning", "disk A: its writes of 4 KiB went through this computer's cache, "+
		"which reads and writes "+
		"whole pages: its rate is the cache's and not the disk's", w.Text)
	if w.Code != "cached_writes" || w.Values != (BlockValues{4096}) {
		t.Errorf("got the warning %+v", w)
	}
	check.Same(t, "doubts", []Caveat{{Code: CaveatWrites, Phase: p.Name,
		Text: "Writes of 4 KiB to A (1 phase) went " +
			"through this computer's cache: those rates are the cache's, not the disk's."}},
		a.Answer.Caveats)
}
