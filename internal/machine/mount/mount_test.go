package mount

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/trace"
)

// TestMain fails if a goroutine outlives the tests.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Folders in one another are refused, whatever links say so, and folders beside one another are not.
func TestCheckNested(t *testing.T) {
	root := t.TempDir()
	at := func(names ...string) string { return filepath.Join(append([]string{root}, names...)...) }
	for _, dir := range []string{"hub", "files", "hubs"} {
		check.Must(t, os.Mkdir(at(dir), 0o700))
	}
	for _, link := range [][2]string{{at("hub"), at("link")}, {at("hub", "A"), at("files", "A")}, {at("hubs", "B"), at("hubs", "A")}} {
		if err := os.Symlink(link[0], link[1]); err != nil {
			t.Skip(err)
		}
	}
	for _, tc := range []struct{ dir, backing, want string }{
		{at("hub"), at("hub"), "keep its files in itself"},
		{at("hub"), at("hub", "in", "it"), "keep its files in itself"},
		{at("new", "in"), at("new"), "keep its files in itself"},
		{at("link"), at("hub"), "keep its files in itself"},
		{at("hub"), at("link", "new"), "keep its files in itself"},
		{at("hub"), at("files"), "keep its files in itself"}, // by the link of disk A, which leads nowhere yet
		{at("hub"), at("hubs"), "the files of A and B would lie in one another"},
		{at("hub"), at("new"), ""},
		{at("hub"), at("hub-behind"), ""},
		{at("hub"), "", ""},
	} {
		o := Options{Profile: even(), Dir: tc.dir, Backing: tc.backing}
		what := fmt.Sprintf("%s, files in %s", tc.dir, tc.backing)
		if err := o.Check(); tc.want != "" {
			check.Refused(t, what, err, tc.want)
		} else if err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// A disk of 80 MB/s may be slowed down to 20 MB/s.
func TestSlowed(t *testing.T) {
	for part, want := range map[float64]string{
		0.25: "", 1: "", 0.24: "disk A would move less than 20.0 MB/s, and its requests look like those of a disk that hangs; try 0.25 or more",
		1e-9: "try 0.25 or more", 0: "must be above 0 and up to 1", 1.5: "must be above 0 and up to 1",
	} {
		got, err := Slowed(even(), part)
		switch {
		case want == "" && (err != nil || got.Disks[0].Read.Hub != part*80*mb):
			t.Errorf("%g: %v, %v", part, got, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%g: got %v, want %s", part, err, want)
		}
	}
	slow := &hub.Profile{Disks: []hub.Disk{{Name: "A", Read: hub.Side{Hub: 1 * mb}, Write: hub.Side{Hub: 1 * mb}}}}
	if _, err := Slowed(slow, 1); err != nil {
		t.Errorf("as slow as its profile says: %v", err)
	}
}

func TestParseFault(t *testing.T) {
	for _, tc := range []struct {
		text string
		want Fault
		fail string // what the mistake is
	}{
		{"A:eio@2GB", Fault{Disk: "A", Kind: EIO, AtBytes: 2e9}, ""},
		{"B:enospc", Fault{Disk: "B", Kind: ENOSPC}, ""},
		{"A:stall=3s@10s", Fault{Disk: "A", Kind: Stall, For: 3 * time.Second, After: 10 * time.Second}, ""},
		{"A:stall=3s@1MiB", Fault{Disk: "A", Kind: Stall, For: 3 * time.Second, AtBytes: 1 << 20}, ""},
		{"A:vanish@90s", Fault{Disk: "A", Kind: Vanish, After: 90 * time.Second}, ""},
		{"A:short", Fault{Disk: "A", Kind: Short}, ""},
		{"A:corrupt", Fault{Disk: "A", Kind: Corrupt}, ""},
		{"A:slowsync=500ms", Fault{Disk: "A", Kind: SlowSync, For: 500 * time.Millisecond}, ""},
		{"eio", Fault{}, `write it as DISK:KIND, such as A:eio@2GB`},
		{"Z:eio", Fault{}, `the profile has no disk "Z"; it has A, B`},
		{"A:fire", Fault{}, `no fault is called "fire"; there are eio, enospc, stall, vanish, short, corrupt, slowsync`},
		{"A:stall", Fault{}, `it needs a time, such as stall=500ms`},
		{"A:stall=0s", Fault{}, `a time must be above zero`},
		{"A:eio=3s", Fault{}, `eio takes no time`},
		{"A:eio@", Fault{}, `"" after @ is neither a size above zero, such as 2GB, nor a time, such as 30s`},
		{"A:eio@soon", Fault{}, `"soon" after @ is neither a size above zero, such as 2GB, nor a time, such as 30s`},
		{"A:eio@-1GB", Fault{}, `"-1GB" after @ is neither a size above zero, such as 2GB, nor a time, such as 30s`},
	} {
		got, err := ParseFault(tc.text, []string{"A", "B"})
		check.Same(t, tc.text, tc.want, got)
		if (err == nil) != (tc.fail == "") || err != nil && err.Error() != fmt.Sprintf("fault %q: %s", tc.text, tc.fail) {
			t.Errorf("%s: got error %v, want %s", tc.text, err, tc.fail)
		}
	}
}

// A fault begins when it is said to, on its own disk, and a stall ends.
func TestFaultsBegin(t *testing.T) {
	var nowNS int64 = 5e9
	now := func() int64 { return nowNS }
	all := []Fault{
		{Disk: "A", Kind: EIO, AtBytes: 100},
		{Disk: "A", Kind: Vanish, After: 10 * time.Second},
		{Disk: "A", Kind: Stall, For: 3 * time.Second, AtBytes: 50},
		{Disk: "B", Kind: Short},
	}
	a, b := newFaults("A", all, now), newFaults("B", all, now)
	check := func(f *faults, kind Kind, want bool) {
		t.Helper()
		if _, got := f.has(kind); got != want {
			t.Errorf("%s: got %t, want %t", kind, got, want)
		}
	}
	check(b, Short, true)
	check(a, Short, false)
	a.moved.Add(50)
	if left := a.stalls(); left != 0 {
		t.Errorf("it stands still for %s before its time", left)
	}
	a.moved.Add(50)
	check(a, EIO, false)
	for _, want := range []time.Duration{3 * time.Second, 2 * time.Second, time.Second, 0, 0} {
		if left := a.stalls(); left != want {
			t.Errorf("it stands still for %s, want %s", left, want)
		}
		nowNS += 1e9
	}
	a.moved.Add(1)
	check(a, EIO, true)
	check(a, Vanish, false)
	nowNS = 15e9
	check(a, Vanish, true)
	check(b, EIO, false)
}

const mb = 1e6

// even is a hub of two disks that share 100 MB/s in each direction and 150 MB/s in all.
func even() *hub.Profile {
	side := hub.Side{Hub: 80 * mb, Direct: 80 * mb, Weight: 1, PerFile: time.Second, Knee: hub.Knee{AboveBytes: 1, Factor: 0.1}}
	return &hub.Profile{
		Name: "even", Noise: 0.3,
		Capacity: hub.Capacity{Read: 100 * mb, Write: 100 * mb, Both: 150 * mb, ReadWeight: 1, WriteWeight: 1},
		Lags:     hub.Lags{WriteAfterWrite: []time.Duration{2 * time.Second}, ReadAfterRead: []time.Duration{2 * time.Second}, ReadAfterWrite: []time.Duration{2 * time.Second}},
		Disks:    []hub.Disk{{Name: "A", Read: side, Write: side}, {Name: "B", Read: side, Write: side}},
	}
}

// bench is a pacer with a clock of the test's.
type bench struct {
	*Pacer
	t     *testing.T
	nowNS int64
	asked []asked
}

type asked struct {
	name  string
	moved <-chan struct{}
}

func newBench(t *testing.T) *bench {
	b := &bench{t: t, nowNS: 7e9}
	b.Pacer = NewPacer(even(), func() int64 { return b.nowNS })
	return b
}

// at goes on to so many seconds after the beginning, and returns the requests that have ended on the way with the
// milliseconds of their ends.
func (b *bench) at(seconds float64) map[string]int64 {
	ends := map[string]int64{}
	for to := int64(7e9 + seconds*1e9); b.nowNS < to; {
		b.nowNS = min(b.nowNS+int64(time.Millisecond), to)
		b.Serve()
		for i := 0; i < len(b.asked); {
			select {
			case <-b.asked[i].moved:
				ends[b.asked[i].name] = (b.nowNS - 7e9) / 1e6
				b.asked = append(b.asked[:i], b.asked[i+1:]...)
			default:
				i++
			}
		}
	}
	return ends
}

func (b *bench) ask(name, disk string, op trace.Role, megabytes int64) {
	b.t.Helper()
	moved, err := b.Ask(disk, op, megabytes*mb)
	check.Must(b.t, err)
	b.asked = append(b.asked, asked{name, moved})
}

func (b *bench) want(seconds float64, want map[string]int64) {
	b.t.Helper()
	check.Same(b.t, fmt.Sprintf("ends by %g s, in ms", seconds), want, b.at(seconds))
}

// A disk moves 80 MB/s alone, whatever its files are like; its requests follow one another.
func TestPacerAlone(t *testing.T) {
	b := newBench(t)
	b.ask("first", "A", trace.Read, 8)
	b.ask("second", "A", trace.Read, 16)
	b.want(1, map[string]int64{"first": 100, "second": 300})
	if wait, ok := b.Serve(); ok {
		t.Errorf("with nothing to do, it wants to look again in %s", wait)
	}
	b.ask("third", "A", trace.Write, 8) // it had left
	b.want(2, map[string]int64{"third": 1100})
}

// Two share, and whoever stays keeps its share for the lag.
func TestPacerShares(t *testing.T) {
	b := newBench(t)
	b.ask("A", "A", trace.Write, 50)
	b.ask("B1", "B", trace.Write, 100) // 50 until A has ended at 1 s, and for 2 s on
	b.ask("B2", "B", trace.Write, 50)
	b.ask("B3", "B", trace.Write, 80)
	b.want(10, map[string]int64{"A": 1000, "B1": 2000, "B2": 3000, "B3": 4000})
}

// A disk that reads what it has just written has not left: nobody is held.
func TestPacerTurns(t *testing.T) {
	b := newBench(t)
	b.ask("A writes", "A", trace.Write, 50)
	b.ask("B1", "B", trace.Write, 50)
	b.ask("B2", "B", trace.Write, 90) // 75 MB/s beside what A reads, and while that may go on
	b.want(1, map[string]int64{"A writes": 1000, "B1": 1000})
	b.ask("A reads", "A", trace.Read, 75)
	b.want(5, map[string]int64{"A reads": 2000, "B2": 2200})
}

// A disk that notes something when it has read has left all the same, and whoever stays is held.
func TestPacerNotes(t *testing.T) {
	b := newBench(t)
	b.ask("A reads", "A", trace.Read, 75)
	b.ask("B1", "B", trace.Read, 75)
	b.want(1.5, map[string]int64{"A reads": 1500, "B1": 1500})
	b.ask("A notes", "A", trace.Write, 1)
	b.ask("B2", "B", trace.Read, 100) // at 50 MB/s until A has been away for the lag, but for the note
	b.want(5, map[string]int64{"A notes": 1514, "B2": 3505})
}

func TestPacerUnknownDisk(t *testing.T) {
	if _, err := newBench(t).Ask("Z", trace.Read, 1); err == nil {
		t.Error("no error for a disk that the profile has not")
	}
}
