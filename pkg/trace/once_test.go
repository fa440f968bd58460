package trace

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/test/check"
)

// recorded is a trace of two phases and two disks as hubbench writes it, a line each, with that
// many files a disk.
func recorded(files int) [][]byte {
	rnd := rand.New(rand.NewPCG(81, 82))
	events := []*Event{{Type: RunType, Version: 1, Name: "pair",
		Disks: []Disk{{Name: "A"}, {Name: "B"}}}}
	for _, phase := range []string{"WW", "RR"} {
		op := map[string]Role{"WW": Write, "RR": Read}[phase]
		events = append(events, &Event{Type: PhaseType, Phase: phase,
			Roles: roles{"A": op, "B": op}})
		events = append(events, &Event{Type: StartType, Phase: phase, Disk: "A", LateNS: 9})
		var at [2]int64
		for i := range 2 * files {
			disk := string(rune('A' + i%2))
			start := at[i%2]
			end := start + 1000 + rnd.Int64N(500)
			at[i%2] = end + rnd.Int64N(3)
			events = append(events,
				&Event{Type: ProgressType, Phase: phase, Disk: disk, Seq: i / 2, Bytes: 40,
					TNS: start + 500},
				&Event{Type: FileType, Phase: phase, Disk: disk, Op: op, Seq: i / 2, Bytes: 100,
					StartNS: start, EndNS: end})
		}
		events = append(events,
			&Event{Type: ErrorType, Phase: phase, Disk: "B", Seq: files, TNS: at[1], Error: "gone"},
			&Event{Type: ProgressType, Phase: phase, Disk: "B", Seq: files, Bytes: 10, TNS: at[1] +
				5},
			&Event{Type: PhaseEndType, Phase: phase, Status: Complete})
	}
	events = append(events, &Event{Type: EndType, Status: Complete})
	lines := make([][]byte, len(events))
	for i, e := range events {
		lines[i] = AppendEvent(nil, e)
	}
	return lines
}

func load(t *testing.T, lines [][]byte) *Run {
	t.Helper()
	run, err := Load(bytes.NewReader(bytes.Join(lines, nil)), "e.jsonl")
	check.Must(t, err)
	return run
}

// Whatever lines of files are doubled, the run is that of the clean trace, except for a warning
// that says how much was left out.
func TestDoubled(t *testing.T) {
	const files = 100
	const leftOut = "repeated file lines, and files that overlap others of a disk that moved one at a time: "
	clean := recorded(files)
	var twice [][]byte
	for _, line := range clean {
		twice = append(twice, line)
		if bytes.HasPrefix(line, []byte(`{"type":"file"`)) {
			twice = append(twice, line)
		}
	}
	without := func(lines [][]byte, prefix string) [][]byte {
		return slices.DeleteFunc(slices.Clone(lines), func(l []byte) bool {
			return bytes.HasPrefix(l, []byte(prefix))
		})
	}
	bare := without(without(without(clean, `{"type":"p`), `{"type":"run`), `{"type":"e`)
	tests := []struct {
		name        string
		clean, with [][]byte
		want        []string
	}{
		{"every file line", clean, twice, []string{
			leftOut + "400 are left out (phase WW, disk A: 100; " +
				"phase WW, disk B: 100; phase RR, disk A: 100; phase RR, disk B: 100)"}},
		{"file lines alone", bare, slices.Concat(bare, bare), []string{
			"no run line: disks taken from the events",
			leftOut + "400 are left out (phase WW, disk A: 100; " +
				"phase WW, disk B: 100; phase RR, disk A: 100; phase RR, disk B: 100)"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			want, got := load(t, tt.clean), load(t, tt.with)
			check.Same(t, "warnings", tt.want, got.Warnings)
			want.Warnings, got.Warnings = nil, nil
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("run (-clean +doubled):\n%s", diff)
			}
		})
	}
}

