package foreign

import (
	"encoding/binary"
	"math"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
)

const crystal8 = `------------------------------------------------------------------------------
CrystalDiskMark 8.0.4 x64 (C) 2007-2021 hiyohiyo
------------------------------------------------------------------------------
* MB/s = 1,000,000 bytes/s [SATA/600 = 600,000,000 bytes/s]

[Read]
  SEQ    1MiB (Q=  8, T= 1):   560.000 MB/s [    534.1 IOPS] < 14950.00 us>
  RND    4KiB (Q= 32, T= 1):     0.000 MB/s [      0.0 IOPS] <     0.00 us>

[Write]
  SEQ    1MiB (Q=  8, T= 1):   510.500 MB/s [    486.9 IOPS] < 16400.00 us>

[Mix] Read 70%/Write 30%
  SEQ    1MiB (Q=  8, T= 1):   300.000 MB/s [    286.1 IOPS] < 27900.00 us>

Profile: Default
Comment: Blue 1 TB
`

const crystal7 = "CrystalDiskMark 7.0.0 x64 (C) 2007-2019 hiyohiyo\r\n[Read]\r\nSequential 1MiB (Q=  8, T= 1):   101.500 MB/s [     96.8 IOPS] < 81970.32 us>\r\n" +
	"    Random 4KiB (Q= 32, T=16):     0.850 MB/s [    207.5 IOPS] <635043.04 us>\r\n"

const kde = `                        KDiskMark (3.1.4): https://github.com/JonMagon/KDiskMark
                    Flexible I/O Tester (fio-3.33): https://github.com/axboe/fio
--------------------------------------------------------------------------------
* MB/s = 1,000,000 bytes/s [SATA/600 = 600,000,000 bytes/s]

[Write]
Sequential   1 MiB (Q=  1, T= 1):   415.000 MB/s [    405.3 IOPS] <  2337.00 us>
`

const amorphous = `---------------------------------------------------------------------
AmorphousDiskMark 4.0.1 (C) 2016-2023 Katsura Shareware
---------------------------------------------------------------------
  Sequential Read 1MiB (QD=   8) :    930.25 MB/s [    887.2 IOPS]
 Sequential Write 1MiB (QD=   8) :    880.00 MB/s [    839.2 IOPS]
         Random Read 4KiB (QD=1) :     20.00 MB/s [   4882.8 IOPS]

    Test : 1 GiB (x5) [Interval=5 sec]
  Device : USB Disk
`

// zones has a table in which only some of the tests were run, and one in which all were.
//
//nolint:dupword // two heads of iozone's own
const zones = `	Iozone: Performance Test of File I/O
	Output is in kBytes/sec
                                                              random    random     bkwd    record    stride                                    
              kB  reclen    write  rewrite    read    reread    read     write     read   rewrite      read   fwrite frewrite    fread  freread
         1048576    1024   200000   210000                    300000    190000                                                                
         2097152      64        1        2        3        4        5        6        7        8        9       10       11       12       13

iozone test complete.
`

const benches = `ISO date,label,path type,operation,time ms [first],time ms [last],IOPS [first],IOPS [last],MiB/s [first],MiB/s [last]
2026-11-20T10:45:12-0800,stick,dir,MKDIRS,0,1,,,,
2026-11-20T10:46:52-0800,stick,dir,WRITE,80000,100000,50,40,50,40
2026-11-20T10:48:52-0800,stick,dir,READ,8000,8000,400,400,400,400
`

const spd = `Input parameters:

        path: 'E:\a.dat'

Results for timespan 1:
*******************************************************************************

Total IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  | IopsStdDev | LatStdDev |  file
------------------------------------------------------------------------------------------------------------------
     0 |       104857600 |          100 |      10.00 |      10.00 |    2.500 |       1.00 |     1.000 | E:\a.dat (1GiB)
------------------------------------------------------------------------------------------------------------------
total:         104857600 |          100 |      10.00 |      10.00 |    2.500 |       1.00 |     1.000

Read IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  | IopsStdDev | LatStdDev |  file
------------------------------------------------------------------------------------------------------------------
total:                 0 |            0 |       0.00 |       0.00 |    0.000 |       0.00 |       N/A

Write IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  | IopsStdDev | LatStdDev |  file
------------------------------------------------------------------------------------------------------------------
total:         104857600 |          100 |      10.00 |      10.00 |    2.500 |       1.00 |     1.000

total:
  %-ile |  Read (ms) | Write (ms) | Total (ms)
----------------------------------------------
    max |        N/A |      9.013 |      9.013
`

