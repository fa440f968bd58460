package fusetest

import (
	"fmt"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/trace"
)

// TestMain fails if a goroutine outlives the tests.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const mb = 1e6

// even is a hub of two disks that share 100 MB/s in each direction and 150 MB/s in all.
func even() *hub.Profile {
	side := hub.Side{
		Hub: 80 * mb, Direct: 80 * mb, Weight: 1,
		PerFile: time.Second, Knee: hub.Knee{AboveBytes: 1, Factor: 0.1},
	}
	lag := []time.Duration{2 * time.Second}
	return &hub.Profile{
		Name: "even", Noise: 0.3,
		Capacity: hub.Capacity{
			Read: 100 * mb, Write: 100 * mb, Both: 150 * mb, ReadWeight: 1, WriteWeight: 1,
		},
		Lags: hub.Lags{WriteAfterWrite: lag, ReadAfterRead: lag, ReadAfterWrite: lag},
		Disks: []hub.DiskModel{{Name: "A", Read: side, Write: side},
			{Name: "B", Read: side, Write: side}},
	}
}

// bench is a pacer with a clock of the test's.
type bench struct {
	*pacer
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
	b.pacer = newPacer(even(), func() int64 { return b.nowNS })
	return b
}

// at goes on to so many seconds after the beginning, and returns the requests that have ended on
// the way with the milliseconds of their ends.
func (b *bench) at(seconds float64) map[string]int64 {
	ends := map[string]int64{}
	for to := int64(7e9 + seconds*1e9); b.nowNS < to; {
		b.nowNS = min(b.nowNS+int64(time.Millisecond), to)
		b.serve()
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

func (b *bench) wants(name, disk string, op trace.Role, megabytes int64) {
	b.t.Helper()
	moved, err := b.ask(disk, op, megabytes*mb)
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
	b.wants("first", "A", trace.Read, 8)
	b.wants("second", "A", trace.Read, 16)
	b.want(1, map[string]int64{"first": 100, "second": 300})
	if wait, ok := b.serve(); ok {
		t.Errorf("with nothing to do, it wants to look again in %s", wait)
	}
	b.wants("third", "A", trace.Write, 8) // it had left
	b.want(2, map[string]int64{"third": 1100})
}

// Two share, and whoever stays keeps its share for the lag.
func TestPacerShares(t *testing.T) {
	b := newBench(t)
	b.wants("A", "A", trace.Write, 50)
	b.wants("B1", "B", trace.Write, 100) // 50 until A has ended at 1 s, and for 2 s on
	b.wants("B2", "B", trace.Write, 50)
	b.wants("B3", "B", trace.Write, 80)
	b.want(10, map[string]int64{"A": 1000, "B1": 2000, "B2": 3000, "B3": 4000})
}

// A disk that reads what it has just written has not left: nobody is held.
func TestPacerTurns(t *testing.T) {
	b := newBench(t)
	b.wants("A writes", "A", trace.Write, 50)
	b.wants("B1", "B", trace.Write, 50)
	b.wants("B2", "B", trace.Write, 90) // 75 MB/s beside what A reads, and while that may go on
	b.want(1, map[string]int64{"A writes": 1000, "B1": 1000})
	b.wants("A reads", "A", trace.Read, 75)
	b.want(5, map[string]int64{"A reads": 2000, "B2": 2200})
}

// A disk that notes something when it has read has left all the same, and whoever stays is held.
func TestPacerNotes(t *testing.T) {
	b := newBench(t)
	b.wants("A reads", "A", trace.Read, 75)
	b.wants("B1", "B", trace.Read, 75)
	b.want(1.5, map[string]int64{"A reads": 1500, "B1": 1500})
	b.wants("A notes", "A", trace.Write, 1)
	// At 50 MB/s until A has been away for the lag, but for the note.
	b.wants("B2", "B", trace.Read, 100)
	b.want(5, map[string]int64{"A notes": 1514, "B2": 3503})
}

func TestPacerUnknownDisk(t *testing.T) {
	if _, err := newBench(t).ask("Z", trace.Read, 1); err == nil {
		t.Error("no error for a disk that the profile has not")
	}
}

// A hub slowed down takes as long for as much less, and the profile itself stays.
func TestScaled(t *testing.T) {
	profile := even()
	profile.Disks[1].Cache = &hub.Cache{Bytes: 500 * mb, After: 20 * mb, Refill: 5 * mb}
	ends := func(p *hub.Profile, bytes int64) []hub.Grant {
		s := hub.NewSim(plain(p))
		for _, disk := range []string{"A", "B"} {
			work := hub.Work{Op: trace.Write, Sizes: []int64{bytes}}
			check.Must(t, s.Join(disk, work, 0))
			check.Must(t, s.Ask(disk, bytes))
		}
		return s.Advance(int64(time.Hour))
	}
	full, part := ends(profile, 1000*mb), ends(Scaled(profile, 0.25), 250*mb)
	for i := range full {
		full[i].Bytes /= 4
	}
	check.Same(t, "a quarter of the hub", full, part)
	knee := Scaled(&hub.Profile{Disks: []hub.DiskModel{{Read: hub.Side{Knee: hub.Knee{AboveBytes: 8}}}}},
		0.25)
	check.Same(t, "the size of the knee", int64(2), knee.Disks[0].Read.Knee.AboveBytes)
	if profile.Disks[1].Cache.Bytes != 500*mb || profile.Capacity.Read != 100*mb {
		t.Error("the profile itself has changed")
	}
}
