package analysis

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// Files that overlap, are of no use or too few are warned of; those of a probe are none.
func TestSummarizeADisk(t *testing.T) {
	summary := func(paced work.Work, files ...trace.File) (Disk, map[string][2]float64) {
		p := together(&trace.DiskTrace{Op: trace.Write, Files: files})
		p.parts[0].Work = paced
		d := p.summarize(&p.parts[0])
		warnings := map[string][2]float64{}
		for _, w := range p.out.Warnings {
			warnings[w.Code] = [2]float64{w.Values.(FilesValues).Files, w.Values.(FilesValues).Of}
		}
		return d, warnings
	}
	seconds := func(n int, bytes int64) (files []trace.File) {
		for i := range n {
			files = append(files, trace.File{Seq: i, StartNS: ns(float64(i)), EndNS: ns(float64(i + 1)), Bytes: bytes})
		}
		return files
	}
	d, warnings := summary(work.Work{}, seconds(5, 100)...)
	if len(warnings) != 0 || d.Files != 5 || d.Bytes != 500 || *d.Rate != 100 || *d.Mean != 100 || *d.P05 != 100 || d.Quote == nil || d.Quote.Kind != QuoteMean {
		t.Errorf("five files: %+v, %v", d, warnings)
	}
	d, warnings = summary(work.Work{}, seconds(4, 100)...)
	if want := (map[string][2]float64{"few_files": {4, 0}}); !cmp.Equal(warnings, want) || *d.Rate != 100 {
		t.Errorf("four files: %+v, %v", d, warnings)
	}
	mixed := append(seconds(6, 100), trace.File{StartNS: ns(5.5), EndNS: ns(7), Bytes: 50}, trace.File{StartNS: ns(7), EndNS: ns(8)})
	d, warnings = summary(work.Work{}, mixed...)
	if want := (map[string][2]float64{"unusable_files": {1, 8}, "overlapping_files": {2, 7}}); !cmp.Equal(warnings, want) || d.Files != 7 || *d.Rate != 650./7 || *d.Mean != 100 {
		t.Errorf("some that overlap and one without bytes: %+v, %v", d, warnings)
	}
	together := []trace.File{{EndNS: ns(2), Bytes: 10}, {StartNS: ns(1), EndNS: ns(4), Bytes: 30}}
	d, warnings = summary(work.Work{}, together...)
	if want := (map[string][2]float64{"overlapping_files": {2, 2}}); !cmp.Equal(warnings, want) || *d.Rate != 10 || d.Mean != nil {
		t.Errorf("none apart: %+v, %v", d, warnings)
	}
	d, warnings = summary(work.Work{Probe: 4096}, seconds(4, 100)...)
	if diff := cmp.Diff(Disk{Op: trace.Write, Bytes: 400, BusyS: 4, Rate: number(100)}, d); diff != "" || len(warnings) > 0 {
		t.Errorf("a probe (-want +got):\n%s\n%v", diff, warnings)
	}
	d, warnings = summary(work.Work{Pace: 100}, seconds(4, 100)...)
	if len(warnings) != 0 || *d.Median != 100 || d.OLSRate != nil || d.Quote != nil || d.Score != nil {
		t.Errorf("with a pace: %+v, %v", d, warnings)
	}
	for _, paced := range []work.Work{{}, {Probe: 4096}} {
		if d, warnings := summary(paced); !cmp.Equal(d, Disk{Op: trace.Write}) || len(warnings) > 0 {
			t.Errorf("nothing: %+v, %v", d, warnings)
		}
	}
}
