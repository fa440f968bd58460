package foreign

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
)

// iostatText is of iostat -dxt: sda, with its part sda1, reads for 3 s and writes less, nvme0n1
// writes for 2 of them, sdb does next to nothing. The second report but one says 12:00:03, as it
// came a little late.
const iostatText = `Linux 6.1.0 (bench) 	2026-11-24 	_x86_64_	(2 CPU)

2026-11-24T12:00:00+0100
Device            r/s     rkB/s   rrqm/s     w/s     wkB/s  %util
sda            111.00 999999.00     0.00  111.00  99999.00  11.00
sda1           111.00 999999.00     0.00  111.00  99999.00  11.00
sdb              1.00      1.00     0.00    1.00      1.00   0.00
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
sdb              0.00      0.00     0.00    0.00      0.00   0.00
nvme0n1          0.00      0.00     0.00   10.00   2000.00  50.00


2026-11-24T12:00:03+0100
Device            r/s     rkB/s   rrqm/s     w/s     wkB/s  %util
sda             10.00   1000.00     0.00   10.00    500.00  11.00
sda1            10.00   1000.00     0.00   10.00    500.00  11.00
sdb              0.00      0.00     0.00    0.00      0.00   0.00
nvme0n1          0.00      0.00     0.00   10.00   3000.00  50.00


2026-11-24T12:00:04+0100
Device            r/s     rkB/s   rrqm/s     w/s     wkB/s  %util
sda              0.00      0.00     0.00    1.00      4.00   1.00
sda1             0.00      0.00     0.00    1.00      4.00   1.00
sdb              0.00      0.00     0.00    0.00      0.00   0.00
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

// iostatTurns is of a disk that reads and writes in its first burst, and only writes in two
// later ones. No direction of any is cut short.
func iostatTurns() string {
	text := "Linux 6.1.0 (bench) \t24.11.2026 \t_x86_64_\t(2 CPU)\n"
	for _, kb := range [][2]int{
		{9999, 9999}, {600, 400}, {}, {0, 100}, {0, 100}, {}, {0, 100}, {0, 100},
	} {
		text += fmt.Sprintf("\nDevice r/s rkB/s w/s wkB/s %%util\nsda 9.00 %d.00 9.00 %d.00 11.00\n",
			kb[0], kb[1])
	}
	return text
}

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
			"iostat", iostatText, Options{}, "nvme0n1 0 5120000 1-3, sda 3072000 1536000 0-3",
			"2026-11-24T11:00:00Z",
			"sda1 and sdb left out",
		},
		{"devices by name", iostatText, Options{Disks: map[string]string{"sdb": "T7", "sda1": "X"}},
			"T7 0 4096 0-1, X 3072000 1536000 0-3", "2026-11-24T11:00:00Z", ""},
		{"old iostat", iostatOld, Options{}, "sda 3145728 0 0-2", "", ""},
		{"decimal commas and an interval", iostatBare, Options{Interval: 2 * time.Second},
			"sda 0 1049600 0-2", "", ""},
		{"one direction at a time", iostatTurns(), Options{Interval: time.Second},
			"sda 614400 819200 0-7", "", ""},
	} {
		for form, data := range map[string][]byte{
			"": []byte(tt.text), "CRLF": []byte(strings.ReplaceAll(tt.text, "\n", "\r\n")),
			"UTF-16": windows(tt.text, binary.BigEndian),
		} {
			name := tt.name + " " + form
			got, run := imported(t, name, []InputFile{{"x.txt", data}}, tt.opts)
			var list []string
			for _, d := range run.Phases[0].Disks {
				list = append(list, workOf(d))
			}
			check.Same(t, name, tt.want, strings.Join(list, ", "))
			started := ""
			if !got.Started.IsZero() {
				started = got.Started.Format(time.RFC3339)
			}
			if notes := strings.Join(got.Notes, "\n"); !strings.Contains(notes, tt.note) ||
				(tt.note == "") != (notes == "") || started != tt.started {
				t.Errorf("%s: %q, %q; want %q, %q", name, notes, started, tt.note, tt.started)
			}
		}
	}
}

// While both work, nvme0n1 writes 2000 and 3000 kB/s, and sda reads twice what it writes.
func TestDevicesOverlap(t *testing.T) {
	_, run := imported(t, "iostat", []InputFile{{"x.txt", []byte(iostatText)}}, Options{})
	o := analysis.Analyze(run, analysis.Options{}).Phases[0].Overlap
	if o == nil || o.DurationS != 2 || o.Disks["nvme0n1"].Rate != 2500*1024 ||
		o.Disks["sda"].Rate != 1500*1024 ||
		o.Disks["sda"].ReadRate != 1000*1024 || o.ReadRate != 1000*1024 ||
		o.WriteRate != 3000*1024 {
		t.Errorf("%+v", o)
	}
}

func TestDevicesRefused(t *testing.T) {
	short := strings.ReplaceAll(iostatText, "rkB/s   rrqm/s     w/s     wkB/s",
		"  kB/s   rrqm/s     w/s      x/s")
	refused(t, map[string]struct{ data, want string }{
		"no times": {iostatBare,
			"line 6: its reports have no times: record with iostat -t"},
		"no columns": {short,
			"nothing says what it read and what it wrote; record with iostat -x"},
		"one report": {iostatText[:strings.Index(iostatText, "2026-11-24T12:00:01")],
			"it has only the first report, which counts from the start of the system"},
		"cells": {strings.Replace(iostatText, "sdb              0.00", "sdb", 1),
			"line 15: 6 cells below 7 heads"},
		"no number":    {strings.Replace(iostatText, "2000.00", "2x00.00", 1), `line 24: nvme0n1: "2x00.00" is no amount`},
		"negative":     {strings.Replace(iostatText, "2000.00", "-200.00", 1), `"-200.00" is no amount`},
		"cut in a row": {iostatText[:len(iostatText)-10], "line 40: 6 cells below 7 heads"},
		"cut after a row": {iostatText[:len(iostatText)-70],
			"line 36: the report has 3 of 4 devices; it is cut"},
		"a row is missing": {strings.Replace(iostatText,
			"sda1            10.00   1000.00     0.00   10.00    500.00  11.00\n", "", 1),
			"line 12: the report has 3 of 4 devices"},
		"back": {strings.Replace(iostatText, "12:00:01", "11:00:01", 1),
			"line 12: its time is before that of the report before"},
	})
}
