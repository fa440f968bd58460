package analysis

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// disk plays levels in GB/s, without noise, in files of 100 MB.
func disk(name string, op trace.Role, levels ...pace) *trace.DiskRecord {
	d := tracetest.Disk{Name: name, Op: op, Sizes: tracetest.Fixed(100e6)}
	for _, l := range levels {
		d.Levels = append(d.Levels, tracetest.Level{UntilS: l.untilS, Rate: l.rate * 1e9})
	}
	return d.Play(rand.New(rand.NewPCG(1, 1)))
}

func told(phases ...*trace.Phase) *Analysis {
	return Analyze(tracetest.Run(phases...), Options{})
}

func TestVerdict(t *testing.T) {
	const second = 1e9
	tests := []struct {
		name  string
		disks []*trace.DiskRecord
		want  string
	}{
		{"alone", []*trace.DiskRecord{disk("A", "read", pace{10, 2.5})},
			"A reading alone: 2.50 GB/s for 10 s."},
		{"alike", []*trace.DiskRecord{
			disk("A", "read", pace{10, 1.2}), disk("B", "read", pace{10, 1.2}),
			disk("C", "read", pace{10, 1.15}),
		},
			"Three disks reading: 3.55 GB/s together for 10 s; evenly shared, 1.18 GB/s each."},
		{"a pair", []*trace.DiskRecord{
			disk("A", "write", pace{23, 0.742}, pace{43, 1.5}), disk("C", "write", pace{19, 2.458}),
		},
			"Two disks writing: 3.20 GB/s together for 19 s; C ran at 2.46 GB/s, A dropped to " +
				"0.742 GB/s (49% of the 1.50 GB/s baseline without C) and recovered 4 s after C " +
				"had finished."},
		{"each the other's reference", []*trace.DiskRecord{
			disk("A", "write", pace{20, 0.7}, pace{30, 1.4}),
			disk("B", "write", pace{20, 0.7}, pace{40, 1.4}), disk("C", "write", pace{20, 2.1})},
			"Three disks writing: 3.50 GB/s together for 20 s; C ran at 2.10 GB/s, A and B " +
				"dropped to 0.700 GB/s each (50% of the 1.40 GB/s baseline without C) and " +
				"recovered under 0.05 s after C had finished."},
		{"mixed", []*trace.DiskRecord{
			disk("C", "write", pace{10, 2.8}), disk("A", "read", pace{18, 1}, pace{30, 2.5}),
			disk("B", "read", pace{18, 1}, pace{30, 2.5})},
			"C writing, A and B reading: 4.80 GB/s together for 10 s; C ran at 2.80 GB/s, A and " +
				"B dropped to 1.00 GB/s each (40% of the 2.50 GB/s baseline without C) and " +
				"recovered 8 s after C had finished."},
		{"falls by itself", []*trace.DiskRecord{
			disk("A", "write", pace{10, 2}, pace{30, 0.5}), disk("B", "write", pace{30, 1}),
		},
			"Two disks writing: 2.00 GB/s together for 30 s; A and B ran at 1.00 GB/s each; A " +
				"fell from 2.00 GB/s to 0.500 GB/s after 20 GB with no other disk involved."},
		{"falls in steps", []*trace.DiskRecord{disk("A", "write", pace{10, 2}, pace{30, 1.5},
			pace{50, 0.5})},
			"A writing alone: 1.20 GB/s for 50 s; A fell from 2.00 GB/s to 1.50 GB/s after 20 GB " +
				"and to 0.500 GB/s after 50 GB."},
		{"never together", []*trace.DiskRecord{
			{Name: "A", Op: "read", Files: []trace.File{{Bytes: 9, EndNS: second}}},
			{Name: "B", Op: "read",
				Files: []trace.File{{Bytes: 9, StartNS: 2 * second, EndNS: 3 * second}}}},
			"Two disks reading: no overlap, disk A ended at 1.0 s, before disk B began at 2.0 s."},
		{"silent", []*trace.DiskRecord{
			{Name: "A", Op: "read", Files: []trace.File{{Bytes: 9, EndNS: second}}},
			{Name: "B", Op: "read"}},
			"Two disks reading: no overlap, disk B moved nothing."},
		{"names stay as they are", []*trace.DiskRecord{disk("x5", "read", pace{10, 2.5})},
			"x5 reading alone: 2.50 GB/s for 10 s."},
		{"nobody", nil, "No disk worked in this phase."},
	}
	for _, tt := range tests {
		check.Same(t, tt.name, tt.want, told(tracetest.Phase("p", tt.disks...)).Phases[0].Verdict)
	}
}

