package diskio

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

func TestAppMovesAFileInOneCall(t *testing.T) {
	sizes := []int64{1, 100_000, appBytes, 3*appBytes + 12345}
	for _, role := range []trace.Role{trace.Write, trace.Read} {
		t.Run(string(role), func(t *testing.T) {
			sys, log := noting()
			job := newJob(t.TempDir(), role, sizes...)
			job.IO.Mode = "app"
			engine, eff := prepared(t, job, sys)
			limit := sizes[3]
			if !oneCall {
				limit = appBytes
			}
			if eff.Engine != "app" || eff.Cache != "buffered" || eff.Block != limit ||
				eff.Depth != 1 {
				t.Errorf("Prepare() = %+v, want calls of at most %d bytes through the cache", eff,
					limit)
			}
			if len(eff.Warnings) > 0 && runtime.GOOS == "linux" {
				t.Errorf("warnings = %q, want none", eff.Warnings)
			}
			*log = nil
			started(engine)
			for seq, size := range sizes {
				if span, err := engine.Transfer(t.Context(), seq, nil); err != nil ||
					span.Bytes != size {
					t.Fatalf("Transfer(%d) = %+v, %v", seq, span, err)
				}
				info, err := os.Stat(filepath.Join(engine.folder.Path, record{Number: seq}.Name()))
				if err != nil || info.Size() != size {
					t.Errorf("file %d: %v, %v, want %d bytes", seq, info, err, size)
				}
			}
			for i, call := range *log {
				if call.op != role || call.n != sizes[i] || len(*log) != len(sizes) {
					t.Errorf("got the calls %v, want one for each of %d bytes", *log, sizes)
				}
			}
		})
	}
}

// Beyond what one call takes there are several, and the content goes on where it was.
func TestAppCallsForTheLargestFiles(t *testing.T) {
	m := newCalls(make([]byte, appBytes), []int64{5e9})
	var total int64
	for off, size := int64(0), int64(5e9); size > 0; {
		list := m.pieces(off, min(size, maxRequest))
		n := lengthOf(list)
		if &list[0][0] != &m.buf[off%appBytes] {
			t.Errorf("the call at %d begins elsewhere in the period", off)
		}
		off, size, total = off+n, size-n, total+n
	}
	check.Same(t, "bytes of all calls", int64(5e9), total)
}

// What an earlier phase has left in the cache, flushed or not, is out of it before it is read.
func TestWhatIsReadIsNotInTheCache(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("elsewhere the cache does not say what it holds, or not after this")
	}
	for _, mode := range []string{scenario.ModeDirect, scenario.ModeApp} {
		dir := t.TempDir()
		write := newJob(dir, trace.Write, 5<<20)
		write.IO.Mode, write.IO.Flush, write.CarryOver = scenario.ModeApp, scenario.FlushNone,
			write.Sizes
		engine, _ := prepared(t, write, systems["threads"])
		started(engine)
		moved(t, engine, 0)
		closeEngine(t, engine)
		read := newJob(dir, trace.Read, 5<<20)
		read.IO.Mode = mode
		engine, _ = prepared(t, read, systems["threads"])
		if got := engine.next.cached(5 << 20); got != 0 || engine.next.Number != 0 {
			t.Errorf("%s: the cache holds %d bytes of file %d, want none of file 0", mode, got,
				engine.next.Number)
		}
	}
}
