package analysis

import (
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// workKeys are all keys of a phase, each with two phases that differ in it alone, whether their
// rates mean the same, and why. "phase" and "again" are what the phases say beside the workload.
func workKeys() []workKey {
	const ww, stream = "pattern: WW", "pattern: W-, streams: {B: [{record: prores-422-hq-uhd-25, " +
		"count: 2}]}"
	return []workKey{
		{"preset", ww, ww + ", preset: ladder", "AB",
			"20 sizes from 50 KB to 2 GB are no 2 MB to 2 GB"},
		{"preset", ww, ww + ", preset: endurance", "", "more files of the same range"},
		{"preset", ww + ", sizes: [5 GB]", ww + ", preset: blackmagic", "AB",
			"one file again and again"},
		{"preset", ww + ", preset: amorphous", ww + ", preset: crystal", "AB",
			"it rests between passes, and flushes"},
		{"files", ww, ww + ", files: 30", "", "more of the same"},
		{"files", ww, ww + ", files: {A: 30, B: 100}", "", "more of the same"},
		{"files", ww + ", sizes: [1 GB, 1 MB, 1 KB]", ww + ", sizes: [1 GB, 1 MB, 1 KB], files: 1",
			"AB", "the beginning of a list is other sizes"},
		{"target", ww + ", files: auto", ww + ", files: auto, target: 20 s", "",
			"it says how long"},
		{"sizes", ww, ww + ", sizes: [1 MB]", "AB", "each file costs time of its own"},
		{"sizes", ww, ww + ", sizes: {min: 2 MB, max: 1 GB}", "AB", "half as large on average"},
		{"sizes", ww, ww + ", sizes: {min: 2 MB, max: 2 GB, distribution: log-uniform}", "AB",
			"smaller ones more often"},
		{"sizes", ww, ww + ", sizes: {min: 2 MB, max: 2 GB}", "", "the preset's, by name"},
		{"sizes", ww + ", sizes: [1 MB]", ww + ", sizes: [1 MB, 1 MB]", "",
			"the same in other words"},
		{"sizes", ww + ", sizes: [1 GB]", ww + ", sizes: {min: 1 GB, max: 1 GB}", "",
			"the same in other words"},
		{"sizes", ww + ", sizes: [1 GB, 1 MB]", ww + ", sizes: [1 GB, 1 MB, 1 MB]", "AB",
			"smaller ones more often"},
		{"order", ww, ww + ", order: ascending", "AB", "the window sees the small ones"},
		{"order", ww + ", sizes: [1 GB]", ww + ", sizes: [1 GB], order: descending", "",
			"one size has no order"},
		{"order", ww, ww + ", order: [A, B]", "", "that of the disks"},
		{"warm_up", ww, ww + ", warm_up: 3", "AB", "what a start costs is left out"},
		{"think", ww, ww + ", think: 10 ms", "AB", "the disk waits for its program"},
		{"seed", ww, ww + ", seed: 7", "", "other files of the same range"},
		{"block", ww, ww + ", block: 1 MiB", "AB", "each request costs time"},
		{"depth", ww, ww + ", depth: 1", "AB", "one request does not fill a link"},
		{"access", ww, ww + ", access: random", "AB", "nothing is read ahead, and caches miss"},
		{"io", ww, ww + ", io: app", "AB", "through the system's cache"},
		{"flush", ww, ww + ", flush: none", "AB", "the rest is written after the time"},
		{"flush", "pattern: RR", "pattern: RR, flush: none", "", "who reads flushes nothing"},
		{"verify", ww, ww + ", verify: full", "AB",
			"what is done between files is time in the window"},
		{"preallocate", ww, ww + ", preallocate: false", "AB",
			"space is looked for within the time"},
		{"preallocate", "pattern: RR", "pattern: RR, preallocate: false", "",
			"who reads takes no space"},
		{"keep", ww, ww + ", keep: true", "", "what is left when the run ends"},
		{"footprint", ww, ww + ", footprint: 40 GB", "AB",
			"files are removed meanwhile, and the disk writes where they were"},
		{"precondition", ww, ww + ", precondition: {fill: 50 %}", "AB",
			"a full disk has less of a cache"},
		{"mix", ww, ww + ", mix: {A: 30/70}", "A", "both directions at once"},
		{"mix", ww + ", mix: {A: 30/70}", ww + ", mix: {A: 40/60}", "A", "another share"},
		{"pace", ww, ww + ", pace: {A: 200 MB/s}", "A", "the rate is what is asked for"},
		{"pace", ww + ", pace: {A: 200 MB/s}", ww + ", pace: {A: 100 MB/s}", "A",
			"the rate is what is asked for"},
		{"streams", stream, strings.Replace(stream, "count: 2", "count: 3", 1), "B",
			"the rate is what is asked for"},
		{"streams", stream, strings.Replace(stream, "count: 2", "count: 2, buffer: 5 s", 1), "B",
			"a frame may take longer"},
		{"probe", "pattern: W-, probe: {B: 4 KiB}", "pattern: W-, probe: {B: 8 KiB}", "B",
			"the size of a request is its latency"},
		{
			"probe", "pattern: W-, probe: {B: 4 KiB}",
			"pattern: W-, probe: {B: {block: 4 KiB, every: 100 ms}}", "B",
			"a disk may sleep between them",
		},
		{"pattern", ww, "pattern: WR", "B", "the other direction"},
		{"roles", ww, "roles: {A: write, B: read}", "B", "the other direction"},
		{"roles", ww, "roles: {A: write, B: write}", "", "the same in other words"},
		{"connection", ww, ww + ", connection: {A: direct}", "A",
			"no part of the work, but beside it: its place is another"},
		{"stop", ww, ww + ", stop: 20 s", "", "how long it is measured"},
		{"stop", ww, ww + ", stop: hold", "", "filler is more of the same"},
		{"until", ww, ww + ", until: steady", "", "how long it is measured"},
		{"cooldown", ww, ww + ", cooldown: 30 s", "",
			"in which state it begins is no part of the work; the changes in the phase show it"},
		{"pause", ww, ww + ", pause: plug A in again", "",
			"what is done by hand changes the place, which has its own name"},
		{"repeat", ww, ww + ", repeat: 2", "", "that is what repeats are"},
		{"name", ww, ww + ", name: another", "", "a name"},
		{"search", stream, stream + ", search: streams", "B",
			"each try has as many streams as it tries"},
		{"hold", stream + ", search: streams", stream + ", search: streams, hold: 20 s", "",
			"how long a try is measured"},
	}
}

type workKey struct {
	key, phase, again string
	unlike            string // the disks whose work is another
	why               string
}

// A phase that repeats another, and the phases of its disks alone, are of the same work or are not
// used.
func TestEveryWorkKey(t *testing.T) {
	for _, tt := range workKeys() {
		first, again := planned(t, tt.phase), planned(t, tt.again)
		first.Name, again.Name = "first", "again"
		for _, j := range again.Jobs {
			alone := again.Alone(j.Disk)
			alone.Name = "alone"
			a := Analyze(tracetest.Run(playedOut(&alone), playedOut(&first), playedOut(&again)),
				Options{})
			want := !strings.Contains(tt.unlike, j.Disk)
			if _, limited := a.Phases[1].Paced[j.Disk]; !limited ||
				!a.Phases[1].Paced[j.Disk].IsPaced() {
				if got := a.Phases[1].Contention.Disks[j.Disk].Reference == ReferenceSolo; got !=
					want {
					t.Errorf("%s, %s against %s: %s's rate alone is its reference: %v, though %s",
						tt.key, tt.again, tt.phase, j.Disk, got, tt.why)
				}
			}
			if got := a.Phases[2].Repeats == "first"; got != (tt.unlike == "") {
				t.Errorf("%s, %s against %s: a repeat: %v, though %s", tt.key, tt.again, tt.phase,
					got, tt.why)
			}
			for _, c := range a.Summary.Contests {
				if len(c.Phases) > 1 && tt.unlike != "" {
					t.Errorf("%s, %s against %s: pooled %v", tt.key, tt.again, tt.phase, c.Phases)
				}
			}
		}
	}
}

// planned is the first phase of a plan of two disks that move 20 files each; of a search, the try
// of three streams.
func planned(t *testing.T, phase string) scenario.Phase {
	t.Helper()
	s, err := scenario.Load("s", []byte(`version: 1
name: s
disks: [{name: A, path: /a, connection: hub}, {name: B, path: /b, connection: hub}]
workload: {preset: random}
phases: [{`+phase+`}]
`))
	if err != nil {
		t.Fatalf("%s: %v", phase, err)
	}
	plan, err := s.Plan()
	if err != nil {
		t.Fatalf("%s: %v", phase, err)
	}
	p := plan.Phases[0]
	if p.Search != nil {
		return p.WithTry(trace.Try{Search: p.Name, Kind: p.Search.Kind, Disk: p.Search.Disk,
			Value: 3}, 1)
	}
	return p
}

// playedOut is a trace of a phase, whatever its work: 20 s at 0.7 GB/s beside another, at twice
// that alone.
func playedOut(p *scenario.Phase) *trace.Phase {
	var disks []*trace.DiskRecord
	for _, j := range p.Jobs {
		disks = append(disks, diskOf(j.Disk, j.Role, 100e6, pace{20, 1.4e9 / float64(len(p.Jobs))}))
	}
	e := p.Event()
	out := tracetest.Phase(p.Name, disks...)
	out.Work, out.Roles, out.Stop, out.Test, out.Connections = e.Work, e.Roles, e.Stop, e.Test,
		e.Connections
	return out
}

// No key of a phase can be forgotten: each is in the table.
func TestWorkKeysAreAll(t *testing.T) {
	known := map[string]bool{}
	for _, k := range workKeys() {
		known[k.key] = true
	}
	properties := func(s map[string]any, path ...string) map[string]any {
		for _, key := range path {
			s, _ = s[key].(map[string]any)
		}
		return s
	}
	keys := properties(scenario.Schema(), "properties", "phases", "items", "properties")
	if len(keys) < 30 {
		t.Fatalf("%d keys of a phase in the schema", len(keys))
	}
	for key := range keys {
		if !known[key] {
			t.Errorf("does %s change what a rate means? Put it into the table of workKeys", key)
		}
	}
	for key := range known {
		if keys[key] == nil {
			t.Errorf("the schema has no key %s", key)
		}
	}
}

// A file of 1 GB alone says nothing of files of 1 MB beside others, nor of their repeats, whether
// the trace has the work or only files.
func TestUnlikeSizes(t *testing.T) {
	for _, written := range []bool{true, false} {
		of := func(name string, size float64, paces ...pace) *trace.Phase {
			var disks []*trace.DiskRecord
			for i, pace := range paces {
				disks = append(disks, diskOf(string(rune('A'+i)), trace.Write, size, pace))
			}
			p := tracetest.Phase(name, disks...)
			p.Work = map[string]work.Work{}
			for _, d := range disks {
				if written {
					p.Work[d.Name] = work.Work{
						Op: trace.Write, Mode: "direct",
						Sizes: work.Sizes{List: []int64{int64(size)}},
					}
				}
			}
			return p
		}
		large, small := of("A", 1e9, pace{30, 2.8e9}),
			of("WW", 1e6, pace{10, 0.2e9}, pace{10, 0.2e9})
		a := Analyze(tracetest.Run(large, small, of("WW-2", 1e9, pace{30, 1.3e9}, pace{30, 1.3e9})),
			Options{})
		if d := a.Phases[1].Contention.Disks["A"]; d.Reference == ReferenceSolo {
			t.Errorf("written down %v: small files are held against large ones: %+v", written, d)
		}
		if d := a.Phases[2].Contention.Disks["A"]; d.Reference != ReferenceSolo {
			t.Errorf("written down %v: large files have no reference: %+v", written, d)
		}
		if len(a.Warnings) != 1 || a.Warnings[0].Code != "unlike_work" ||
			a.Warnings[0].Other != "sizes 1 GB in A, 1 MB in WW" {
			t.Errorf("written down %v: warnings %+v", written, a.Warnings)
		}
		for _, c := range a.Summary.Contests {
			if len(c.Phases) > 1 {
				t.Errorf("written down %v: pooled %v", written, c.Phases)
			}
		}
		// Of phases alone with each, the fitting one is the reference, and nothing is to warn of.
		both := Analyze(tracetest.Run(large, of("A small", 1e6, pace{10, 0.25e9}), small),
			Options{})
		if d := both.Phases[2].Contention.Disks["A"]; d.ReferenceFrom != "A small" ||
			len(both.Warnings) > 0 {
			t.Errorf("written down %v: held against %q, warnings %+v", written, d.ReferenceFrom,
				both.Warnings)
		}
		// About the same sizes are the same, if nothing was written down.
		alike := Analyze(tracetest.Run(large, of("WW", 0.8e9, pace{30, 1.3e9}, pace{30, 1.3e9})),
			Options{})
		if got := alike.Phases[1].Contention.Disks["A"].Reference == ReferenceSolo; got ==
			written || (len(alike.Warnings) == 0) == written {
			t.Errorf("written down %v: 1 GB and 800 MB: reference %v, warnings %v", written, got,
				alike.Warnings)
		}
	}
}

// If no work was written down, phases of one name and other files are no repeats, and that is said;
// if it was, they were meant to differ.
func TestUnlikeRepeats(t *testing.T) {
	of := func(name string, size float64) *trace.Phase {
		return tracetest.Phase(name, diskOf("A", trace.Write, size, pace{10, 0.2e9}),
			diskOf("B", trace.Write, size, pace{10, 0.2e9}))
	}
	a := Analyze(tracetest.Run(of("WW", 1e6), of("WW-2", 200e6), of("WW-3", 1e6)), Options{})
	if a.Phases[1].Repeats != "" || a.Phases[2].Repeats != "WW" {
		t.Errorf("WW-2 repeats %q, WW-3 %q", a.Phases[1].Repeats, a.Phases[2].Repeats)
	}
	if len(a.Warnings) != 1 || a.Warnings[0].Code != "unlike_work" ||
		a.Warnings[0].Other != "sizes 200 MB in WW-2, 1 MB in WW" {
		t.Errorf("warnings %+v", a.Warnings)
	}
}
