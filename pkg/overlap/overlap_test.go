package overlap

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/pkg/trace"
)

// disk makes a disk of files given as start, end, bytes.
func disk(files ...[3]int64) *trace.DiskRecord {
	d := &trace.DiskRecord{}
	for i, f := range files {
		d.Files = append(d.Files, trace.File{Seq: i, StartNS: f[0], EndNS: f[1], Bytes: f[2]})
	}
	return d
}

func TestActive(t *testing.T) {
	tests := []struct {
		name string
		disk *trace.DiskRecord
		want []Span
	}{
		{"nothing", disk(), nil},
		{"gap of just the limit", disk([3]int64{0, 10, 1}, [3]int64{15, 20, 1}), []Span{{0, 20}}},
		{"longer gap", disk([3]int64{0, 10, 1}, [3]int64{16, 20, 1}), []Span{{0, 10}, {16, 20}}},
		{"file inside a file", disk([3]int64{0, 30, 1}, [3]int64{5, 10, 1}, [3]int64{34, 40, 1}),
			[]Span{{0, 40}}},
		{"unusable files", disk([3]int64{0, 10, 0}, [3]int64{20, 20, 5}, [3]int64{30, 25, 5}), nil},
		{"unfinished file", &trace.DiskRecord{
			Files: []trace.File{{Bytes: 1, StartNS: 0, EndNS: 10}},
			Open:  []trace.Sample{{TNS: 30, Bytes: 1}, {TNS: 40, Bytes: 2}},
		}, []Span{{0, 10}, {30, 40}}},
		{"unfinished file before another", &trace.DiskRecord{
			Files: []trace.File{{Bytes: 1, StartNS: 50, EndNS: 60}},
			Open:  []trace.Sample{{TNS: 30, Bytes: 1}, {TNS: 40, Bytes: 2}},
		}, []Span{{30, 40}, {50, 60}}},
		{"a single sample", &trace.DiskRecord{Open: []trace.Sample{{TNS: 30, Bytes: 1}}}, nil},
	}
	for _, tt := range tests {
		check.Same(t, tt.name, tt.want, Active(tt.disk, 5))
	}
}

func TestStages(t *testing.T) {
	active := [][]Span{{{0, 100}}, {{20, 50}, {60, 120}}, {{20, 90}}}
	want := []Stage{
		{Span{0, 20}, []int{0}},
		{Span{20, 50}, []int{0, 1, 2}},
		{Span{50, 60}, []int{0, 2}},
		{Span{60, 90}, []int{0, 1, 2}},
		{Span{90, 100}, []int{0, 1}},
		{Span{100, 120}, []int{1}},
	}
	stages := Stages(active)
	check.Same(t, "stages", want, stages)
	check.Same(t, "window", []Span{{20, 50}, {60, 90}}, Window(stages, 3))
	if got := Window(stages, 4); got != nil {
		t.Errorf("window of four disks: got %v, want none", got)
	}
	check.Same(t, "window of one disk", []Span{{0, 20}, {100, 120}}, Window(stages, 1))
	if got := Window([]Stage{{}}, 0); got != nil {
		t.Errorf("window of no disks: got %v, want none", got)
	}
}

