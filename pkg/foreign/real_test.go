package foreign

import (
	"fmt"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
)

// fioDoc is what fio writes as json: of each job its name, its group, and what it read and wrote,
// in how many ms.
func fioDoc(version string, endMS int64, jobs ...string) string {
	return fmt.Sprintf("fio: a line of text {\n{\n  \"fio version\" : %q,\n  \"timestamp_ms\" : %d,\n  \"jobs\" : [%s]\n}\n", version, endMS,
		strings.Join(jobs, ","))
}

func fioJobDoc(name string, group int, reads, writes, runtimeMS int64) string {
	return fmt.Sprintf(`{"jobname": %q, "groupid": %d, "error": 0, "job options": {}, "read": {"io_bytes": %d, "io_kbytes": 0,
"runtime": %[4]d}, "write": {"io_bytes": %[5]d, "io_kbytes": 0, "runtime": %[4]d}}`, name, group, reads, runtimeMS, writes)
}

// elbenchoTable is of elbencho --csvfile, whose last column has the command in quotes of its own.
const elbenchoTable = `ISO date,label,operation,time ms [first],time ms [last],MiB/s [first],MiB/s [last],MiB [first],MiB [last],version,command
2026-11-24T12:00:10-0800,,MKDIRS,0,7,,,,,3.0-1,"/usr/bin/elbencho" "--hosts" "a,b" "--write" "/mnt/x" 
2026-11-24T12:00:20-0800,,WRITE,9000,10000,1000,900,9000,9000,3.0-1,"/usr/bin/elbencho" "--hosts" "a,b" "--write" "/mnt/x" 
2026-11-24T12:00:30-0800,,READ,9000,5000,1000,900,9000,8000,3.0-1,"/usr/bin/elbencho" "--hosts" "a,b" "--read" "/mnt/x" 
2026-11-24T12:01:30-0800,,WRITE,9000,4000,1000,900,9000,6000,3.0-1,"/usr/bin/elbencho" "--hosts" "a,b" "--write" "/mnt/x" 
`

// elbenchoLiveTable ends with 20 s in which the system writes its cache out, at 1 % of the rate
// before.
const elbenchoLiveTable = `ISO Date,Label,Phase,RuntimeMS,Rank,MixType,Done%,DoneBytes,MiB/s,Active,Service,
2026-11-24T12:00:05+0100,,WRITE,5000,0,,,3000,,4,,
2026-11-24T12:00:05+0100,,WRITE,5000,1,,,2000,,4,,
2026-11-24T12:00:05+0100,,WRITE,5000,Total,,,5000,,4,,
2026-11-24T12:00:10+0100,,WRITE,10000,Total,,,10000,,4,,
2026-11-24T12:00:20+0100,,WRITE,20000,Total,,,10000,,4,,
2026-11-24T12:00:30+0100,,WRITE,30000,Total,,,10100,,1,,
`

// diskSpdReport is of diskspd without -D: E by two threads, of which the second reads too, and F.
const diskSpdReport = `Command Line: diskspd -d4 E:\a.dat "F:\b c.dat"

Results for timespan 1:
*******************************************************************************

actual test time:	4.00s

Total IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  file
------------------------------------------------------------------------------
     0 |       300 |     3 |       4.64 |    1189.03 | E:\a.dat (1024MiB)
total:         900 |     9 |       4.64 |    1189.03

Read IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  file
------------------------------------------------------------------------------
     0 |         0 |     0 |       0.00 |       0.00 | E:\a.dat (1024MiB)
     1 |       200 |     2 |       4.64 |    1189.03 | E:\a.dat (1024MiB)
     2 |         0 |     0 |       0.00 |       0.00 | F:\b c.dat (32GiB)
------------------------------------------------------------------------------
total:         200 |     2 |       4.64 |    1189.03

Write IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  file
------------------------------------------------------------------------------
     0 |       300 |     3 |       4.64 |    1189.03 | E:\a.dat (1024MiB)
     1 |       100 |     1 |       4.64 |    1189.03 | E:\a.dat (1024MiB)
     2 |       400 |     4 |       4.64 |    1189.03 | F:\b c.dat (32GiB)
------------------------------------------------------------------------------
total:         800 |     8 |       4.64 |    1189.03
`

