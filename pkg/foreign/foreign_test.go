package foreign

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
)

// averaged is a log of bandwidth as fio writes it with log_avg_msec=100: at a rate in KiB/s, from some ms of a clock on, without the
// windows in which nothing was moved.
func averaged(zero, fromMS, toMS, kib, op int64, idle func(ms int64) bool) string {
	var out strings.Builder
	for ms := fromMS + 100; ms <= toMS; ms += 100 {
		if idle == nil || !idle(ms) {
			fmt.Fprintf(&out, "%d, %d, %d, 0, 0\n", zero+ms, kib, op)
		}
	}
	return out.String()
}

func result(name string, endMS, runtime, bytes int64) string {
	return fmt.Sprintf(`fio: some note {
{"fio version": "fio-3.33", "timestamp_ms": %d, "jobs": [{"jobname": %q, "job_runtime": %d, "job options": {}, "read": {"io_bytes": 0},
"write": {"io_bytes": %d}}]}`, endMS, name, runtime, bytes)
}

const epoch = 1_795_000_000_000 // ms

// What three jobs of unlike start and length moved together is what their logs say.
func TestFioJobs(t *testing.T) {
	const a, b, c = 60 << 10, 40 << 10, 20 << 10 // KiB/s
	pause := func(ms int64) bool { return ms > 5000 && ms <= 6000 }
	var single strings.Builder // requests of 1 MiB, 50 ms each, one after the other
	for ms := int64(50); ms <= 4000; ms += 50 {
		fmt.Fprintf(&single, "%d, %d, 1, 1048576, 0\n", ms, c)
	}
	files := []File{
		{"x/a_bw.1.log", []byte(averaged(0, 0, 10_000, a, 1, nil))},
		{"x/b_bw.1.log", []byte(averaged(epoch, 2000, 9000, b, 1, pause))},
		{"x/c_bw.1.log", []byte(single.String())},
		{"a.json", []byte(result("a", epoch+10_000, 10_000, a*1024*10))},
		{"c.json", []byte(result("c", epoch+7000, 4000, 80<<20))},
	}
	got, err := Import(files, Options{Disks: map[string]string{"a_bw.1.log": "SSD"}})
	if err != nil {
		t.Fatal(err)
	}
	run, err := trace.Load(bytes.NewReader(got.Events), "events.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if len(run.Warnings) > 0 || got.Started.UnixMilli() != epoch {
		t.Errorf("%q, started %s", run.Warnings, got.Started)
	}
	o := analysis.Analyze(run, analysis.Options{}).Phases[0].Overlap
	// All three work from 3 to 7 s, but for the pause.
	if o == nil || math.Abs(o.DurationS-3) > 0.06 {
		t.Fatalf("%+v, want an overlap of 3 s", o)
	}
	for disk, want := range map[string]float64{"SSD": a * 1024, "x/b": 0, "b": b * 1024, "c": 20 << 20} {
		if rate := o.Disks[disk].Rate; math.Abs(rate-want) > 0.01*want {
			t.Errorf("%s: %.0f B/s, want %.0f", disk, rate, want)
		}
	}
	if len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "b_bw.1.log: nothing to check its bytes against") {
		t.Errorf("%q", got.Notes)
	}
}

// A log that says more than its job moved is scaled down, and that is said.
func TestFioTooMuch(t *testing.T) {
	got, err := Import([]File{
		{"a_bw.1.log", []byte(averaged(0, 0, 10_000, 1160, 1, nil))}, {"a.json", []byte(result("a", epoch, 10_000, 1000*1024*10))},
	}, Options{})
	if err != nil || len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "+16.0 %, and are scaled") {
		t.Fatalf("%v, %+v", err, got)
	}
	run, err := trace.Load(bytes.NewReader(got.Events), "events.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	if bytes := run.Phases[0].Disks[0].Files[0].Bytes; bytes != 1000*1024*10 {
		t.Errorf("%d bytes, want what the results say", bytes)
	}
}