func TestCurve(t *testing.T) {
	sampled := &trace.DiskRecord{Files: []trace.File{
		{
			Bytes: 100, StartNS: 0, EndNS: 100,
			Progress: &trace.Progress{
				Samples: []trace.Sample{{TNS: 20, Bytes: 60}, {TNS: 60, Bytes: 80}},
			},
		},
		{Bytes: 50, StartNS: 110, EndNS: 120},
	}}
	tests := []struct {
		name string
		disk *trace.DiskRecord
		v    Span
		want Amount
	}{
		{"all", sampled, Span{0, 120}, Amount{150, 150, 150}},
		{"beyond", sampled, Span{-10, 500}, Amount{150, 150, 150}},
		{"at samples", sampled, Span{20, 60}, Amount{20, 20, 20}},
		{"between samples", sampled, Span{0, 40}, Amount{70, 60, 80}},
		{"in the pause", sampled, Span{100, 110}, Amount{0, 0, 0}},
		{"two samples at once", &trace.DiskRecord{Files: []trace.File{
			{
				Bytes: 100, StartNS: 0, EndNS: 100,
				Progress: &trace.Progress{
					Samples: []trace.Sample{{TNS: 20, Bytes: 10}, {TNS: 20, Bytes: 50}},
				},
			},
		}}, Span{0, 20}, Amount{50, 50, 50}},
		{"no samples", sampled, Span{112, 117}, Amount{25, 0, 50}},
		{
			"overlapping files",
			disk([3]int64{0, 100, 100}, [3]int64{10, 20, 40}, [3]int64{50, 60, 40}), Span{15, 55},
			Amount{80, 0, 180},
		},
		{"to the end of one of them", disk([3]int64{0, 100, 100}, [3]int64{10, 20, 40}),
			Span{0, 20}, Amount{60, 40, 140}},
		{
			"unfinished, in the middle",
			&trace.DiskRecord{
				Open: []trace.Sample{
					{TNS: 10, Bytes: 5}, {TNS: 20, Bytes: 15}, {TNS: 30, Bytes: 35},
				},
			},
			Span{0, 25}, Amount{20, 10, 30},
		},
		{"unusable left out", disk([3]int64{0, 10, 10}, [3]int64{10, 10, 7}, [3]int64{20, 15, 7}),
			Span{0, 30}, Amount{10, 10, 10}},
		{
			"unfinished",
			&trace.DiskRecord{Open: []trace.Sample{{TNS: 10, Bytes: 5}, {TNS: 20, Bytes: 15}}},
			Span{0, 15}, Amount{5, 0, 10},
		},
		{
			"unfinished, after",
			&trace.DiskRecord{Open: []trace.Sample{{TNS: 10, Bytes: 5}, {TNS: 20, Bytes: 15}}},
			Span{15, 99}, Amount{5, 0, 10},
		},
	}
	for _, tt := range tests {
		check.Same(t, fmt.Sprintf("%s: Between(%v)", tt.name, tt.v), tt.want,
			NewCurve(tt.disk).Between(tt.v))
	}
}

// TestAgainstBruteForce compares stages, window and bytes with a walk over every nanosecond of
// small random traces.
func TestAgainstBruteForce(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	const trials = 10_000
	worst := 0.0
	for trial := range trials {
		const gap, end = 4, 120
		disks := make([]*trace.DiskRecord, 1+rnd.IntN(4))
		active := make([][]Span, len(disks))
		for i := range disks {
			disks[i] = randomDisk(rnd, end)
			active[i] = Active(disks[i], gap)
		}
		got := Stages(active)
		want, moved := bruteForce(disks, gap, end)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("trial %d: stages (-brute +sweep):\n%s", trial, diff)
		}
		for i, d := range disks {
			c := NewCurve(d)
			var total, inStages int64
			for j := range d.Files {
				if d.Files[j].Usable() {
					total += d.Files[j].Bytes
				}
			}
			for _, s := range got {
				a := c.Between(s.Span)
				inStages += a.Bytes
				var sum float64
				for ns := s.StartNS; ns < s.EndNS; ns++ {
					sum += moved[i][ns]
				}
				// A curve rounds each file in transfer to whole bytes; no more than four overlap
				// here.
				worst = max(worst, math.Abs(float64(a.Bytes)-sum))
				if d := float64(a.Bytes) - sum; d > 4 || d < -4 {
					t.Fatalf("trial %d, disk %d, stage %v: %d bytes, brute force %.2f", trial, i, s,
						a.Bytes, sum)
				}
				if a.Low > a.Bytes || a.High < a.Bytes {
					t.Fatalf("trial %d, disk %d: bounds %v", trial, i, a)
				}
			}
			if inStages != total {
				t.Fatalf("trial %d, disk %d: %d bytes in stages, want all %d", trial, i, inStages,
					total)
			}
		}
	}
	name := fmt.Sprintf("%d random traces of 1 to 4 disks, added up nanosecond by nanosecond: "+
		"worst error of a disk's bytes, of up to 4 files in transfer", trials)
	evidence.Report(t, evidence.Below("overlap", name, "B", worst, 4))
}

