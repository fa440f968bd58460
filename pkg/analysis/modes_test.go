package analysis

import (
	"slices"
	"testing"

	"github.com/hubbench/hubbench/pkg/level"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/size"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/trace/tracetest"
)

// transfersOf are files one after another: seconds and bytes.
func transfersOf(each ...[2]float64) []size.File {
	list, _ := size.Apart(tracetest.FilesOf(each...).Files)
	return list
}

// Ten files of a second at 30 to 32 bytes a second, ten at 10 to 12 and ten at 20 to 22.
func TestBeforeAndAfter(t *testing.T) {
	var each [][2]float64
	for _, rate := range []float64{30, 10, 20} {
		for i := range 10 {
			each = append(each, [2]float64{1, rate + float64(i%3)})
		}
	}
	files := transfersOf(each...)
	steps := []level.Step{{AtS: 10}, {AtS: 14}}
	for _, tt := range []struct {
		name string
		t    Throttle
		want bool
	}{
		{"it stays low", Throttle{Steps: steps}, true},
		{"five low ones", Throttle{Steps: steps, Recovered: &Rebound{AtS: 19}}, true},
		{"four", Throttle{Steps: steps, Recovered: &Rebound{AtS: 18}}, false},
		{"four before", Throttle{Steps: []level.Step{{AtS: 4}}}, false},
		{"five before", Throttle{Steps: []level.Step{{AtS: 5}}}, true},
	} {
		if got := beforeAndAfter(files, &tt.t); (got != nil) != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
	got := beforeAndAfter(files, &Throttle{Steps: steps, Recovered: &Rebound{AtS: 20}})
	// Low from 14 to 20 s: 11, 12, 10, 11, 12 and 10. High: 30 to 32 and 20 to 22.
	if *got != [2]float64{11, 26} {
		t.Errorf("modes %v", *got)
	}
}

func TestSameConditions(t *testing.T) {
	files := transfersOf(slices.Repeat([][2]float64{{1, 1}}, 30)...)
	lag, none := 2.0, (*float64)(nil)
	a := part{Disk: level.Disk{Trace: &trace.DiskTrace{Name: "A"}, Active: []overlap.Interval{span(0, 30)}}}
	for _, tt := range []struct {
		name       string
		others     []part
		recoveries []Recovery
		throttle   *Throttle
		from, to   int
	}{
		{"alone", nil, nil, nil, 0, 30},
		{"another begins and ends", []part{{Disk: level.Disk{Active: []overlap.Interval{span(8, 12), span(13, 19)}}}, {}}, nil, nil, 8, 19}, // pauses do not count
		{"amid a file", []part{{Disk: level.Disk{Active: []overlap.Interval{span(8.5, 20.5)}}}}, nil, nil, 9, 20},
		{"it recovers", nil, []Recovery{{Disk: "B", AtS: 3, LagS: &lag}, {Disk: "A", AtS: 14, LagS: &lag}, {Disk: "A", AtS: 20, LagS: none}}, nil, 0, 16},
		{"it falls", nil, nil, &Throttle{Steps: []level.Step{{AtS: 4}, {AtS: 16}}}, 16, 30},
		{"and is back", nil, nil, &Throttle{Steps: []level.Step{{AtS: 4}}, Recovered: &Rebound{AtS: 15}}, 15, 30},
	} {
		p := &phase{parts: append([]part{a}, tt.others...), out: &Phase{Recoveries: tt.recoveries}}
		got := p.sameConditions(&p.parts[0], files, tt.throttle)
		if from, to := int(seconds(got[0].Trace.StartNS)), int(seconds(got[len(got)-1].Trace.EndNS)); from != tt.from || to != tt.to {
			t.Errorf("%s: from %d to %d s, want %d to %d", tt.name, from, to, tt.from, tt.to)
		}
	}
}

// Files in order of size are all looked at; else those alone that met the same conditions.
func TestSizeEffects(t *testing.T) {
	p := &phase{out: &Phase{}, alpha: alphas{looks: 1}}
	made := func(mb ...float64) []size.File {
		var each [][2]float64
		for _, v := range mb {
			each = append(each, [2]float64{0.5 + v, 1e6 * v})
		}
		return transfersOf(each...)
	}
	ordered, mixed := made(0.1, 0.2, 0.3, 1, 2, 3), made(3, 0.1, 2, 0.3, 1, 0.2)
	var d Disk
	p.sizeEffects(&part{}, ordered, nil, &d)
	if d.SmallFiles == nil || d.SmallFiles.Files != 6 || d.LowLatency == nil || d.LowLatency.Files != 3 || d.SizeKnee != nil {
		t.Errorf("in order of size: %+v", d)
	}
	d = Disk{}
	p.sizeEffects(&part{}, mixed, mixed[:5], &d)
	if d.SmallFiles == nil || d.SmallFiles.Files != 5 {
		t.Errorf("in no order: %+v", d)
	}
}

// Files of a second and one more for each ten bytes; small ones then are as slow as they must be.
func TestSizesExplain(t *testing.T) {
	before := [][2]float64{{2, 10}, {3, 20}, {4, 30}, {5, 40}, {6, 50}}
	for _, tt := range []struct {
		name  string
		files [][2]float64
		from  float64 // where the slower stretch begins
		want  bool
	}{
		{"as long as they must", append(slices.Clone(before), [2]float64{1.2, 2}, [2]float64{1.2, 2}), 20, true},
		{"nearly", append(slices.Clone(before), [2]float64{1.4, 2}, [2]float64{1.5, 2}), 20, true},
		{"longer", append(slices.Clone(before), [2]float64{1.6, 2}, [2]float64{1.5, 2}), 20, false},
		{"too few before", append(slices.Clone(before[:4]), [2]float64{1.2, 2}, [2]float64{1.2, 2}), 14, false},
		{"none after", before, 20, false},
	} {
		p := part{Disk: level.Disk{Trace: tracetest.FilesOf(tt.files...)}}
		if got := p.sizesExplain(span(0, tt.from), span(tt.from, 99)); got != tt.want {
			t.Errorf("%s: %v", tt.name, got)
		}
	}
}

func TestWholeFiles(t *testing.T) {
	sizes, times := (&part{Disk: level.Disk{Trace: tracetest.FilesOf([2]float64{2, 10}, [2]float64{3, 20}, [2]float64{4, 0}, [2]float64{1, 30}, [2]float64{1, 40})}}).wholeFiles(span(2, 10))
	if !slices.Equal(sizes, []float64{20, 30}) || !slices.Equal(times, []float64{3, 1}) {
		t.Errorf("whole files %v, %v", sizes, times)
	}
	for n, want := range map[int]int{499: 499, 500: 250, 1000: 334} {
		if sizes, _ := (&part{Disk: level.Disk{Trace: tracetest.FilesOf(slices.Repeat([][2]float64{{1, 10}}, n)...)}}).wholeFiles(span(0, 5000)); len(sizes) != want {
			t.Errorf("of %d files, %d", n, len(sizes))
		}
	}
}
