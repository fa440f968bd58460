package work

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/stream"
)

// full is a work that was written down, of files that are drawn.
func full() Work {
	return Work{
		Op: Write, Sizes: Sizes{Min: 2e6, Max: 2e9}, Order: Random, Mode: "direct", Block: 8 << 20,
		Depth: 4, Access: "sequential", Flush: "full", Verify: "off",
		Preallocate: true,
	}
}

// Each field of a work that is changed alone makes it another, by one key that has words for both;
// no field is forgotten.
func TestDiffers(t *testing.T) {
	type change struct {
		key    Key
		change func(*Work)
	}
	changes := map[string]change{
		"Op":      {KeyOp, func(w *Work) { w.Op, w.Flush, w.Preallocate = Read, "", false }},
		"Test":    {KeyTest, func(w *Work) { w.Test = "SEQ1M" }},
		"Sizes":   {KeySizes, func(w *Work) { w.Sizes = Sizes{List: []int64{1e6}} }},
		"Order":   {KeyOrder, func(w *Work) { w.Order = Ascending }},
		"OneFile": {KeyTest, func(w *Work) { w.OneFile = true }},
		"Cap":     {KeyTest, func(w *Work) { w.Cap = time.Second }},
		"Rest":    {KeyTest, func(w *Work) { w.Rest = time.Second }},
		"Pace":    {KeyPace, func(w *Work) { w.Pace = 1e8 }},
		"Reads":   {KeyMix, func(w *Work) { w.Reads = 0.3 }},
		"Streams": {KeyStreams, func(w *Work) {
			w.Streams = []stream.Spec{{Kind: "hq", Count: 2}}
		}},
		"Probe": {KeyProbe, func(w *Work) { w.Probe = 4096 }},
		"Every": {KeyProbe, func(w *Work) { w.Probe, w.Every = 4096, time.Second }},
	}
	for field := range reflect.TypeFor[Work]().Fields() {
		_, known := changes[field.Name]
		switch key := Key(field.Tag.Get("key")); {
		case key != "":
			changes[field.Name] = change{key, func(w *Work) {
				switch v := reflect.ValueOf(w).Elem().FieldByIndex(field.Index); v.Kind() {
				case reflect.String:
					v.SetString("another")
				case reflect.Bool:
					v.SetBool(!v.Bool())
				case reflect.Float64:
					v.SetFloat(1 - v.Float())
				default:
					v.SetInt(1e9 - v.Int())
				}
			}}
		case !known && field.Name != "Seen":
			t.Errorf("what does %s change?", field.Name)
		}
	}
	for name, tt := range changes {
		w, o := full(), full()
		tt.change(&o)
		if got := w.Differs(o); !slices.Equal(got, []Key{tt.key}) || w.Same(o) || o.Same(w) ||
			!w.SameBut(o, tt.key) {
			t.Errorf("%s: differs by %v, want %s", name, got, tt.key)
		}
		if a, b := w.Value(tt.key), o.Value(tt.key); a == "" || b == "" || a == b {
			t.Errorf("%s: %q and %q", name, a, b)
		}
		var read Work
		if data, err := json.Marshal(o); err != nil || json.Unmarshal(data, &read) != nil ||
			cmp.Diff(o, read) != "" {
			t.Errorf("%s: %s, %v: %s", name, data, err, cmp.Diff(o, read))
		}
		if !o.Same(o) {
			t.Errorf("%s: it is not itself", name)
		}
		var paced Paced // by which an analysis that is read again knows what is limited
		if data, err := json.Marshal(PacedOf(map[string]Work{"A": o})); err != nil ||
			json.Unmarshal(data, &paced) != nil ||
			paced["A"].IsPaced() != o.IsPaced() || o.IsPaced() != (tt.key.Limits() && !o.Same(w)) {
			t.Errorf("%s: limited %v, by the key %v, and as %s %v", name, o.IsPaced(),
				tt.key.Limits(), data, paced["A"].IsPaced())
		}
	}
	old := full()
	old.Mode = ""
	check.Same(t, "written down and not", []Key{KeyUnknown}, full().Differs(old))
}