// iostatJSON is of iostat -xt -o JSON, with the locale's times.
const iostatJSONText = `{"sysstat": {
	"hosts": [{"nodename": "vm", "date": "11/27/26", "statistics": [
		{"timestamp": "11/27/26 11:59:59 PM", "disk": [{"disk_device": "sda", "r/s": 1.00, "rkB/s": 5830.02, "wkB/s": 1.00}]},
		{"timestamp": "11/28/26 12:00:00 AM", "disk": [{"disk_device": "sda", "r/s": 1.00, "rkB/s": 100.00, "wkB/s": 0.00}]},
		{"timestamp": "11/28/26 12:00:01 AM", "disk": [{"disk_device": "sda", "r/s": 1.00, "rkB/s": 300.00, "wkB/s": 0.00}]}
	]}]
}}
`

// iostatHuman is of iostat -xh 1: several tables a report, units, and the device last.
const iostatHuman = `Linux 6.1.0 (bench) 	11/24/26 	_x86_64_	(2 CPU)

     r/s     rkB/s   rrqm/s  %rrqm Device
  396.62      5.7M    63.46  13.8% sda

     w/s     wkB/s   wrqm/s  %wrqm Device
   82.90     16.6M   160.70  66.0% sda

     d/s     dkB/s   drqm/s  %drqm Device
   33.15      5.5M     0.13   0.4% sda

     f/s f_await  aqu-sz  %util Device
    9.89    0.49    0.28   3.7% sda


     r/s     rkB/s   rrqm/s  %rrqm Device
  396.62     10.0k    63.46  13.8% sda

     w/s     wkB/s   wrqm/s  %wrqm Device
   82.90      1.5M   160.70  66.0% sda

     f/s f_await  aqu-sz  %util Device
    9.89    0.49    0.28   3.7% sda
`

// What each kind of file holds: of each phase and disk what it read and wrote, and from when to
// when, in s.
func TestWhatToolsWrite(t *testing.T) {
	const end = epoch + 10_000
	job := fioJobDoc
	// Each job has a phase of its own, with its name.
	apart := fmt.Sprintf("%s %s 0 900 0-9, %s %s 800 0 0-5", "a", "a", "b", "b")
	status := fioDoc("fio-3.30", epoch+4000, job("a", 0, 0, 400, 4000)) +
		fioDoc("fio-3.30", epoch+9001, job("a", 0, 0, 900, 9000))
	for _, tt := range []struct {
		name, file, text string
		opts             Options
		want, note       string
	}{
		{"json alone", "x.json", fioDoc("fio-3.30", end, job("a", 0, 0, 900, 9000)), Options{},
			"imported a 0 900 0-9",
			"no timeline: the rates of a are means"},
		{"started together", "x.json",
			fioDoc("fio-3.30", end, job("a", 0, 0, 900, 9000), job("b", 0, 800, 0, 9100)),
			Options{},
			"imported a 0 900 0-9, imported b 800 0 0-9", "taken to have started together"},
		{"together for a part", "x.json",
			fioDoc("fio-3.30", end, job("a", 0, 0, 900, 9000), job("b", 0, 800, 0, 5000)),
			Options{},
			apart, "no rate with all disks busy is known"},
		{"one after the other", "x.json",
			fioDoc("fio-3.30", end, job("a", 0, 0, 900, 9000), job("b", 1, 800, 0, 5000)),
			Options{},
			apart, ""},
		{"with times of their starts", "x.json", fioDoc("fio-3.39", end,
			strings.Replace(job("a", 0, 0, 900, 4000), `"error"`, fmt.Sprintf(`"job_start": %d, "error"`, epoch), 1),
			strings.Replace(job("b", 1, 800, 0, 3000), `"error"`, fmt.Sprintf(`"job_start": %d, "error"`, epoch+5000), 1)), Options{},
			"imported a 0 900 0-4, imported b 800 0 5-8", ""},
		{"clones", "x.json", fioDoc("fio-3.30", end, job("a", 0, 0, 900, 9000),
			job("a", 0, 0, 700, 9000)), Options{}, "imported a 0 1600 0-9", ""},
		{"--status-interval", "x.json", status, Options{}, "imported a 0 900 0-9", ""},
		{"in KiB", "x.json", fioDoc("fio-2.17", end, job("a", 0, 0, 9, 9000)), Options{},
			"imported a 0 9216 0-9", ""},
		{"an error", "x.json", strings.Replace(fioDoc("fio-3.30", end, job("a", 0, 0, 900, 9000)), `"error": 0`, `"error": 5`, 1), Options{},
			"imported a 0 900 0-9", "job a ended with error 5"},
		{"of clients", "x.json",
			strings.Replace(strings.ReplaceAll(fioDoc("fio-3.7", end, job("a", 0, 0, 900, 9000),
				job("All clients", 0, 0, 900, 9000)),
				`"error": 0`, `"hostname": "h", "error": 0`), `"jobs"`, `"client_stats"`, 1), Options{}, "imported h:a 0 900 0-9", ""},
		{"elbencho's results", "x.csv", elbenchoTable,
			Options{Disks: map[string]string{"x.csv": "T7"}},
			"WRITE T7 0 9437184000 0-10, READ T7 8388608000 0 0-5, WRITE 2 T7 0 6291456000 0-4",
			"no timeline"},
		{"elbencho's live statistics", "x.csv", elbenchoLiveTable, Options{},
			"WRITE x 0 10000 0-10", "next to nothing moved in the last 20 s of WRITE"},
		{"DiskSpd's text", "x.txt", diskSpdReport, Options{}, `timespan 1 E:\a.dat 200 400 0-4, timespan 1 F:\b c.dat 0 400 0-4`, "no timeline"},
		{"DiskSpd's XML without -D", "x.xml", strings.ReplaceAll(intervals, "Bucket", "Other"),
			Options{},
			`timespan 1 E:\a.dat 629145600 41943040 0-4, timespan 1 F:\b.dat 0 104857600 0-4`, "no timeline"},
		{"iostat -o JSON", "x.json", iostatJSONText, Options{}, "imported sda 409600 0 0-2", ""},
		{"iostat -xh", "x.txt", iostatHuman, Options{Interval: 1e9}, "imported sda 0 1583104 0-1",
			""},
	} {
		got, run := imported(t, tt.name, []InputFile{{tt.file, []byte(tt.text)}}, tt.opts)
		var list []string
		for _, p := range run.Phases {
			for _, d := range p.Disks {
				list = append(list, p.Name+" "+workOf(d))
			}
		}
		check.Same(t, tt.name, tt.want, strings.Join(list, ", "))
		if notes := strings.Join(got.Notes, "\n"); !strings.Contains(notes, tt.note) {
			t.Errorf("%s: %q, want %q", tt.name, notes, tt.note)
		}
	}
}