func TestFioBothDirections(t *testing.T) {
	log := averaged(0, 0, 2000, 1000, 0, nil) + averaged(0, 0, 2000, 3000, 1, nil)
	got, err := Import([]File{{"a_bw.1.log", []byte(log)}}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	run, err := trace.Load(bytes.NewReader(got.Events), "events.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	d := run.Phases[0].Disks[0]
	if f := d.Files[0]; len(d.Files) != 1 || d.Op != trace.Write || math.Abs(float64(f.Bytes)-4000*1024*2) > 2000 || f.EndNS != 2e9 {
		t.Errorf("%+v", d)
	}
}

func TestTables(t *testing.T) {
	const head = "Label,Phase,RuntimeMS,Rank,MixType,Done%,DoneBytes,MiB/s,IOPS,Entries,Entries/s,Active,CPU,Service\n"
	for _, tt := range []struct {
		name   string
		data   string
		opts   Options
		phases string
		bytes  int64
		endNS  int64
	}{
		{
			"elbencho", head + "nvme,WRITE,500,0,,,400,,,,,,,\nnvme,WRITE,500,Total,,,1000,,,,,,,\nnvme,WRITE,1000,Total,,,2500,,,,,,,\n" +
				"nvme,RMFILES,100,Total,,,0,,,,,,,\nnvme,READ,500,Total,,,700,,,,,,,\n",
			Options{}, "WRITE READ", 2500, 1e9,
		},
		{
			"rates", "\ufeffSeconds,Device,wB/s\n1,sda,5\n2,sda,100\n3,sda,200\n",
			Options{Map: map[string]string{"time_s": "Seconds", "disk": "Device", "rate": "wB/s"}}, "imported", 300, 2e9,
		},
		{
			"bytes", "t,n\n2026-11-20T08:00:00Z,7\n2026-11-20T08:00:00.5Z,50\n2026-11-20T08:00:02Z,20\n",
			Options{Map: map[string]string{"time": "t", "bytes": "n"}}, "imported", 70, 2e9,
		},
		{
			"bytes so far", "ms,done\n0,10\n500,50\n1000,90\n",
			Options{Map: map[string]string{"time_ms": "ms", "done_bytes": "done"}}, "imported", 80, 1e9,
		},
	} {
		got, err := Import([]File{{tt.name + ".csv", []byte(tt.data)}}, tt.opts)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		run, err := trace.Load(bytes.NewReader(got.Events), "events.jsonl")
		if err != nil {
			t.Fatal(err)
		}
		var phases []string
		for _, p := range run.Phases {
			phases = append(phases, p.Name)
		}
		if f := run.Phases[0].Disks[0].Files[0]; strings.Join(phases, " ") != tt.phases || f.Bytes != tt.bytes || f.EndNS != tt.endNS {
			t.Errorf("%s: phases %q, %+v", tt.name, phases, f)
		}
	}
}

func TestRefusals(t *testing.T) {
	log := []byte(averaged(0, 0, 1000, 10, 1, nil))
	for _, tt := range []struct {
		name  string
		files []File
		opts  Options
		want  string
	}{
		{"two jobs without a clock", []File{{"a_bw.1.log", log}, {"b_bw.1.log", log}}, Options{}, "nothing says when the job of a and b began"},
		{"results alone", []File{{"a.json", []byte(result("a", epoch, 1, 1))}}, Options{}, "no file says when bytes moved"},
		{"cut results", []File{{"a.json", []byte(result("a", epoch, 1, 1)[:60])}}, Options{}, "cut short"},
		{"latencies", []File{{"a_clat.1.log", log}}, Options{}, "give its logs of bandwidth"},
		{"renamed", []File{{"a.log", log}}, Options{}, "stands in its name"},
		{"torn", []File{{"a_bw.1.log", append(log, "100, 3"...)}}, Options{}, "line 11:"},
		{"empty", []File{{"a_bw.1.log", []byte(" \r\n")}}, Options{}, "a_bw.1.log: the file is empty"},
		{"anything", []File{{"a.txt", []byte("hello")}}, Options{}, "a.txt: no timeline and no score that hubbench knows"},
		{"no device", []File{{"a.txt", []byte(iostatText)}}, Options{Disks: map[string]string{"sdz": "T7"}}, "--disk T7=sdz: there is no such"},
		{"no column", []File{{"a.csv", []byte("t,n\n1,2\n")}}, Options{Map: map[string]string{"time_s": "x"}}, "no such column; it has t, n"},
		{"no field", []File{{"a.csv", []byte("t,n\n1,2\n")}}, Options{Map: map[string]string{"when": "t"}}, "--map t=when: a column is one of"},
		{"no amount", []File{{"a.csv", []byte("t,n\n1,2\n")}}, Options{Map: map[string]string{"time_s": "t"}}, "name the columns"},
		{"no number", []File{{"a.csv", []byte("t,n\n1,x\n")}}, Options{Map: map[string]string{"time_s": "t", "bytes": "n"}}, "line 2:"},
	} {
		if _, err := Import(tt.files, tt.opts); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", tt.name, err, tt.want)
		}
	}
	starts := map[string]time.Time{"a": time.Unix(1, 0), "b": time.Unix(1, 5e8)}
	if _, err := Import([]File{{"a_bw.1.log", log}, {"b_bw.1.log", log}}, Options{Starts: starts}); err != nil {
		t.Errorf("with starts given: %v", err)
	}
}

func FuzzImport(f *testing.F) {
	f.Add("a_bw.1.log", []byte(averaged(0, 0, 300, 10, 1, nil)))
	f.Add("a.json", []byte(result("a", epoch, 1, 1)))
	f.Add("a.csv", []byte("Label,Phase,RuntimeMS,Rank,DoneBytes\nx,READ,1,Total,5\n"))
	for _, text := range []string{crystal8, crystal7, kde, amorphous, zones, benches, spd, intervals} {
		f.Add("a.txt", []byte(text))
	}
	f.Add("a.txt", windows(crystal8, binary.LittleEndian))
	for _, text := range []string{iostatText, iostatOld, sarText, sarNew, sadfText, dstatText} {
		f.Add("a.txt", []byte(text))
	}
	f.Add("a_clat_hist.1.log", []byte(histogram(1000, 0, map[int]int{70: 2})))
	f.Fuzz(func(_ *testing.T, name string, data []byte) {
		got, err := Import([]File{{name, data}}, Options{})
		if err == nil {
			_, _ = trace.Load(bytes.NewReader(got.Events), name)
		}
	})
}
