package foreign

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
)

// iostatText is of iostat -dxt: sda, with its part sda1, reads for 3 s and writes less, nvme0n1 writes for 2 of them, sdb does
// next to nothing. The second report but one says 12:00:03, as it came a little late.
const iostatText = `Linux 6.1.0 (bench) 	2026-11-24 	_x86_64_	(2 CPU)

2026-11-24T12:00:00+0100
Device            r/s     rkB/s   rrqm/s     w/s     wkB/s  %util
sda            111.00 999999.00     0.00  111.00  99999.00  11.00
nvme0n1        111.00 999999.00     0.00  111.00  99999.00  11.00


2026-11-24T12:00:01+0100
Device            r/s     rkB/s   rrqm/s     w/s     wkB/s  %util
sda             10.00   1000.00     0.00   10.00    500.00  11.00
sda1            10.00   1000.00     0.00   10.00    500.00  11.00
sdb              0.00      0.00     0.00    1.00      4.00   0.10
nvme0n1          0.00      0.00     0.00    0.00      0.00   0.00


2026-11-24T12:00:03+0100
Device            r/s     rkB/s   rrqm/s     w/s     wkB/s  %util
sda             10.00   1000.00     0.00   10.00    500.00  11.00
sda1            10.00   1000.00     0.00   10.00    500.00  11.00
nvme0n1          0.00      0.00     0.00   10.00   2000.00  50.00


2026-11-24T12:00:03+0100
Device            r/s     rkB/s   rrqm/s     w/s     wkB/s  %util
sda             10.00   1000.00     0.00   10.00    500.00  11.00
sda1            10.00   1000.00     0.00   10.00    500.00  11.00
nvme0n1          0.00      0.00     0.00   10.00   3000.00  50.00


2026-11-24T12:00:04+0100
Device            r/s     rkB/s   rrqm/s     w/s     wkB/s  %util
sda              0.00      0.00     0.00    1.00      4.00   1.00
nvme0n1          0.00      0.00     0.00    0.00      0.00   0.00
`

// iostatOld is of an old iostat -xmt in English, about midnight, with averages of the CPU.
const iostatOld = `Linux 2.6.32 (bench) 	06/13/2018 	_x86_64_	(32 CPU)

06/13/2018 11:59:58 PM
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           0.47    0.00    0.24    0.18    0.00   99.11

Device:         rrqm/s   wrqm/s     r/s     w/s    rMB/s    wMB/s  %util
sda               0.07    45.88    1.57    0.59    10.08     0.18   0.45

06/14/2018 12:00:00 AM
avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           3.07    0.00    0.66    0.09    0.00   96.18

Device:         rrqm/s   wrqm/s     r/s     w/s    rMB/s    wMB/s  %util
sda               0.07    45.88    1.57    0.59     1.50     0.00   0.45
`

// iostatBare is of iostat -x 2: no times, and decimals as in Germany.
const iostatBare = `Linux 6.1.0 (bench) 	24.11.2026 	_x86_64_	(2 CPU)

avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           0,17    0,01    0,34    0,05    0,00   99,43

Device            r/s     rkB/s     w/s     wkB/s  %util
sda             11,00   9999,00   11,00   9999,00  11,00

avg-cpu:  %user   %nice %system %iowait  %steal   %idle
           0,17    0,01    0,34    0,05    0,00   99,43

Device            r/s     rkB/s     w/s     wkB/s  %util
sda             10,00      0,00   10,00    512,50  11,00
`

// sarText is of sar -d in English: its first line of heads says when the first report began, dm-0 lies on sda, and there are other tables.
const sarText = `Linux 5.2.0 (bench)  07/24/2019  _x86_64_  (4 CPU)

09:03:06 AM       CPU     %user     %idle
09:03:08 AM       all      1.00     99.00

09:03:06 AM       DEV       tps     rkB/s     wkB/s   areq-sz     %util
09:03:08 AM       sda      1.00    100.00      0.00      4.00      1.00
09:03:08 AM      dm-0      1.00    100.00      0.00      4.00      1.00

09:03:08 AM       DEV       tps     rkB/s     wkB/s   areq-sz     %util
09:03:10 AM       sda      1.00    300.00      0.00      4.00      1.00
09:03:10 AM      dm-0      1.00    300.00      0.00      4.00      1.00

Average:          DEV       tps     rkB/s     wkB/s   areq-sz     %util
Average:          sda      1.00    200.00      0.00      4.00      1.00
`