// The words of a work, in the order in which tables that are kept already have them.
func TestText(t *testing.T) {
	w := full()
	w.Footprint = 2 << 30
	w.Fill = 0.5
	w.WarmUp = 3
	check.Same(t, "text", "sizes 2 MB to 2 GB, order random, io direct, block 8 MiB, depth 4, "+
		"access sequential, flush full, preallocate true, verify off, footprint 2.15 GB, "+
		"precondition 50%, warm_up 3", w.Text())
	w = Work{Mode: "direct", Verify: "off"}
	check.Same(t, "zeros", []string{"no limit", "none", "0 B"},
		[]string{w.Value("footprint"), w.Value("precondition"), w.Value("block")})
}

// Sizes that were seen are those of another phase if both may be drawn from one range.
func TestSeen(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	type draw struct {
		files        int
		lower, upper float64
		logarithmic  bool
	}
	seen := func(d draw) *Seen {
		sizes := make([]int64, d.files)
		for i := range sizes {
			at := rnd.Float64()
			if sizes[i] = int64(d.lower + at*(d.upper-d.lower)); d.logarithmic {
				sizes[i] = int64(d.lower * math.Exp(at*math.Log(d.upper/d.lower)))
			}
		}
		return See(sizes, 1, 3)
	}
	const runs = 500
	for _, tt := range []struct {
		a, b         draw
		lower, upper int // of the runs in which they are alike
	}{
		{draw{50, 2e6, 2e9, false}, draw{30, 2e6, 2e9, false}, runs - 3, runs},
		{draw{8, 2e6, 2e9, false}, draw{100, 2e6, 2e9, false}, runs - 3, runs},
		{draw{30, 2e6, 2e9, true}, draw{30, 2e6, 2e9, true}, runs - 3, runs},
		{draw{20, 1e9, 1e9, false}, draw{20, 1e6, 1e6, false}, 0, 0},
		{draw{1, 1e9, 1e9, false}, draw{20, 1e6, 1e6, false}, 0, 0},
		{draw{20, 1e9, 1e9, false}, draw{20, 6e8, 6e8, false}, runs, runs},
		{draw{50, 2e6, 2e9, false}, draw{50, 2e6, 2e7, false}, 0, 0},
		{draw{50, 2e6, 2e9, false}, draw{50, 2e6, 2e9, true}, 0, runs / 10},
	} {
		alike := 0
		for range runs {
			if a, b := seen(tt.a), seen(tt.b); a.sameSizes(b) {
				alike++
			}
		}
		if alike < tt.lower || alike > tt.upper {
			t.Errorf("%+v and %+v: alike in %d of %d", tt.a, tt.b, alike, runs)
		}
	}
	for _, tt := range []struct {
		sizes []int64
		want  string
	}{
		{[]int64{1, 2, 3, 4, 5, 6}, Ascending}, {[]int64{6, 6, 5, 4, 3, 2, 1}, Descending},
		{[]int64{1, 2, 3, 4, 5}, ""}, {[]int64{7, 7, 7, 7, 7, 7, 1}, ""},
		{[]int64{1, 2, 3, 4, 6, 5}, ""}, {nil, ""},
	} {
		check.Same(t, fmt.Sprint(tt.sizes), tt.want, See(tt.sizes, 1, 3).order)
	}
	// A log of bytes by time has slices of it for files: their bytes are its rate.
	fast, slow := See([]int64{1e9, 2e9, 1e9}, 1e9, 1.01e9),
		See([]int64{1e6, 2e6, 3e6}, 1.01e9, 1.01e9)
	if !fast.sameSizes(slow) || fast.sameSizes(See([]int64{1e6, 2e6, 3e6}, 1e6, 1e6)) {
		t.Error("slices of one length are alike, and others are not")
	}
	if fast.sameSizes(nil) || fast.sameSizes(See(nil, 0, 0)) {
		t.Error("alike to nothing")
	}
}