// The same job in two files is one disk if one ran after the other, and two that need names if both
// ran at once.
func TestOneJobInTwoFiles(t *testing.T) {
	doc := func(endMS int64) []byte {
		return []byte(fioDoc("fio-3.30", endMS, fioJobDoc("a", 0, 0, 900, 9000)))
	}
	for endMS, want := range map[int64]int{epoch + 9500: 1, epoch + 5000: 0} {
		files := []InputFile{{"x.json", doc(epoch)}, {"y.json", doc(endMS)}}
		if want == 0 {
			_, err := Import(files, Options{})
			check.Refused(t, "at once", err,
				"x.json and y.json would be of one disk, a; say of which they are, such as --disk A=x.json,B=y.json")
			_, run := imported(t, "with names", files,
				Options{Disks: map[string]string{"x.json": "A", "y.json": "B"}})
			check.Same(t, "phases, as they ran together for a part only", 2, len(run.Phases))
			continue
		}
		_, run := imported(t, "in a row", files, Options{})
		check.Same(t, "disks", want, len(run.Phases[0].Disks))
		check.Same(t, "files", 2, len(run.Phases[0].Disks[0].Files))
	}
}

// What fio said of a job before, with --status-interval, counts once also if it does not say when
// jobs that ran in a row began.
func TestStatusOfJobsInARow(t *testing.T) {
	status := fioDoc("fio-3.28", epoch, fioJobDoc("a", 0, 1000, 0, 10_000),
		fioJobDoc("b", 1, 0, 0, 0))
	last := fioDoc("fio-3.28", epoch+30_000, fioJobDoc("a", 0, 2000, 0, 20_000),
		fioJobDoc("b", 1, 2000, 0, 20_000))
	_, run := imported(t, "status", []InputFile{{"x.json", []byte(status + "\n" + last)}},
		Options{})
	moved := map[string]int64{}
	for _, p := range run.Phases {
		for _, d := range p.Disks {
			for _, f := range d.Files {
				moved[d.Name] += f.Bytes
			}
		}
	}
	check.Same(t, "bytes", map[string]int64{"a": 2000, "b": 2000}, moved)
}