// sarNew has the device last, as sar does today.
const sarNew = `Linux 6.1.0 (bench) 	11/24/26 	_x86_64_	(2 CPU)

02:15:18          tps     rkB/s     wkB/s   areq-sz     %util DEV
02:15:19       764.00      0.00    100.00     99.08      6.00 vda
02:15:20      1138.00      0.00    100.00     14.66      8.00 vda
Average:      1008.75      0.00    100.00     39.92      6.20 vda
`

// sadfText is of sadf -d, of an old sar, which was started anew in between; sectors have 512 bytes.
const sadfText = `# hostname;interval;timestamp;CPU;%user;%idle
bench;600;2026-11-24 02:10:00 UTC;-1;0.01;99.74
# hostname;interval;timestamp;DEV;tps;rd_sec/s;wr_sec/s;await
bench;600;2026-11-24 02:10:00 UTC;sda;769,00;0,00;20,00;0,57
bench;600;2026-11-24 02:20:00 UTC;sda;769,00;0,00;40,00;0,57
bench;-1;2026-11-24 02:45:00 UTC;LINUX-RESTART	(4 CPU)
bench;300;2026-11-24 03:00:00 UTC;sda;769,00;0,00;60,00;0,57
`

// dstatText is of dstat -tdr -D sda,total: bytes per second, the first ones since the system started. Requests have the same names.
const dstatText = `"Dstat 0.8.0 CSV output"
"Author:","Dag Wieers <dag@wieers.com>",,,,"URL:","http://dag.wieers.com/home-made/dstat/"
"Host:","bench",,,,"User:","root"
"Cmdline:","dstat -tdr -D sda,total --output d.csv 5",,,,"Date:","24 Nov 2026 02:15:18 UTC"

"system","dsk/sda",,"dsk/total",,"io/sda",
"time","dsk/sda:read","dsk/sda:writ","dsk/total:read","dsk/total:writ","io/sda:read","io/sda:writ"
24-11 02:15:18,9999.5,9999.5,9999.0,9999.0,7.0,7.0
24-11 02:15:23,1000.0,0.0,1000.0,0.0,7.0,7.0
24-11 02:15:28,2000.0,0.0,2000.0,0.0,7.0,7.0
`