func TestPaced(t *testing.T) {
	all := map[string]Work{
		"A": full(), "B": {Pace: 5}, "C": {Probe: 4096}, "D": {Reads: 0.5},
		"E": {Streams: []stream.Spec{{Count: 1}}},
	}
	data, err := json.Marshal(PacedOf(all))
	check.Must(t, err)
	var got Paced
	check.Must(t, json.Unmarshal(data, &got))
	delete(all, "A")
	check.Same(t, string(data), Paced(all), got)
	if PacedOf(map[string]Work{"A": full()}) != nil {
		t.Error("A goes as fast as it can")
	}
}

// doing is the disks A, B, C ... and what each does, a letter per disk.
func doing(letters string) (disks []string, all map[string]Work) {
	all = map[string]Work{}
	for i, letter := range letters {
		disk := string(rune('A' + i))
		disks = append(disks, disk)
		switch letter {
		case 'W':
			all[disk] = Work{Op: Write}
		case 'R':
			all[disk] = Work{Op: Read}
		case 'S':
			all[disk] = Work{Op: Read, Streams: []stream.Spec{{Count: 4}}}
		case 'P':
			all[disk] = Work{Op: Read, Probe: 4096}
		default:
			all[disk] = Work{Op: Idle}
		}
	}
	return disks, all
}

func TestWho(t *testing.T) {
	for letters, want := range map[string]string{
		"W": "A writes", "WW": "A and B write", "WR": "A writes, B reads",
		"WWW": "all write", "RRR": "all read", "W--": "A writes", "W-W": "A and C write",
		"WRR": "A writes, B and C read", "RRW": "A and B read, C writes",
		"WR-":  "A writes, B reads",
		"RWWW": "A reads, the rest write", "RRRRRWRRRRRR": "F writes, the rest read",
		"RRRWWW":       "A, B and C read, the rest write",
		"WWWWWWWWWWW-": "all but L write", "WW----------": "A and B write",
		"SPW": "A plays 4 streams, C writes, B is probed", "---": "",
	} {
		disks, all := doing(letters)
		check.Same(t, letters, want, Who(disks, all))
	}
}

// Names that are only patterns, or what studies once called their phases, are shown as who does
// what; chosen names stay.
func TestTitle(t *testing.T) {
	for _, tt := range []struct{ letters, name, want string }{
		{"WWW", "WWW", "all write"},
		{"WWW", "WWW-2", "all write (2)"},
		{"WWW", "WWW-2-1 SEQ1M QD8", "all write (2-1), SEQ1M QD8"},
		{"WWW", "WWW direct-2", "all write, direct-2"},
		{"RRW", "WRR", "A and B read, C writes"}, // order: [C, A, B]
		{"W--", "W-- direct", "A writes, direct"},
		{"W--", "W---2", "A writes (2)"},
		{"W--", "W", "A writes"}, // imported: of the working disks alone
		{"W--", "A W", "A writes"},
		{"W-W", "A+C W-3", "A and C write (3)"},
		{"W-R", "A W, C R", "A writes, C reads"},
		{"WRR", "A W, rest R", "A writes, B and C read"},
		{"WWW", "all W", "all write"},
		{"WWW", "all W direct", "all write, direct"},
		{"WWW", "all write-2", "all write (2)"},
		{"WRR", "A writes, B and C read", "A writes, B and C read"},
		{"SW", "RW streams", "A plays 4 streams, B writes"},
		{"WWW", "race", "race"},
		{"WWW", "RRR", "RRR"}, // says what is not so
		{"WWW", "A W", "A W"},
		{"WWW", "WWWide", "WWWide"},
		{"W--", "A W, then rest", "A W, then rest"},
		{"WWW", "", ""},
	} {
		disks, all := doing(tt.letters)
		check.Same(t, tt.letters+", "+tt.name, tt.want, Title(tt.name, disks, all))
	}
	disks, all := doing(strings.Repeat("WR", 20))
	check.Same(t, "of 40 disks", strings.Repeat("WR", 20),
		Title(strings.Repeat("WR", 20), disks, all))
}