// windows is a text as Windows writes it: in UTF-16, with a mark.
func windows(text string, order binary.AppendByteOrder) []byte {
	var out []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		out = order.AppendUint16(out, unit)
	}
	return out
}

func TestScores(t *testing.T) {
	crystal := []Score{
		{"Blue 1 TB", "SEQ 1MiB (Q=8, T=1)", "read", 560e6, 534.1, 0.01495},
		{"Blue 1 TB", "SEQ 1MiB (Q=8, T=1)", "write", 510.5e6, 486.9, 0.0164},
		{"Blue 1 TB", "SEQ 1MiB (Q=8, T=1)", "mix", 300e6, 286.1, 0.0279},
	}
	for _, tt := range []struct {
		name string
		data []byte
		want []Score // the first ones
		n    int
	}{
		{"crystal.txt", []byte(crystal8), crystal, 3},
		{"little.txt", windows(crystal8, binary.LittleEndian), crystal, 3},
		{"big.txt", windows(crystal8, binary.BigEndian), crystal, 3},
		{"x/old.txt", []byte(crystal7), []Score{
			{"old", "Sequential 1MiB (Q=8, T=1)", "read", 101.5e6, 96.8, 0.08197032},
			{"old", "Random 4KiB (Q=32, T=16)", "read", 0.85e6, 207.5, 0.63504304},
		}, 2},
		{"kde.txt", []byte(kde), []Score{{"kde", "Sequential 1 MiB (Q=1, T=1)", "write", 424.96e6, 405.3, 0.002337}}, 1},
		{"T7.txt", []byte("Blackmagic Disk Speed Test\nwrite 890.5 MB/s\nREAD: 910 MB/s\n"), []Score{
			{"T7", "Blackmagic Disk Speed Test", "write", 890.5e6, 0, 0},
			{"T7", "Blackmagic Disk Speed Test", "read", 910e6, 0, 0},
		}, 2},
		{"dock.txt", []byte(crystal7 + "\nComment: Blackmagic MultiDock slot 2\n"), []Score{
			{"Blackmagic MultiDock slot 2", "Sequential 1MiB (Q=8, T=1)", "read", 101.5e6, 96.8, 0.08197032},
			{"Blackmagic MultiDock slot 2", "Random 4KiB (Q=32, T=16)", "read", 0.85e6, 207.5, 0.63504304},
		}, 2},
		{"mac.txt", []byte(amorphous), []Score{
			{"USB Disk", "Sequential 1MiB (QD=8)", "read", 930.25e6, 887.2, 0},
			{"USB Disk", "Sequential 1MiB (QD=8)", "write", 880e6, 839.2, 0},
			{"USB Disk", "Random 4KiB (QD=1)", "read", 20e6, 4882.8, 0},
		}, 3},
		{"zones.out", []byte(zones), []Score{
			{"zones", "write (file 1048576 KiB, record 1024 KiB)", "write", 204_800_000, 0, 0},
			{"zones", "rewrite (file 1048576 KiB, record 1024 KiB)", "write", 215_040_000, 0, 0},
			{"zones", "random read (file 1048576 KiB, record 1024 KiB)", "read", 307_200_000, 0, 0},
			{"zones", "random write (file 1048576 KiB, record 1024 KiB)", "write", 194_560_000, 0, 0},
			{"zones", "write (file 2097152 KiB, record 64 KiB)", "write", 1024, 0, 0},
		}, 17},
		{"b.csv", []byte(benches), []Score{
			{"stick", "WRITE, first done", "write", 50 << 20, 50, 0},
			{"stick", "WRITE, last done", "write", 40 << 20, 40, 0},
			{"stick", "READ, first done", "read", 400 << 20, 400, 0},
		}, 4},
		{"spd.txt", []byte(spd), []Score{
			{`E:\a.dat`, "timespan 1", "total", 10 << 20, 10, 0.0025},
			{`E:\a.dat`, "timespan 1", "write", 10 << 20, 10, 0.0025},
		}, 2},
	} {
		got, err := Import([]File{{tt.name, tt.data}}, Options{})
		if err != nil || got.Events != nil || len(got.Scores) != tt.n {
			t.Errorf("%s: %v, %+v", tt.name, err, got)
			continue
		}
		for i, want := range tt.want {
			s := got.Scores[i]
			if math.Abs(s.Rate-want.Rate) > 1e-3 || math.Abs(s.LatencyS-want.LatencyS) > 1e-12 {
				t.Errorf("%s: %+v, want %+v", tt.name, s, want)
			}
			s.Rate, s.LatencyS = want.Rate, want.LatencyS
			check.Same(t, tt.name, want, s)
		}
	}
}

