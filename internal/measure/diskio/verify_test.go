package diskio

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/internal/measure/testfolder"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

func TestCheck(t *testing.T) {
	const unit = dataUnit
	ours := stamper{tag: tagOf("r1", "B"), file: 3, unit: unit}
	stampedBy := func(s stamper) func([]byte) {
		return func(p []byte) { s.put(p[:unit], 1<<20, 0) }
	}
	for _, tt := range []struct {
		name   string
		change func(p []byte)
		want   string // what a check says; empty: nothing
		at     int64
		noise  bool // a check of stamps alone says nothing
	}{
		{"as written", func([]byte) {}, "", 0, false},
		{"zeros", func(p []byte) { clear(p[2*unit : 3*unit]) }, "got zeros", 2 * unit, false},
		{"a flipped bit in a stamp", func(p []byte) {
			p[unit+3] ^= 4
		}, "got no stamp but", unit, false},
		{"a flipped bit in the noise", func(p []byte) { p[unit+1001] ^= 4 }, "got something else",
			unit + 1001, true},
		{"a flipped bit in the last byte", func(p []byte) {
			p[len(p)-1] ^= 4
		}, "got something else",
			4*unit - 1, true},
		{"another place of the file", func(p []byte) { copy(p[unit:2*unit], p[3*unit:]) },
			"got the stamp of file 3 at byte 1060864", unit, false},
		{"another file", stampedBy(stamper{tag: ours.tag, file: 9, unit: unit}),
			"got the stamp of file 9 at byte 1048576", 0, false},
		{"another disk", stampedBy(stamper{tag: tagOf("r1", "A"), file: 3, unit: unit}),
			"got a stamp of another run or disk", 0, false},
		{"another run", stampedBy(stamper{tag: tagOf("r", "1B"), file: 3, unit: unit}),
			"got a stamp of another run or disk", 0, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := make([]byte, 4*unit)
			noise(p, ours.tag, 0)
			ours.put(p, 1<<20, 0)
			tt.change(p)
			for _, how := range []checking{checkStamps, checkAll} {
				got, want := ours.check(p, 1<<20, how), tt.want
				switch {
				case want == "" || tt.noise && how == checkStamps:
					if got != nil {
						t.Errorf("check(%d) = %v, want nothing", how, got)
					}
				case got == nil || !strings.Contains(got.Error(), want) || got.Offset != 1<<20+
					tt.at || got.Number != 3:
					t.Errorf("check(%d) = %+v, want %q at %d", how, got, want, 1<<20+tt.at)
				}
			}
		})
	}
}

// corrupt overwrites n bytes of the job's file 0.
func corrupt(t *testing.T, engine *mover, at int64, n int) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(engine.folder.Path, record{}.Name()), os.O_WRONLY, 0)
	check.Must(t, err)
	_, err = f.WriteAt(make([]byte, n), at)
	check.Must(t, errors.Join(err, f.Sync(), f.Close()))
}

// The help says how much of what is read the stamps cover: a wrong byte anywhere else goes
// unnoticed.
func TestHelpSaysWhatStampsCover(t *testing.T) {
	help, err := os.ReadFile("../../tell/manual/scenario.md")
	check.Must(t, err)
	var shares []string
	for _, unit := range []int64{dataUnit, smallUnit} {
		s := stamper{tag: 1, unit: unit}
		p := make([]byte, unit)
		noise(p, s.tag, 0)
		s.put(p, 0, 0)
		noticed := 0
		for i := range p {
			p[i] ^= 4
			if s.check(p, 0, checkStamps) != nil {
				noticed++
			}
			p[i] ^= 4
		}
		shares = append(shares, fmt.Sprintf("%d bytes of every %s (%.1f%%)", noticed,
			map[int64]string{4096: "4 KiB", 512: "512 bytes"}[unit],
			100*float64(noticed)/float64(unit)))
	}
	want := shares[0] + ", or of " + strings.TrimPrefix(shares[1], "32 bytes of ")
	if !strings.Contains(string(help), want) ||
		!strings.Contains(string(help),
			"a byte that is wrong in the timed read alone goes unnoticed") {
		t.Errorf("hubbench help scenario doesn't say %q, or what full leaves out", want)
	}
	if schema, err := json.Marshal(scenario.Schema()); err != nil ||
		!strings.Contains(string(schema), "check 32 bytes of every 4 KiB read (0.8%)") {
		t.Errorf("the schema doesn't say %q: %v", shares[0], err)
	}
}