// An overlap is claimed of means only if it covers all of their time.
func TestMeansClaimNoOverlap(t *testing.T) {
	for runtimeMS, want := range map[int64]bool{9100: true, 5000: false} {
		text := fioDoc("fio-3.30", epoch, fioJobDoc("a", 0, 0, 900, 9000),
			fioJobDoc("b", 0, 800, 0, runtimeMS))
		_, run := imported(t, "json", []InputFile{{"x.json", []byte(text)}}, Options{})
		for _, p := range analysis.Analyze(run, analysis.Options{}).Phases {
			if got := p.Overlap != nil && len(p.Overlap.Disks) > 1; got != want {
				t.Errorf("%d ms: phase %s: an overlap of both: %v", runtimeMS, p.Name, got)
			}
		}
	}
}

// A file that is spoiled, or of another kind, is refused in one line with the place, or with what
// to do.
func TestSpoiled(t *testing.T) {
	json := fioDoc("fio-3.30", epoch, fioJobDoc("a", 0, 0, 900, 9000))
	refused(t, map[string]struct{ data, want string }{
		"fio's json, cut":     {json[:len(json)-20], "line 6: its JSON is cut short"},
		"fio's json with NaN": {strings.Replace(json, `"io_bytes": 900`, `"io_bytes": nan`, 1), "line 6: its JSON is cut short or broken: invalid character"},
		"fio's text": {"a: (groupid=0, jobs=1): err= 0: pid=1\n",
			"this is fio's text output: run fio with --output-format=json"},
		"fio's terse output": {"3;fio-3.33;a;0;0;1", "this is fio's text output"},
		"elbencho's text": {"OPERATION   RESULT TYPE    FIRST DONE\n",
			"this is elbencho's text output: run elbencho with --livecsv"},
		"iostat of macOS":         {"              disk0       cpu\n    KB/t  tps  MB/s  us sy id\n", "this is iostat of macOS or BSD"},
		"elbencho's results, cut": {elbenchoTable[:len(elbenchoTable)-100], "line 5: it has"},
		"elbencho's results, NaN": {strings.Replace(elbenchoTable, ",8000,", ",NaN,", 1), `line 4: "NaN" is no amount`},
		"live, cut": {elbenchoLiveTable[:len(elbenchoLiveTable)-9],
			"line 7: it has 8 cells, and the table 12 columns"},
		"live, back in time": {strings.Replace(elbenchoLiveTable, "20000", "9000", 1),
			"line 6: its time is not after"},
		"live, fewer bytes": {strings.Replace(elbenchoLiveTable, "10100", "9000", 1),
			"line 7: fewer bytes are done"},
		"DiskSpd's text, cut": {diskSpdReport[:len(diskSpdReport)-200],
			"line 28: it is cut short"},
		"DiskSpd's text, a row": {strings.Replace(diskSpdReport, "     1 |       100", "     1 |       1x0", 1), `line 27: "1 |       1x0`},
		"DiskSpd's text, no row": {strings.Replace(diskSpdReport,
			"     1 |       100 |     1 |       4.64 |    1189.03 | E:\\a.dat (1024MiB)\n", "", 1),
			"line 29: the threads moved 700 bytes and not 800"},
		"iostat's JSON, cut": {iostatJSONText[:300], "line 4: its JSON is cut short"},
		"iostat's JSON, back": {strings.Replace(iostatJSONText, "12:00:01 AM", "11:59:00 PM",
			1), "its time is before"},
		"iostat without direction": {"Device tps kB/s %util\nsda 1.0 1.0 1.0\n",
			"line 2: sda: nothing says what it read and what it wrote"},
	})
	for _, tt := range []struct{ name, data, want string }{
		{"a_bw.1.log", "100, 3, 1, 0, 0\n200, 3, 1", `line 2: "200, 3, 1" is no line of fio's log of bw`},
		{"a_bw.1.log", "100, 3, 1, 0, 0\n200, 3, 1, 0\n", `line 2: "200, 3, 1, 0" is no line`},
		{"a_bw.1.log", "100, 3, 1, 0, 0\n200, nan, 1, 0, 0\n", `line 2: "200, nan`},
		{"a_bw.1.log", "100, 3, 1, 0, 0\n90, 3, 0, 0, 0\n95, 3, 1, 0, 0\n",
			"line 3: its time is before"},
	} {
		_, err := Import([]InputFile{{tt.name, []byte(tt.data)}}, Options{})
		check.Refused(t, tt.data, err, tt.want)
	}
}