// Beside a timeline scores are notes; the disk of a file may be named.
func TestScoresBesideTimeline(t *testing.T) {
	files := []File{{"a_bw.1.log", []byte(averaged(0, 0, 1000, 10, 1, nil))}, {"x/mac.txt", []byte(amorphous)}}
	got, err := Import(files, Options{Disks: map[string]string{"mac.txt": "T7"}})
	if err != nil || got.Events == nil || len(got.Scores) != 3 || len(got.Notes) != 4 {
		t.Fatalf("%v, %+v", err, got)
	}
	const want = "x/mac.txt: a score without a timeline, and no part of the overlap: T7, Sequential 1MiB (QD=8), read 930 MB/s"
	check.Same(t, "note", want, got.Notes[1])
}

func TestScoresRefused(t *testing.T) {
	refused(t, map[string]struct{ data, want string }{
		"a comma in a note": {"Blackmagic\nwrite 890,5 MB/s\nread 910 MB/s\n", `"890,5 MB/s" is not a rate`},
		"no unit in a note": {"Blackmagic\nread 910\n", `"910" is not a rate`},
		"nothing run":       {"CrystalDiskMark 8.0.4\n[Read]\n SEQ 1MiB (Q= 8, T= 1):  0.000 MB/s [ 0.0 IOPS] < 0.00 us>\n", "no test in it has a rate"},
		"commas":            {strings.Replace(kde, "415.000", "415,000", 1), `"415,000 MB/s": a comma may be of decimals or of thousands`},
		"operations":        {strings.Replace(zones, "kBytes/sec", "ops/sec", 1), "its output is in ops/sec"},
		"a torn table":      {strings.Replace(zones, "210000", "21x000", 1), `line 5: "21x000" is no rate`},
		"no rate":           {strings.Replace(benches, ",50,40\n", ",fast,40\n", 1), `line 3: MiB/s "fast" is no number`},
		"no number":         {strings.Replace(spd, "total:         104857600", "total:         1048576zz", 1), `line 13: bytes "1048576zz" is no number`},
	})
}

// intervals is DiskSpd's XML of two files: E by two threads, which read 1 MiB at a time and write 64 KiB at a time, for 4 s, and F, which is
// written by one, 1 MiB at a time, for 2 s.
const intervals = `<Results>
  <System><Tool><Version>2.1</Version></Tool></System>
  <Profile><TimeSpans><TimeSpan><Targets><Target><Path>E:\a.dat</Path><BlockSize>1048576</BlockSize></Target></Targets></TimeSpan></TimeSpans></Profile>
  <TimeSpan>
    <TestTimeSeconds>4.00</TestTimeSeconds>
    <Iops><Bucket SampleMillisecond="1000" Read="0" Write="99" Total="99"/></Iops>
    <Thread><Id>0</Id><Target><Path>E:\a.dat</Path><BytesCount>629145600</BytesCount><FileSize>1073741824</FileSize><IOCount>600</IOCount>
      <ReadBytes>629145600</ReadBytes><ReadCount>600</ReadCount><WriteBytes>0</WriteBytes><WriteCount>0</WriteCount><Iops>
      <Bucket SampleMillisecond="1000" Read="200" Write="0" Total="200" ReadAvgLatencyMilliseconds="1.000"/>
      <Bucket SampleMillisecond="2000" Read="200" Write="0" Total="200" ReadAvgLatencyMilliseconds="1.000"/>
      <Bucket SampleMillisecond="3000" Read="100" Write="0" Total="100" ReadAvgLatencyMilliseconds="1.000"/>
      <Bucket SampleMillisecond="4000" Read="100" Write="0" Total="100" ReadAvgLatencyMilliseconds="1.000"/></Iops></Target></Thread>
    <Thread><Id>1</Id><Target><Path>E:\a.dat</Path><ReadBytes>0</ReadBytes><ReadCount>0</ReadCount>
      <WriteBytes>41943040</WriteBytes><WriteCount>640</WriteCount><Iops>
      <Bucket SampleMillisecond="1000" Read="0" Write="160" Total="160"/><Bucket SampleMillisecond="2000" Read="0" Write="160" Total="160"/>
      <Bucket SampleMillisecond="3000" Read="0" Write="160" Total="160"/><Bucket SampleMillisecond="4000" Read="0" Write="160" Total="160"/>
      </Iops></Target></Thread>
    <Thread><Id>2</Id><Target><Path>F:\b.dat</Path><ReadBytes>0</ReadBytes><ReadCount>0</ReadCount>
      <WriteBytes>104857600</WriteBytes><WriteCount>100</WriteCount><Iops>
      <Bucket SampleMillisecond="500" Read="0" Write="40" Total="40"/><Bucket SampleMillisecond="1000" Read="0" Write="40" Total="40"/>
      <Bucket SampleMillisecond="1500" Read="0" Write="60" Total="60"/><Bucket SampleMillisecond="2000" Read="0" Write="60" Total="60"/>
      </Iops></Target></Thread>
  </TimeSpan>
</Results>
`