// randomDisk makes up to four files, now and then overlapping, unusable, or with progress samples.
func randomDisk(rnd *rand.Rand, end int64) *trace.DiskRecord {
	d := &trace.DiskRecord{}
	at := rnd.Int64N(20)
	for range rnd.IntN(5) {
		f := trace.File{
			StartNS: at, EndNS: min(end, at+rnd.Int64N(25)), Bytes: rnd.Int64N(1000) - 20,
		}
		if f.Usable() && rnd.IntN(2) == 0 {
			for ns := f.StartNS + rnd.Int64N(3); ns < f.EndNS; ns += 1 + rnd.Int64N(6) {
				var done int64
				if n := len(f.Samples()); n > 0 {
					done = f.Samples()[n-1].Bytes
				}
				f.AddSample(trace.Sample{TNS: ns, Bytes: done + rnd.Int64N(f.Bytes-done+1)})
			}
		}
		d.Files = append(d.Files, f)
		at += rnd.Int64N(30)
	}
	return d
}

// bruteForce returns the stages and, per disk and nanosecond, the bytes moved.
func bruteForce(disks []*trace.DiskRecord, gap, end int64) (stages []Stage, moved [][]float64) {
	on := make([][]bool, len(disks))
	for i, d := range disks {
		on[i] = make([]bool, end)
		moved = append(moved, make([]float64, end))
		for _, f := range d.Files {
			if !f.Usable() {
				continue
			}
			points := append([]trace.Sample{{TNS: f.StartNS}}, f.Samples()...)
			points = append(points, trace.Sample{TNS: f.EndNS, Bytes: f.Bytes})
			for k := 1; k < len(points); k++ {
				p, q := points[k-1], points[k]
				// A jump counts as done by its instant, but not before the file's start.
				if q.TNS == p.TNS {
					moved[i][max(q.TNS-1, f.StartNS)] += float64(q.Bytes - p.Bytes)
				}
				for ns := p.TNS; ns < q.TNS; ns++ {
					on[i][ns] = true
					moved[i][ns] += float64(q.Bytes-p.Bytes) / float64(q.TNS-p.TNS)
				}
			}
		}
		bridge(on[i], gap)
	}
	for ns := range end {
		var now []int
		for i := range disks {
			if on[i][ns] {
				now = append(now, i)
			}
		}
		last := len(stages) - 1
		switch {
		case now == nil:
		case last >= 0 && stages[last].EndNS == ns && cmp.Equal(stages[last].Active, now):
			stages[last].EndNS++
		default:
			stages = append(stages, Stage{Span{ns, ns + 1}, now})
		}
	}
	return stages, moved
}

// bridge fills the pauses of up to gap.
func bridge(on []bool, gap int64) {
	last := int64(-1)
	for ns := range int64(len(on)) {
		if !on[ns] {
			continue
		}
		if last >= 0 && ns-last-1 <= gap {
			for k := last; k < ns; k++ {
				on[k] = true
			}
		}
		last = ns
	}
}

