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

// windows is a text as Windows writes it: in UTF-16, with a mark.
func windows(text string, order binary.AppendByteOrder) []byte {
	var out []byte
	for _, unit := range utf16.Encode([]rune("\ufeff" + text)) {
		out = order.AppendUint16(out, unit)
	}
	return out
}

// intervals is DiskSpd's XML of two files: E by two threads, which read 1 MiB at a time and write
// 64 KiB at a time, for 4 s, and F, which is written by one, 1 MiB at a time, for 2 s.
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

// In the 2 s in which both work, E moves 200 MiB and 160 times 64 KiB a second, which is 210 MiB/s,
// and F 50 MiB/s.
func TestDiskSpdXML(t *testing.T) {
	for name, data := range map[string][]byte{"utf-8": []byte(intervals),
		"utf-16": windows(intervals, binary.LittleEndian)} {
		got, run := imported(t, name, []InputFile{{"out.xml", data}}, Options{})
		if got.Tool != "diskspd" || len(run.Phases) != 1 || run.Phases[0].Name != "timespan 1" {
			t.Errorf("%s: %+v", name, got)
		}
		for _, d := range run.Phases[0].Disks {
			want := map[string]trace.File{`E:\a.dat`: {Bytes: 640 << 20, EndNS: 4e9}, `F:\b.dat`: {Bytes: 100 << 20, EndNS: 2e9}}[d.Name]
			if f := d.Files[0]; len(d.Files) != 1 || f.Bytes != want.Bytes ||
				f.EndNS != want.EndNS {
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
	_, err := Import([]InputFile{{"out.xml", []byte(intervals)}}, opts)
	check.Refused(t, "one name for two disks", err, "leave --disk T7 out")
	refused(t, map[string]struct{ data, want string }{
		"torn":        {intervals[:len(intervals)-30], "line 22: its XML is cut short or broken"},
		"wrong total": {strings.Replace(intervals, "<ReadCount>600<", "<ReadCount>300<", 1), `timespan 1, E:\a.dat: the bytes of the intervals differ from the total by +100.0%`},
		"backwards":   {strings.Replace(intervals, `"3000"`, `"1500"`, 1), "the interval up to 1500 ms does not follow the one up to 2000 ms"},
		"no number":   {strings.Replace(intervals, `Read="100"`, `Read="NaN"`, 1), `timespan 1, E:\a.dat: the bytes of the intervals differ`},
	})
}