// In the 2 s in which both work, E moves 200 MiB and 160 times 64 KiB a second, which is 210 MiB/s, and F 50 MiB/s.
func TestDiskSpdXML(t *testing.T) {
	for name, data := range map[string][]byte{"utf-8": []byte(intervals), "utf-16": windows(intervals, binary.LittleEndian)} {
		got, run := imported(t, name, []File{{"out.xml", data}}, Options{})
		if got.Tool != "diskspd" || len(run.Phases) != 1 || run.Phases[0].Name != "timespan 1" {
			t.Errorf("%s: %+v", name, got)
		}
		for _, d := range run.Phases[0].Disks {
			want := map[string]trace.File{`E:\a.dat`: {Bytes: 640 << 20, EndNS: 4e9}, `F:\b.dat`: {Bytes: 100 << 20, EndNS: 2e9}}[d.Name]
			if f := d.Files[0]; len(d.Files) != 1 || f.Bytes != want.Bytes || f.EndNS != want.EndNS {
				t.Errorf("%s: %s: %+v", name, d.Name, d.Files)
			}
		}
		o := analysis.Analyze(run, analysis.Options{}).Phases[0].Overlap
		if o == nil || o.DurationS != 2 {
			t.Fatalf("%s: %+v, want an overlap of 2 s", name, o)
		}
		for disk, want := range map[string]float64{`E:\a.dat`: 210 << 20, `F:\b.dat`: 50 << 20} {
			if rate := o.Disks[disk].Rate; math.Abs(rate-want) > 1 {
				t.Errorf("%s: %s: %.0f B/s, want %.0f", name, disk, rate, want)
			}
		}
		// It reads 600 MiB of 640 MiB.
		if e := o.Disks[`E:\a.dat`]; math.Abs(e.ReadRate-200<<20) > 1 || run.Phases[0].Work[`E:\a.dat`].Reads != 0.94 || len(got.Notes) > 0 {
			t.Errorf("%s: %+v, %q", name, e, got.Notes)
		}
	}
}

func TestDiskSpdXMLRefused(t *testing.T) {
	opts := Options{Disks: map[string]string{"out.xml": "T7"}}
	_, err := Import([]File{{"out.xml", []byte(intervals)}}, opts)
	check.Refused(t, "one name for two disks", err, "leave --disk T7 out")
	bare := intervals[:strings.Index(intervals, "<Iops>\n")] + "</Target></Thread></TimeSpan></Results>"
	refused(t, map[string]struct{ data, want string }{
		"without -D":  {bare, `timespan 1, E:\a.dat: no rates over time; run diskspd with -D`},
		"torn":        {intervals[:len(intervals)-30], "its XML is torn"},
		"wrong total": {strings.Replace(intervals, "<ReadCount>600<", "<ReadCount>300<", 1), `timespan 1, E:\a.dat: the bytes of the intervals differ from the total by +93.8 %`},
		"backwards":   {strings.Replace(intervals, `"3000"`, `"1500"`, 1), "the interval up to 1500 ms does not follow the one up to 2000 ms"},
		"idle":        {"<Results><TimeSpan></TimeSpan></Results>", "no thread in it moved anything"},
	})
}