// inTurn is n files one after the other, of 100 ns and 10 bytes, numbered from first on.
func inTurn(n, first int, startNS int64) []File {
	files := make([]File, n)
	for i := range files {
		files[i] = File{Seq: first + i, Bytes: 10, StartNS: startNS + int64(i)*100, EndNS: startNS +
			int64(i+1)*100}
	}
	return files
}

func TestOnce(t *testing.T) {
	one := func(seq int, startNS, endNS int64) []File {
		return []File{{Seq: seq, Bytes: 7, StartNS: startNS, EndNS: endNS}}
	}
	lanes := func(n int, seq func(lane, i int) int) (files []File) {
		for lane := range 4 {
			for i, f := range inTurn(n, 0, int64(lane)*17) {
				f.Seq = seq(lane, i)
				files = append(files, f)
			}
		}
		slices.SortStableFunc(files, byStart)
		return files
	}
	numbered := lanes(50, func(lane, i int) int { return 4*i + lane })
	unnumbered := lanes(50, func(int, int) int { return 0 })
	ring := inTurn(100, 0, 0)
	for i := range ring {
		ring[i].Seq = i % 50
	}
	clean := inTurn(100, 0, 0)
	tests := []struct {
		name  string
		files []File
		want  []File
		left  int
	}{
		{"none", nil, nil, 0},
		{"in turn", clean, clean, 0},
		{"out of order", slices.Concat(clean[50:], clean[:50]), clean, 0},
		{"numbers come round", ring, ring, 0},
		{"a line thrice", slices.Concat(clean, clean[7:8], clean[7:8]), clean, 2},
		{"unusable lines too", slices.Concat(clean[:9], one(9, 900, 900), one(9, 900, 900)),
			slices.Concat(clean[:9], one(9, 900, 900)), 1},
		{"numbered lanes", numbered, numbered, 0},
		{"lanes without numbers", unnumbered, unnumbered, 0},
		{"rounded times", slices.Concat(clean[:50], one(200, 4960, 5000), clean[50:]),
			slices.Concat(clean[:49], clean[49:50], clean[50:]), 1},
		{"a touch", slices.Concat(clean[:99], one(99, 9890, 9990)),
			slices.Concat(clean[:99], one(99, 9890, 9990)), 0},
		{"a short one within another", slices.Concat(clean, one(100, 4010, 4080)), clean, 1},
		{"a long one over many", slices.Concat(clean, one(100, 1950, 8050)), clean, 1},
		{"five in a hundred", slices.Concat(clean[:95], inTurn(5, 100, 4030)), clean[:95], 5},
		{"six in a hundred", slices.Concat(clean[:94], inTurn(6, 100, 4030)), nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			files := once(slices.Clone(tt.files))
			check.Same(t, "left out", tt.left, len(tt.files)-len(files))
			if tt.want == nil { // all stay
				if len(files) != len(tt.files) {
					t.Errorf("%d files, want all %d", len(files), len(tt.files))
				}
				return
			}
			check.Same(t, "files", tt.want, files)
		})
	}
}

// However many lines are repeated, and in whatever order: the clean trace is left.
func TestOnceAtRandom(t *testing.T) {
	rnd := rand.New(rand.NewPCG(83, 84))
	for trial := range 200 {
		clean := inTurn(40+rnd.IntN(200), 0, 0)
		var at int64
		for i := range clean {
			clean[i].StartNS, clean[i].EndNS = at, at+50+rnd.Int64N(200)
			at = clean[i].EndNS + rnd.Int64N(10)
		}
		files := slices.Clone(clean)
		for range rnd.IntN(len(clean) / 2) { // the same lines
			files = append(files, clean[rnd.IntN(len(clean))])
		}
		if rnd.IntN(2) == 0 {
			rnd.Shuffle(len(files)-len(clean), func(i, j int) {
				i, j = i+len(clean), j+len(clean)
				files[i], files[j] = files[j], files[i]
			})
		}
		kept := once(files)
		if diff := cmp.Diff(clean, kept); diff != "" {
			t.Fatalf("trial %d (-clean +got):\n%s", trial, diff)
		}
	}
}