func TestDevices(t *testing.T) {
	// Each device: what it read and wrote, and from when to when it worked, in s.
	for _, tt := range []struct {
		name, text string
		opts       Options
		want       string
		started    string
		note       string
	}{
		{
			"iostat", iostatText, Options{}, "nvme0n1 0 5120000 1-3, sda 3072000 1536000 0-3", "2026-11-24T11:00:00Z",
			"sda1 and sdb left out",
		},
		{"devices by name", iostatText, Options{Disks: map[string]string{"sdb": "T7", "sda1": "X"}}, "T7 0 4096 0-1, X 3072000 1536000 0-3", "2026-11-24T11:00:00Z", ""},
		{"old iostat", iostatOld, Options{}, "sda 3145728 0 0-2", "", ""},
		{"decimal commas and an interval", iostatBare, Options{Interval: 2 * time.Second}, "sda 0 1049600 0-2", "", ""},
		{"sar", sarText, Options{}, "sda 819200 0 0-4", "", "dm-0 left out"},
		{"sar, device last", sarNew, Options{}, "vda 0 204800 0-2", "", ""},
		{"sar as another format", sarNew, Options{Format: "iostat"}, "vda 0 204800 0-2", "", ""},
		{"sadf", sadfText, Options{}, fmt.Sprint("sda 0 ", (20*600+40*600+60*300)*512, " 0-3600"), "2026-11-24T02:00:00Z", ""},
		{"dstat", dstatText, Options{}, "sda 15000 0 0-10", "", "total left out"},
		{"dstat twice", dstatText + strings.ReplaceAll(dstatText, "02:15", "02:16"), Options{}, "sda 30000 0 0-70", "", "total left out"},
		{"cut short", dstatText + "24-11 02:15:33,20", Options{}, "sda 15000 0 0-10", "", "cut short"},
		{"cut short", iostatText[:len(iostatText)-100], Options{}, "nvme0n1 0 5120000 1-3, sda 3072000 1536000 0-3", "2026-11-24T11:00:00Z", "cut short"},
	} {
		for form, data := range map[string][]byte{
			"": []byte(tt.text), "CRLF": []byte(strings.ReplaceAll(tt.text, "\n", "\r\n")), "UTF-16": windows(tt.text, binary.BigEndian),
		} {
			name := tt.name + " " + form
			got, run := imported(t, name, []File{{"x.txt", data}}, tt.opts)
			var list []string
			for _, d := range run.Phases[0].Disks {
				var moved [2]int64
				for i, op := range []trace.Role{trace.Read, trace.Write} {
					for _, f := range d.Direction(op).Files {
						moved[i] += f.Bytes
					}
				}
				from, to := d.Files[0].StartNS, d.Files[len(d.Files)-1].EndNS
				list = append(list, fmt.Sprint(d.Name, " ", moved[0], " ", moved[1], " ", from/1e9, "-", to/1e9))
			}
			check.Same(t, name, tt.want, strings.Join(list, ", "))
			started := ""
			if !got.Started.IsZero() {
				started = got.Started.Format(time.RFC3339)
			}
			if notes := strings.Join(got.Notes, "\n"); !strings.Contains(notes, tt.note) || (tt.note == "") != (notes == "") || started != tt.started {
				t.Errorf("%s: %q, %q; want %q, %q", name, notes, started, tt.note, tt.started)
			}
		}
	}
}

// While both work, nvme0n1 writes 2000 and 3000 kB/s, and sda reads twice what it writes.
func TestDevicesOverlap(t *testing.T) {
	_, run := imported(t, "iostat", []File{{"x.txt", []byte(iostatText)}}, Options{})
	o := analysis.Analyze(run, analysis.Options{}).Phases[0].Overlap
	if o == nil || o.DurationS != 2 || o.Disks["nvme0n1"].Rate != 2500*1024 || o.Disks["sda"].Rate != 1500*1024 ||
		o.Disks["sda"].ReadRate != 1000*1024 || o.ReadRate != 1000*1024 || o.WriteRate != 3000*1024 {
		t.Errorf("%+v", o)
	}
}

func TestDevicesRefused(t *testing.T) {
	short := strings.ReplaceAll(iostatText, "rkB/s   rrqm/s     w/s     wkB/s", "  kB/s   rrqm/s     w/s      x/s")
	refused(t, map[string]struct{ data, want string }{
		"no times":     {iostatBare, "line 6: its reports have no times: record with iostat -t"},
		"no columns":   {short, "nothing says what it read and what it wrote; record with iostat -x"},
		"one report":   {iostatText[:strings.Index(iostatText, "2026-11-24T12:00:01")], "no device moves anything after the first report"},
		"cells":        {strings.Replace(iostatText, "sdb              0.00", "sdb", 1), "line 13: 6 cells below 7 heads"},
		"no number":    {strings.Replace(iostatText, "2000.00", "2x00.00", 1), `line 21: nvme0n1: "2x00.00" is no rate`},
		"negative":     {strings.Replace(iostatText, "2000.00", "-200.00", 1), `"-200.00" is no rate`},
		"back":         {strings.Replace(iostatText, "12:00:01", "11:00:01", 1), "its times go back"},
		"sar, no time": {strings.Replace(sarNew, "02:15:20", "02:15:2x", 1), "have no times"},
		"dstat":        {strings.Replace(dstatText, "1000.0", "x", 1), `line 9: sda: "x" is no rate`},
		"dstat alone":  {dstatText[:strings.Index(dstatText, "24-11")], "no device moves anything"},
		"no times, dstat": {strings.Replace(strings.Replace(dstatText, `"time"`, `"t"`, 1), `"system"`, `"s"`, 1),
			"line 8: its reports have no times: record with iostat -t or dstat --time"},
	})
}