func TestPoints(t *testing.T) {
	sampled := &trace.DiskRecord{
		Files: []trace.File{
			{
				Bytes: 100, StartNS: 0, EndNS: 100,
				Progress: &trace.Progress{
					Samples: []trace.Sample{
						{TNS: 20, Bytes: 60}, {TNS: 25, Bytes: 65}, {TNS: 60, Bytes: 80},
					},
				},
			},
			{Bytes: 50, StartNS: 110, EndNS: 190},
		},
		Open: []trace.Sample{{TNS: 195, Bytes: 5}, {TNS: 205, Bytes: 7}, {TNS: 206, Bytes: 9}},
	}
	tests := []struct {
		name string
		disk *trace.DiskRecord
		v    Span
		want []trace.Sample
	}{
		{"known moments", sampled, Span{0, 206},
			[]trace.Sample{{TNS: 0}, {TNS: 20, Bytes: 60}, {TNS: 60, Bytes: 80},
				{TNS: 100, Bytes: 100}, {TNS: 110, Bytes: 100}, {TNS: 190, Bytes: 150},
				{TNS: 206, Bytes: 154}}},
		{"a part", sampled, Span{22, 63},
			[]trace.Sample{{TNS: 22, Bytes: 62}, {TNS: 63, Bytes: 82}}},
		{"overlapping files", disk([3]int64{0, 30, 30}, [3]int64{10, 20, 10}), Span{0, 30},
			[]trace.Sample{
				{TNS: 0}, {TNS: 10, Bytes: 10}, {TNS: 20, Bytes: 30}, {TNS: 30, Bytes: 40},
			}},
		{"overlapping files, evenly", disk([3]int64{0, 30, 30}, [3]int64{7, 20, 13}), Span{0, 30},
			[]trace.Sample{
				{TNS: 0}, {TNS: 10, Bytes: 13}, {TNS: 20, Bytes: 33}, {TNS: 30, Bytes: 43},
			}},
		{"one under way before the last ends", &trace.DiskRecord{
			Files: []trace.File{{Bytes: 26, StartNS: 0, EndNS: 26}},
			Open:  []trace.Sample{{TNS: 25}, {TNS: 45, Bytes: 20}},
		}, Span{0, 45}, []trace.Sample{
			{TNS: 0}, {TNS: 10, Bytes: 10}, {TNS: 20, Bytes: 20}, {TNS: 30, Bytes: 31},
			{TNS: 40, Bytes: 41}, {TNS: 45, Bytes: 46},
		}},
		{"one under way when the last ends", &trace.DiskRecord{
			Files: []trace.File{{Bytes: 26, StartNS: 0, EndNS: 26}},
			Open:  []trace.Sample{{TNS: 26}, {TNS: 46, Bytes: 20}},
		}, Span{0, 46}, []trace.Sample{{TNS: 0}, {TNS: 26, Bytes: 26}, {TNS: 46, Bytes: 46}}},
		{"half a step before the end", disk([3]int64{0, 25, 25}, [3]int64{25, 99, 74}), Span{0, 30},
			[]trace.Sample{{TNS: 0}, {TNS: 25, Bytes: 25}, {TNS: 30, Bytes: 30}}},
		{"less than that", disk([3]int64{0, 26, 26}, [3]int64{26, 99, 73}), Span{0, 30},
			[]trace.Sample{{TNS: 0}, {TNS: 30, Bytes: 30}}},
		{"nothing", disk(), Span{0, 7}, []trace.Sample{{TNS: 0}, {TNS: 7}}},
		{"less than half a step", disk(), Span{0, 4}, []trace.Sample{{TNS: 0}, {TNS: 4}}},
		{"only one under way", &trace.DiskRecord{Open: []trace.Sample{{TNS: 5, Bytes: 1},
			{TNS: 25, Bytes: 7}}}, Span{0, 40},
			[]trace.Sample{{TNS: 0}, {TNS: 25, Bytes: 6}, {TNS: 40, Bytes: 6}}},
	}
	for _, tt := range tests {
		check.Same(t, tt.name, tt.want, NewCurve(tt.disk).Points(tt.v, 10))
	}
}

func TestRates(t *testing.T) {
	// 10 bytes a second up to 100 s, then 30, with a pause that the spans leave out.
	d := disk([3]int64{0, 100e9, 1000}, [3]int64{120e9, 220e9, 3000})
	spans := []Span{{20e9, 100e9}, {120e9, 180e9}}
	tests := []struct {
		n    int
		want []float64
	}{
		{1, []float64{(800 + 1800) / 140.0}},
		{2, []float64{10, (100 + 1800) / 70.0}},
		{7, []float64{10, 10, 10, 10, 30, 30, 30}},
	}
	for _, tt := range tests {
		got := NewCurve(d).Rates(spans, tt.n)
		check.Same(t, fmt.Sprintf("in %d pieces", tt.n), tt.want, got,
			cmpopts.EquateApprox(1e-6, 0))
	}
}

// What is left of two spans without others: before, in, across, after and around them.
func TestWithout(t *testing.T) {
	spans := []Span{{StartNS: 10, EndNS: 20}, {StartNS: 30, EndNS: 40}}
	for _, tt := range []struct{ out, want []Span }{
		{nil, spans},
		{[]Span{{StartNS: 0, EndNS: 5}, {StartNS: 22, EndNS: 28}, {StartNS: 50, EndNS: 60}}, spans},
		{[]Span{{StartNS: 0, EndNS: 12}, {StartNS: 14, EndNS: 16}, {StartNS: 38, EndNS: 50}},
			[]Span{{StartNS: 12, EndNS: 14}, {StartNS: 16, EndNS: 20}, {StartNS: 30, EndNS: 38}}},
		{[]Span{{StartNS: 15, EndNS: 35}},
			[]Span{{StartNS: 10, EndNS: 15}, {StartNS: 35, EndNS: 40}}},
		{[]Span{{StartNS: 10, EndNS: 40}}, nil},
	} {
		check.Same(t, fmt.Sprintf("without %v", tt.out), tt.want, Without(spans, tt.out))
	}
}
