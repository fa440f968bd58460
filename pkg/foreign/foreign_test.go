package foreign

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
)

// averaged is a log of bandwidth as fio writes it with log_avg_msec=100: at a rate in KiB/s, from
// some ms of a clock on, without the windows in which nothing was moved.
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
{"fio version": "fio-3.33", "timestamp_ms": %d, "jobs": [{"jobname": %q, "job options": {},
"read": {"io_bytes": 0, "io_kbytes": 0, "runtime": 0}, "write": {"io_bytes": %d, "io_kbytes": 0, "runtime": %d}}]}`, endMS, name, bytes, runtime)
}

const epoch = 1_795_000_000_000 // ms

// imported is what Import makes of files, and the run that its events are.
func imported(t *testing.T, what string, files []InputFile, opts Options) (*Imported, *trace.Run) {
	t.Helper()
	got, err := Import(files, opts)
	if err != nil {
		t.Fatalf("%s: %v", what, err)
	}
	run, err := trace.Load(bytes.NewReader(got.Events), "events.jsonl")
	if err != nil || len(run.Warnings) > 0 {
		t.Fatalf("%s: %v, %q", what, err, run.Warnings)
	}
	return got, run
}

// workOf is what a disk read and wrote, and from when to when, in s.
func workOf(d *trace.DiskRecord) string {
	var moved [2]int64
	for i, op := range []trace.Role{trace.Read, trace.Write} {
		for _, f := range d.Direction(op).Files {
			moved[i] += f.Bytes
		}
	}
	last := d.Files[len(d.Files)-1]
	return fmt.Sprint(d.Name, " ", moved[0], " ", moved[1], " ", d.Files[0].StartNS/1e9, "-",
		last.EndNS/1e9)
}

// refused fails the test unless each of some files is, on one line with its name.
func refused(t *testing.T, files map[string]struct{ data, want string }) {
	t.Helper()
	for name, tt := range files {
		_, err := Import([]InputFile{{"x.txt", []byte(tt.data)}}, Options{})
		check.Refused(t, name, err, tt.want)
		if err != nil && (!strings.HasPrefix(err.Error(), "x.txt: ") ||
			strings.Contains(err.Error(), "\n")) {
			t.Errorf("%s: not one line with the file's name: %q", name, err)
		}
	}
}

// What three jobs of unlike start and length moved together is what their logs say.
func TestFioJobs(t *testing.T) {
	const a, b, c = 60 << 10, 40 << 10, 20 << 10 // KiB/s
	pause := func(ms int64) bool { return ms > 5000 && ms <= 6000 }
	var single strings.Builder // requests of 1 MiB, 50 ms each, one after the other
	for ms := int64(50); ms <= 4000; ms += 50 {
		fmt.Fprintf(&single, "%d, %d, 1, 1048576, 0\n", ms, c)
	}
	files := []InputFile{
		{"x/a_bw.1.log", []byte(averaged(0, 0, 10_000, a, 1, nil))},
		{"x/b_bw.1.log", []byte(averaged(epoch, 2000, 9000, b, 1, pause))},
		{"x/c_bw.1.log", []byte(single.String())},
		{"a.json", []byte(result("a", epoch+10_000, 10_000, a*1024*10))},
		{"c.json", []byte(result("c", epoch+7000, 4000, 80<<20))},
	}
	got, run := imported(t, "three jobs", files,
		Options{Disks: map[string]string{"a_bw.1.log": "SSD"}})
	check.Same(t, "start", int64(epoch), got.Started.UnixMilli())
	o := analysis.Analyze(run, analysis.Options{}).Phases[0].Overlap
	// All three work from 3 to 7 s, but for the pause.
	if o == nil || math.Abs(o.DurationS-3) > 0.06 {
		t.Fatalf("%+v, want an overlap of 3 s", o)
	}
	for disk, want := range map[string]float64{"SSD": a * 1024, "x/b": 0, "b": b * 1024,
		"c": 20 << 20} {
		if rate := o.Disks[disk].Rate; math.Abs(rate-want) > 0.01*want {
			t.Errorf("%s: %.0f B/s, want %.0f", disk, rate, want)
		}
	}
	if len(got.Notes) != 1 || !strings.Contains(got.Notes[0],
		"b_bw.1.log: nothing to check its bytes against") {
		t.Errorf("%q", got.Notes)
	}
}

// A log that says more than its job moved is scaled down, and that is said.
func TestFioTooMuch(t *testing.T) {
	got, run := imported(t, "too much", []InputFile{
		{"a_bw.1.log", []byte(averaged(0, 0, 10_000, 1160, 1, nil))},
		{"a.json", []byte(result("a", epoch, 10_000, 1000*1024*10))},
	}, Options{})
	if len(got.Notes) != 1 || !strings.Contains(got.Notes[0], "+16.0%, and are scaled") {
		t.Errorf("%+v", got)
	}
	check.Same(t, "bytes, as the results say", int64(1000*1024*10),
		run.Phases[0].Disks[0].Files[0].Bytes)
}

// What several jobs did to one disk is added up, and held against the results of all of them.
func TestJobsOfOneDisk(t *testing.T) {
	group := func(bytes int64) InputFile {
		text := strings.Replace(result("w", epoch, 10_000, bytes), `"jobname"`, `"job options": {"numjobs": "2", "group_reporting": ""}, "jobname"`, 1)
		return InputFile{"w.json", []byte(text)}
	}
	write, read := averaged(0, 0, 10_000, 1000, 1, nil), averaged(0, 0, 6000, 500, 0, nil)
	const total = 1000*1024*10 + 500*1024*6
	logs := []InputFile{{"w_bw.1.log", []byte(write)}, {"w_bw.2.log", []byte(read)}}
	live := "Label,Phase,RuntimeMS,Rank,DoneBytes\n,WRITE,1000,Total,"
	table := Options{Map: map[string]string{"time_s": "t", "disk": "d", "op": "op", "rate": "r"}}
	for _, tt := range []struct {
		name  string
		files []InputFile
		opts  Options
		want  string // the bytes of each disk
		reads float64
		note  string
	}{
		{"a group", append(logs, group(total)), Options{}, "w 13312000", 0.23, ""},
		{"a group that moved less", append(logs, group(total/2)), Options{}, "w 6656000", 0.23,
			"w_bw.1.log, w_bw.2.log: the log's bytes differ from those of the results by +100.0%, and are scaled"},
		{"a larger group", append(logs, group(2*total)), Options{}, "w 13312000", 0.23,
			"by -50.0%, and are left as they are"},
		{"elbencho", []InputFile{{"a.csv", []byte(live + "500\n")},
			{"b.csv", []byte(live + "700\n")}},
			Options{Starts: map[string]time.Time{"a": time.Unix(1, 0), "b": time.Unix(1, 0)}},
			"a 500 b 700", 0, ""},
		{"directions",
			[]InputFile{{"a.csv",
				[]byte("t,d,op,r\n0,a,read,7\n0,a,write,7\n1,a,read,300\n1,a,write,100\n2,a,write,200\n3,a,read,400\n")}},
			table, "a 1000", 0.7, ""},
	} {
		got, run := imported(t, tt.name, tt.files, tt.opts)
		var moved []string
		for _, d := range run.Phases[0].Disks {
			bytes := int64(0)
			for _, f := range d.Files {
				bytes += f.Bytes
			}
			moved = append(moved, fmt.Sprint(d.Name, " ", bytes))
		}
		check.Same(t, tt.name, tt.want, strings.Join(moved, " "))
		check.Same(t, tt.name+": share of reads", tt.reads,
			run.Phases[0].Work[run.Phases[0].Disks[0].Name].Reads)
		if notes := strings.Join(got.Notes, "\n"); !strings.Contains(notes, tt.note) ||
			(notes == "") != (tt.note == "") {
			t.Errorf("%s: %q, want %q", tt.name, notes, tt.note)
		}
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
			"elbencho", head +
				"nvme,WRITE,500,0,,,400,,,,,,,\nnvme,WRITE,500,Total,,,1000,,,,,,,\nnvme,WRITE,1000,Total,,,2500,,,,,,,\n" +
				"nvme,RMFILES,100,Total,,,0,,,,,,,\nnvme,READ,500,Total,,,700,,,,,,,\n",
			Options{}, "WRITE READ", 2500, 1e9,
		},
		{
			"rates", "\ufeffSeconds,Device,wB/s\n1,sda,5\n2,sda,100\n3,sda,200\n",
			Options{Map: map[string]string{"time_s": "Seconds", "disk": "Device", "rate": "wB/s"}},
			"imported", 300, 2e9,
		},
		{
			"bytes",
			"t,n\n2026-11-20T08:00:00Z,7\n2026-11-20T08:00:00.5Z,50\n2026-11-20T08:00:02Z,20\n",
			Options{Map: map[string]string{"time": "t", "bytes": "n"}}, "imported", 70, 2e9,
		},
		{
			"bytes so far", "ms,done\n0,10\n500,50\n1000,90\n",
			Options{Map: map[string]string{"time_ms": "ms", "done_bytes": "done"}}, "imported", 80,
			1e9,
		},
	} {
		_, run := imported(t, tt.name, []InputFile{{tt.name + ".csv", []byte(tt.data)}}, tt.opts)
		var phases []string
		for _, p := range run.Phases {
			phases = append(phases, p.Name)
		}
		if f := run.Phases[0].Disks[0].Files[0]; strings.Join(phases, " ") != tt.phases ||
			f.Bytes != tt.bytes || f.EndNS != tt.endNS {
			t.Errorf("%s: phases %q, %+v", tt.name, phases, f)
		}
	}
}

func TestRefusals(t *testing.T) {
	log := []byte(averaged(0, 0, 1000, 10, 1, nil))
	for _, tt := range []struct {
		name  string
		files []InputFile
		opts  Options
		want  string
	}{
		{"two jobs without a clock", []InputFile{{"a_bw.1.log", log}, {"b_bw.1.log", log}},
			Options{},
			"nothing says when the job of a began"},
		{"cut results", []InputFile{{"a.json", []byte(result("a", epoch, 1, 1)[:60])}}, Options{},
			"cut short"},
		{"latencies", []InputFile{{"a_clat.1.log", log}}, Options{}, "give logs of bandwidth"},
		{"renamed", []InputFile{{"a.log", log}}, Options{}, "stands in its name"},
		{"torn", []InputFile{{"a_bw.1.log", append(log, "100, 3"...)}}, Options{}, "line 11:"},
		{"empty", []InputFile{{"a_bw.1.log", []byte(" \r\n")}}, Options{},
			"a_bw.1.log: the file is empty"},
		{"anything", []InputFile{{"a.txt", []byte("hello")}}, Options{},
			"a.txt: not recognised; known: csv, diskspd, elbencho, fio-json, fio-log, iostat; any other table"},
		{"no device", []InputFile{{"a.txt", []byte(iostatText)}},
			Options{Disks: map[string]string{"sdz": "T7"}}, "--disk T7=sdz: there is no such"},
		{"no column", []InputFile{{"a.csv", []byte("t,n\n1,2\n")}},
			Options{Map: map[string]string{"time_s": "x", "bytes": "n"}},
			"no such column; it has n, t"},
		{"no field", []InputFile{{"a.csv", []byte("t,n\n1,2\n")}},
			Options{Map: map[string]string{"when": "t"}}, "--map t=when: a column is one of"},
		{"no amount", []InputFile{{"a.csv", []byte("t,n\n1,2\n")}},
			Options{Map: map[string]string{"time_s": "t"}}, "name the columns"},
		{"no number", []InputFile{{"a.csv", []byte("t,n\n1,x\n")}},
			Options{Map: map[string]string{"time_s": "t", "bytes": "n"}}, "line 2:"},
		{"no bytes", []InputFile{{"a.csv", []byte("t,n\n1,2\n2,NaN\n")}},
			Options{Map: map[string]string{"time_s": "t", "bytes": "n"}}, "line 3:"},
		{"below 0", []InputFile{{"a.csv", []byte("t,n\n1,2\n2,-1\n")}},
			Options{Map: map[string]string{"time_s": "t", "rate": "n"}}, "line 3:"},
		{"beyond time", []InputFile{{"a.csv", []byte("t,n\n1e300,2\n")}},
			Options{Map: map[string]string{"time_s": "t", "bytes": "n"}}, "line 2:"},
		{"back in time", []InputFile{{"a.csv", []byte("t,n\n2,2\n1,2\n")}},
			Options{Map: map[string]string{"time_s": "t", "bytes": "n"}},
			"line 3: its time is not after"},
		{"fewer done", []InputFile{{"a.csv", []byte("t,n\n1,9\n2,8\n")}},
			Options{Map: map[string]string{"time_s": "t", "done_bytes": "n"}},
			"line 3: fewer bytes are done"},
		{"one name twice", []InputFile{{"x/a_bw.1.log", log}, {"y/a_bw.1.log", log}},
			Options{Starts: map[string]time.Time{"a": time.Unix(1, 0)}},
			"such as --disk A=x/a_bw.1.log,B=y/a_bw.1.log"},
	} {
		_, err := Import(tt.files, tt.opts)
		check.Refused(t, tt.name, err, tt.want)
	}
	starts := map[string]time.Time{"a": time.Unix(1, 0), "b": time.Unix(1, 5e8)}
	if _, err := Import([]InputFile{{"a_bw.1.log", log}, {"b_bw.1.log", log}},
		Options{Starts: starts}); err != nil {
		t.Errorf("with starts given: %v", err)
	}
}

func FuzzImport(f *testing.F) {
	f.Add("a_bw.1.log", []byte(averaged(0, 0, 300, 10, 1, nil)))
	f.Add("a.json", []byte(result("a", epoch, 1, 1)))
	f.Add("a.csv", []byte("Label,Phase,RuntimeMS,Rank,DoneBytes\nx,READ,1,Total,5\n"))
	f.Add("a.txt", windows(iostatText, binary.LittleEndian))
	for _, text := range []string{iostatText, iostatOld, iostatBare, intervals, elbenchoTable,
		elbenchoLiveTable, diskSpdReport,
		iostatJSONText, iostatHuman} {
		f.Add("a.txt", []byte(text))
	}
	f.Add("a_clat_hist.1.log", []byte(histogram(1000, 0, map[int]int{70: 2})))
	f.Fuzz(func(_ *testing.T, name string, data []byte) {
		got, err := Import([]InputFile{{name, data}}, Options{})
		if err == nil {
			_, _ = trace.Load(bytes.NewReader(got.Events), name)
		}
	})
}