func TestVerifyFindsWhatTheDiskChanged(t *testing.T) {
	for how, sys := range systems {
		for _, mode := range []string{scenario.ModeDirect, scenario.ModeApp} {
			for _, tt := range []struct {
				verify string
				at     int64
				n      int
				want   string
			}{
				{"off", 8192, 4096, ""},
				{scenario.VerifyStamps, 8192, 4096,
					"in test file 0 at byte 8192: wrote this run's stamp of file 0 at byte 8192, " +
						"got zeros"},
				{scenario.VerifyStamps, 8192 + 100, 100, ""}, // beside the stamp
				{scenario.VerifyFull, 8192 + 104, 96,
					"in test file 0 at byte 8296: wrote random data"},
				// The last byte but some.
				{scenario.VerifyFull, 1_500_000, 1,
					"in test file 0 at byte 1500000: wrote random data"},
			} {
				if mode == scenario.ModeApp && how != "threads" {
					continue
				}
				t.Run(strings.Join([]string{how, mode, tt.verify, tt.want}, " "),
					func(t *testing.T) {
						dir := t.TempDir()
						job := newJob(dir, trace.Read, 1_500_007, 4096)
						job.IO.Verify, job.IO.Mode = tt.verify, mode
						engine, _ := prepared(t, job, sys)
						corrupt(t, engine, tt.at, tt.n)
						started(engine)
						_, err := engine.Transfer(t.Context(), 0, nil)
						if tt.want == "" {
							if err != nil {
								t.Fatalf("Transfer() = %v, want nothing found", err)
							}
							return
						}
						evidence := filepath.Join(engine.folder.Path, "evidence-000000.bin")
						for _, want := range []string{"disk B", tt.want, "kept as " + evidence} {
							check.Refused(t, "Transfer()", err, want)
						}
						// Neither the end of the job nor that of the run takes the evidence away.
						closeEngine(t, engine)
						check.Must(t, testfolder.RemoveRun(dir, "r1"))
						if info, err := os.Stat(evidence); err != nil || info.Size() != 1_500_007 {
							t.Errorf("evidence: %v, %v, want the file as it was", info, err)
						}
					})
			}
		}
	}
}

// Every single byte that changes is found, whatever the size of the file and of the blocks it was
// written and is read in.
func TestVerifyFullReadsEveryByte(t *testing.T) {
	for _, tt := range []struct {
		mode          string
		written, read int64 // blocks
		size          int64
	}{
		{scenario.ModeDirect, 4096, 4096, 31},
		{scenario.ModeDirect, 4096, 512, 4096 + 17},
		{scenario.ModeDirect, 512, 512, 512 + 9},
		{scenario.ModeDirect, 4096, 6144, 2*4096 + 1},
		{scenario.ModeDirect, 6144, 4096, 6144 + 32},
		{scenario.ModeApp, 4096, 4096, 4096 + 25},
	} {
		t.Run(fmt.Sprint(tt), func(t *testing.T) {
			dir := t.TempDir()
			job := newJob(dir, trace.Write, tt.size)
			job.IO.Mode, job.IO.Block = tt.mode, tt.written
			job.CarryOver = []int64{tt.size}
			writer, _ := prepared(t, job, systems["threads"])
			transferAll(t, writer)
			closeEngine(t, writer)
			job.Role, job.CarryOver = trace.Read, nil
			job.IO.Verify, job.IO.Block = scenario.VerifyFull, tt.read
			reader, _ := prepared(t, job, systems["threads"])
			started(reader)
			path := filepath.Join(reader.folder.Path, reader.files[0].Name())
			whole, err := os.ReadFile(path)
			check.Must(t, err)
			look := func() error { return reader.readBack(t.Context(), reader.files[0], checkAll) }
			if err := look(); err != nil {
				t.Fatalf("as written: %v", err)
			}
			file, err := os.OpenFile(path, os.O_WRONLY, 0)
			check.Must(t, err)
			defer file.Close()
			put := func(at int, b byte) {
				if _, err := file.WriteAt([]byte{b}, int64(at)); err != nil {
					t.Fatal(err)
				}
			}
			found := 0
			for at, b := range whole {
				put(at, b^0x10)
				if _, wrong := errors.AsType[*Mismatch](look()); wrong {
					found++
				}
				put(at, b)
			}
			name := fmt.Sprintf("a bit flipped in each byte of a file of %d B in turn, written "+
				"in blocks of %d B and read in blocks of %d B, %s: found",
				tt.size, tt.written, tt.read, tt.mode)
			evidence.Report(t, evidence.AtLeast("verify", name, found, len(whole), len(whole)))
		})
	}
}

// A disk that loses writes is found out by reading back, after the file's time.
func TestVerifyReadsBackWhatWasWritten(t *testing.T) {
	for _, mode := range []string{scenario.ModeDirect, scenario.ModeApp} {
		fault := &fault{lose: true}
		job := newJob(t.TempDir(), trace.Write, 1<<20, 1<<20)
		job.IO.Verify, job.IO.Mode = scenario.VerifyFull, mode
		engine, _ := prepared(t, job, fault.system())
		started(engine)
		moved(t, engine, 0)
		fault.armed.Store(true)
		_, err := engine.Transfer(t.Context(), 1, nil)
		check.Refused(t, mode, err, "in test file 1 at byte")
	}
}

// Reading back and removing take their time outside the files' own: a slow disk is distinguished
// from a dead one by what it does meanwhile.
func TestWhatIsDoneBeside(t *testing.T) {
	job := newJob(t.TempDir(), trace.Write, 1<<20, 1<<20, 1<<20)
	job.IO.Verify = scenario.VerifyFull
	var done []int64
	engine, _ := prepared(t, job, systems["threads"], func(n int64) { done = append(done, n) })
	var readBack []trace.Event
	engine.Start(clock.Now(), func(e trace.Event) {
		if e.Name == trace.ReadBack {
			readBack = append(readBack, e)
		}
	})
	for seq := range job.Sizes {
		before := len(done)
		moved(t, engine, seq)
		if len(done) == before || done[len(done)-1] != int64(seq+1)<<20 {
			t.Errorf("file %d was read back: reported %v", seq, done[before:])
		}
	}
	before := done[len(done)-1]
	closeEngine(t, engine)
	check.Same(t, "reported when three files were removed", before+3, done[len(done)-1])
	// The disk's own counters count it too.
	if n := len(readBack); n == 0 || readBack[n-1].Value != 3<<20 || readBack[n-1].TNS <= 0 {
		t.Errorf("read back: %+v, want 3 MiB at last", readBack)
	}
}
