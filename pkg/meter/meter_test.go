package meter

import (
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

func ns(s float64) int64 { return int64(math.Round(s * 1e9)) }

// span is from one second to another.
func span(fromS, toS float64) overlap.Span {
	return overlap.Span{StartNS: ns(fromS), EndNS: ns(toS)}
}

// device's counts, one a second: what A reads and writes, and what is more.
func deviceOf(reads, writes []float64, parts ...*ledger.History) device {
	d := device{reads: true}
	var c count
	for i := range reads {
		c.ns = ns(float64(i))
		c.bytes[read] += reads[i]
		c.bytes[write] += writes[i]
		d.counts = append(d.counts, c)
	}
	for _, p := range parts {
		d.add(p, nil)
	}
	return d
}

// evenPart moves 100 MB a second in files of a second.
func evenPart(op trace.Role, seconds int) *ledger.History {
	d := tracetest.FilesOf(slices.Repeat([][2]float64{{1, 100e6}}, seconds)...)
	d.Op = op
	p := ledger.New(d, work.Work{}, 0)
	return &p
}

func TestDeviceCompare(t *testing.T) {
	const s = 10
	// Off by 4 MiB, 64 KiB for each file and 2 % of what was counted, no more is worth telling.
	const slack = 4<<20 + s*64<<10 + 0.02*s*100e6
	each := func(v, more float64) []float64 { // from second to second
		list := append([]float64{0}, slices.Repeat([]float64{v}, s)...)
		list[5] += more
		return list
	}
	for _, tt := range []struct {
		name            string
		op              trace.Role
		reads, writes   []float64
		stop            string
		open            bool
		foreign, cached float64
	}{
		{name: "all as counted", op: trace.Write, reads: each(0, 0), writes: each(100e6, 0)},
		{name: "as much more as may be", op: trace.Write, reads: each(0, 0),
			writes: each(100e6, slack-0.5)},
		{name: "as much more read as may be", op: trace.Read, reads: each(100e6, slack-0.5),
			writes: each(0, 0)},
		{name: "more", op: trace.Write, reads: each(0, 0), writes: each(100e6, slack+1),
			foreign: slack + 1},
		{name: "more in both directions", op: trace.Write, reads: each(0, slack),
			writes: each(100e6, slack), foreign: 2 * slack},
		{name: "stopped amid a file", op: trace.Write, reads: each(0, 0),
			writes: each(100e6, slack+10e6-1), stop: "time"},
		{name: "and more than that", op: trace.Write, reads: each(0, 0),
			writes: each(100e6, slack+10e6+1), stop: "hold", foreign: slack + 10e6 + 1},
		{name: "less written", op: trace.Write, reads: each(0, 0), writes: each(100e6, -slack-1)},
		{name: "less read", op: trace.Read, reads: each(100e6, -slack-1), writes: each(0, 0),
			cached: slack + 1},
		{name: "but not by enough", op: trace.Read, reads: each(100e6, -slack+1),
			writes: each(0, 0)},
		{name: "written beside reads", op: trace.Read, reads: each(100e6, 0),
			writes: each(0, slack+1), foreign: slack + 1},
	} {
		d := deviceOf(tt.reads, tt.writes, evenPart(tt.op, s))
		late := Unwritten{}
		got := d.compare(tt.stop, late)
		foreign := 0.0
		if got.Foreign != nil {
			foreign = got.Foreign.Bytes
			if f := got.Foreign; math.Abs(f.FromS-4) > 0.01 || math.Abs(f.ToS-5) > 0.01 ||
				math.Abs(f.Rate-f.Bytes) > 1 {
				t.Errorf("%s: %+v, want all of it in the fifth second", tt.name, f)
			}
		}
		check.Near(t, tt.name+": foreign", tt.foreign, foreign, 2)
		check.Near(t, tt.name+": cached", tt.cached, float64(got.CachedBytes), 2)
		check.Near(t, tt.name+": read", sumOf(tt.reads), float64(*got.ReadBytes), 2)
		check.Near(t, tt.name+": written", sumOf(tt.writes), float64(got.WriteBytes), 2)
		if want := max(0, s*100e6-sumOf(tt.writes)); tt.op == trace.Write {
			check.Near(t, tt.name+": held back", want, *late.of([]string{"A"}), 2)
		}
	}
	// Readings from amid the work may be off by a tenth of a second of the disk's rate each.
	for more, want := range map[float64]bool{2 * 10e6: false, 2*10e6 + 100e3: true} {
		d := deviceOf(each(0, 0)[:7], each(100e6, more+4<<20+s*64<<10+0.02*5*100e6-1)[:7],
			evenPart(trace.Write, s))
		d.counts = d.counts[1:]
		if got := d.compare("", Unwritten{}); (got.Foreign != nil) != want {
			t.Errorf("%v more between readings amid the work: %+v", more, got.Foreign)
		}
	}
}

// What a job reads once more to verify it is no other traffic, and makes up for nothing that came
// from a cache; what the device reads beyond that is told.
func TestReadBackIsOwn(t *testing.T) {
	const s = 10
	for _, tt := range []struct {
		name            string
		op              trace.Role
		reads           float64 // by the device, in a second
		foreign, cached float64 // all in all
	}{
		{"written, then read", trace.Write, 100e6, 0, 0},
		{"read twice", trace.Read, 200e6, 0, 0},
		{"and something else reads", trace.Write, 150e6, s * 50e6, 0},
		{"the second time from a cache", trace.Read, 100e6, 0, 0},
		{"both times from a cache", trace.Read, 0, 0, s * 100e6},
	} {
		writes := make([]float64, s+1)
		reads := append([]float64{0}, slices.Repeat([]float64{tt.reads}, s)...)
		if tt.op == trace.Write {
			writes = append([]float64{0}, slices.Repeat([]float64{100e6}, s)...)
		}
		d := deviceOf(reads, writes, evenPart(tt.op, s))
		d.backs[0] = []Reading{{ns(4), 400e6}, {ns(s), s * 100e6}}
		got := d.compare("", Unwritten{})
		foreign := 0.0
		if got.Foreign != nil {
			foreign = got.Foreign.Bytes
		}
		check.Near(t, tt.name+": foreign", tt.foreign, foreign, 2)
		check.Near(t, tt.name+": cached", tt.cached, float64(got.CachedBytes), 2)
		check.Near(t, tt.name+": read back", s*100e6, float64(got.ReadBackBytes), 2)
	}
}

func sumOf(list []float64) (sum float64) {
	for _, v := range list {
		sum += v
	}
	return sum
}

// Traffic for 20 s of 40, which begins and ends amid a second: its rate is that of the whole
// seconds.
func TestForeignIsDated(t *testing.T) {
	reads, writes := make([]float64, 41),
		append([]float64{0}, slices.Repeat([]float64{100e6}, 40)...)
	for i := 11; i <= 30; i++ {
		writes[i] += 50e6
	}
	writes[11], writes[30] = 100e6+20e6, 100e6+10e6 // from 10.6 s to 29.2 s
	d := deviceOf(reads, writes, evenPart(trace.Write, 40))
	f := d.foreign(moved{1, 1})
	check.Near(t, "bytes", 18*50e6+30e6, f.Bytes, 1)
	check.Near(t, "rate", 50e6, f.Rate, 1)
	check.Near(t, "from", 10, f.FromS, 1e-6)
	check.Near(t, "to", 30, f.ToS, 1e-6)
	if f := d.foreign(moved{1, 0}); f.Bytes != 0 {
		t.Errorf("of its reads alone: %+v", f)
	}
}

func TestMeters(t *testing.T) {
	gauges := slices.Concat(tracetest.Readings("A", "w", 1, 2, 3), tracetest.Readings("", "w", 7),
		[]trace.Gauge{
			{Disk: "A", Name: "w", TNS: ns(3), Value: 9},
			{Disk: "A", Name: "w", TNS: ns(5), Value: 4},
		})
	m := New(&trace.Phase{Gauges: gauges})
	// a second one at 3 s is left out
	want := []Reading{{ns(1), 1}, {ns(2), 2}, {ns(3), 3}, {ns(5), 4}}
	if diff := cmp.Diff(want, m.Of("A", "w"), cmp.AllowUnexported(Reading{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for _, tt := range []struct {
		v    overlap.Span
		n    int
		want float64 // the middle one
	}{
		{span(1, 3), 3, 2}, {span(1.1, 2.9), 1, 2}, {span(0, 9), 4, 2.5},
		{span(3.5, 4), 0, math.NaN()}, {span(5, 5), 1, 4}, {span(4, 3), 0, math.NaN()},
	} {
		in := In(want, tt.v)
		if got := Median(in); len(in) != tt.n || got != tt.want &&
			!(math.IsNaN(got) && math.IsNaN(tt.want)) {
			t.Errorf("in %v: %v with %v in the middle", tt.v, in, got)
		}
	}
	if Moves(want[:1]) || !Moves(want[:2]) || Moves(nil) {
		t.Error("what moves is not distinguished from what does not")
	}
	counts := func(read, written []float64) ([]count, bool) {
		return New(&trace.Phase{Gauges: slices.Concat(tracetest.Readings("A", trace.DeviceRead,
			read...), tracetest.Readings("A", trace.DeviceWrite, written...))}).counts("A")
	}
	for _, tt := range []struct {
		name          string
		read, written []float64
		n             int
		reads         bool
	}{
		{"both", []float64{1, 2, 3}, []float64{4, 4, 5}, 3, true},
		{"writes alone", nil, []float64{4, 5}, 2, false},
		{"reads of fewer times", []float64{1, 2}, []float64{4, 5, 6}, 2, true},
		{"backwards", []float64{1, 2}, []float64{4, 3}, 0, false},
		{"reads backwards", []float64{2, 1}, []float64{4, 5}, 0, false},
	} {
		if got, reads := counts(tt.read, tt.written); len(got) != tt.n || reads != tt.reads {
			t.Errorf("%s: %v, %v", tt.name, got, reads)
		}
	}
}