// TestFindingTexts: each finding is one sentence that names its phase, with the numbers in it.
func TestFindingTexts(t *testing.T) {
	www := tracetest.Phase("WWW", disk("A", "write", pace{43, 0.7}, pace{60, 1.4}),
		disk("B", "write", pace{43, 0.7}, pace{60, 1.4}), disk("C", "write", pace{33, 2.1}))
	direct := tracetest.Phase("A direct", disk("A", "write", pace{20, 2.2}))
	direct.Connections = map[string]string{"A": "direct"}
	a := told(www,
		tracetest.Phase("RRR", disk("A", "read", pace{30, 1.15}), disk("B", "read", pace{30, 1.15}),
			disk("C", "read", pace{30, 1.15})),
		tracetest.Phase("mixed", disk("A", "read", pace{38, 1}, pace{50, 2.5}),
			disk("B", "read", pace{38, 1}, pace{50, 2.5}), disk("C", "write", pace{27, 2.8})),
		tracetest.Phase("A writes", disk("A", "write", pace{20, 1.5})),
		tracetest.Phase("B writes", disk("B", "write", pace{20, 1.5})),
		tracetest.Phase("C writes", disk("C", "write", pace{20, 2.8})), direct,
		tracetest.Phase("A reads", disk("A", "read", pace{20, 2.6})),
		tracetest.Phase("B reads", disk("B", "read", pace{20, 2.6})),
		tracetest.Phase("C reads", disk("C", "read", pace{20, 2.7})),
		tracetest.Phase("X", disk("X", "write", pace{10, 2}, pace{30, 0.5})))
	var texts []string
	for _, f := range a.Findings {
		texts = append(texts, f.Text)
		if !strings.HasPrefix(f.Text, a.Title(f.Phase)+": ") || !strings.HasSuffix(f.Text, ".") {
			t.Errorf("finding %q is no sentence that names its phase", f.Text)
		}
	}
	all := strings.Join(texts, "\n")
	for _, want := range []string{
		"A, B and C write: C took bandwidth from A and B: 0.700 GB/s each instead of 1.40 " +
			"without it.",
		"A, B and C write: A and B recovered 10 s after C had ended (from 0.700 GB/s to 1.40 " +
			"GB/s each).",
		"A, B and C read: the disks shared evenly (Jain's index 1.00): each kept 43% of its speed.",
		"mixed: C took bandwidth from A and B: 1.00 GB/s each instead of 2.50 without it.",
		"A writes: A alone on the hub writes at 1.50 GB/s, 32% less than 2.20 GB/s on its own " +
			"port (A direct).",
		"X: X fell from 2.00 GB/s to 0.500 GB/s after 20 GB and stayed there to the end, with no " +
			"other disk involved: a full cache or heat; quote 0.500 GB/s.",
	} {
		if !strings.Contains(all, want) {
			t.Errorf("no finding %q", want)
		}
	}
	if t.Failed() {
		t.Log(all)
	}
	check.Same(t, "quote", "0.500 GB/s after 20 GB; before that 2.00 GB/s for 10 s",
		a.Phases[10].Disks["X"].Quote.Text)
}

// TestWarningTexts: no warning goes without words.
func TestWarningTexts(t *testing.T) {
	broken := disk("A", "write", pace{10, 1})
	broken.Errors = []trace.Failure{{Seq: 7, TNS: 3e9, Error: "disk A: no space left"}}
	late := disk("B", "write", pace{10, 1})
	late.Files[0].StartNS += 2_000_000
	run := tracetest.Run(tracetest.Phase("p", broken, late),
		tracetest.Phase("thin", disk("A", "write", pace{1, 1})),
		tracetest.Phase("never", disk("A", "write", pace{1, 1}),
			&trace.DiskRecord{Name: "B", Op: "write"}))
	run.Status = trace.Partial
	run.Phases[1].Gauges = []trace.Gauge{{Disk: "A", Name: trace.CachedShare, Value: 0.43}}
	a := Analyze(run, Options{})
	got := map[string]string{a.Warnings[0].Code: a.Warnings[0].Text}
	for _, p := range a.Phases {
		for _, w := range p.Warnings {
			got[p.Name+" "+w.Code] = w.Text
		}
	}
	for code, want := range map[string]string{
		"partial":          "the run ended early: phases may be missing or incomplete",
		"p partial":        "disk A failed 3.0 s into the phase, at file 7: no space left",
		"p start_skew":     "the disks started 2 ms apart; the overlap excludes that time",
		"never no_overlap": "no overlap: disk B moved nothing",
		"thin cached": "disk A: its requests bypassed the cache, yet 43% of its files were " +
			"in the cache afterwards: its rate may be that of RAM",
	} {
		check.Same(t, code, want, got[code])
	}
	for code, text := range got {
		if text == "" || !strings.Contains(text, " ") {
			t.Errorf("%s: %q says nothing", code, text)
		}
	}
}

// A phase too short to compare its disks still has their rates in the overlap: they did not get
// nothing.
func TestRatesOfAShortPhase(t *testing.T) {
	p := &PhaseResult{
		Name: "WW", Roles: map[string]trace.Role{"A": trace.Write, "B": trace.Write},
		Overlap: &Overlap{Rate: 6e8, DurationS: 0.03, Disks: map[string]OverlapDisk{
			"A": {Op: trace.Write, Rate: 2e8}, "B": {Op: trace.Write, Rate: 4e8},
		}},
		Contention: &Contention{Disks: map[string]DiskContention{"A": {}, "B": {}}},
		Disks:      map[string]DiskResult{"A": {Op: trace.Write}, "B": {Op: trace.Write}},
	}
	a := &Analysis{Order: []string{"A", "B"}, Scale: unit.ScaleFor(6e8)}
	if got := in(a).verdict(p); !strings.Contains(got, "B ran at 400 MB/s, A ran at 200 MB/s") {
		t.Errorf("%q", got)
	}
}

// The name of a disk stays as it is where a sentence begins with it, and only that.
func TestCapital(t *testing.T) {
	disks := []string{"a", "b", "c1", "éa"}
	for text, want := range map[string]string{
		"a and b write": "a and b write", "a's speed": "a's speed", "a": "a", "c1, a": "c1, a",
		"all three write": "All three write", "both read": "Both read", "c12 is b": "C12 is b",
		"éa reads": "éa reads", "émile": "Émile", "": "",
	} {
		check.Same(t, text, want, Capital(disks, text))
	}
}
