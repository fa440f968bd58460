package html

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/render/chart"
	"github.com/hubbench/hubbench/internal/render/plot"
	"github.com/hubbench/hubbench/internal/say"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/pkg/trace"
)

// overlay lays runs over one another: a run in which each of them stands as a disk, and each of their disks in each of
// their phases as a phase. So the charts that tell disks apart tell runs apart, by the same colours and symbols.
type overlay struct {
	run   *trace.Run
	found *analysis.Analysis
}

// newOverlay takes the files that lie in the overlap window, which are those that the comparison judges by.
func newOverlay(runs []compare.Run) overlay {
	out := &trace.Run{Name: "overlay", Status: trace.Complete}
	for _, name := range labels(runs) {
		out.Disks = append(out.Disks, trace.Disk{Name: name})
	}
	for _, p := range runs[0].Trace.Phases {
		for _, d := range p.Disks {
			over := &trace.Phase{Name: overlayName(p.Name, d.Name), Roles: map[string]trace.Role{}}
			for i, r := range runs {
				if traced := windowed(r, p.Name, d); traced != nil {
					traced.Name = out.Disks[i].Name
					over.Roles[traced.Name] = traced.Op
					over.Disks = append(over.Disks, traced)
				}
			}
			out.Phases = append(out.Phases, over)
		}
	}
	return overlay{out, say.Analyze(out, analysis.Options{})}
}

// overlayName names a disk's phase in an overlay. It is shown nowhere, and no two are alike.
func overlayName(phase, disk string) string { return fmt.Sprintf("%q %q", phase, disk) }

// labels are short names for the runs: the last part of their labels where these differ, else the labels, told apart
// where one comes twice.
func labels(runs []compare.Run) []string {
	var last, whole []string
	for _, r := range runs {
		last = append(last, r.Label[strings.LastIndexAny(r.Label, `/\`)+1:])
		name := r.Label
		for n := 2; slices.Contains(whole, name); n++ {
			name = fmt.Sprintf("%s (%d)", r.Label, n)
		}
		whole = append(whole, name)
	}
	distinct := slices.Compact(slices.Sorted(slices.Values(last)))
	if len(distinct) < len(runs) || distinct[0] == "" {
		return whole
	}
	return last
}

// windowed is a disk's part in a phase of a run without what lies outside the window; nil where it does something else
// there than it does in the base.
func windowed(r compare.Run, phase string, base *trace.DiskTrace) *trace.DiskTrace {
	var spans []chart.Span
	for i := range r.Analysis.Phases {
		if r.Analysis.Phases[i].Phase == phase {
			spans = chart.Windows(&r.Analysis.Phases[i])
		}
	}
	for _, p := range r.Trace.Phases {
		for _, d := range p.Disks {
			if p.Name != phase || d.Name != base.Name || d.Op != base.Op {
				continue
			}
			out := &trace.DiskTrace{Op: d.Op}
			for i := range d.Files {
				f := &d.Files[i]
				within := func(s chart.Span) bool {
					const ns = 1e-9
					return s.StartS-ns < float64(f.StartNS)/1e9 && float64(f.EndNS)/1e9 < s.EndS+ns
				}
				if !f.Filler && slices.ContainsFunc(spans, within) {
					out.Files = append(out.Files, *f)
				}
			}
			return out
		}
	}
	return nil
}

// figures are the charts of one disk in one phase, under an id of their own.
func (o overlay) figures(p *phase, disk string, by chart.Scale, static bool) ([]drawn, error) {
	i := slices.IndexFunc(o.run.Phases, func(t *trace.Phase) bool { return t.Name == overlayName(p.Name, disk) })
	if i < 0 {
		return nil, nil
	}
	files := chart.NewFiles(o.run, o.run.Phases[i], &o.found.Phases[i])
	if files.MaxRate == 0 {
		return nil, nil
	}
	laid := plot.Phase{Run: o.run, Analysis: o.found, Found: &o.found.Phases[i], Files: files}
	size, hasSize := sizeFigure(files, by)
	var out []drawn
	for _, f := range []struct {
		show        bool
		name        plot.Name
		title, text string
		figure
	}{
		{hasSize, plot.Size, disk + ": by file size", each(files, "Each mark is one file.", "The fuller the colour, the more files."), size},
		{true, plot.Spread, disk + ": how files spread", "Bar: the middle nine tenths. Line: the median; ring: the mean. " + by.Unit + ".", spreadFigure(files, by)},
	} {
		if !f.show {
			continue
		}
		d, err := p.newFigure(fmt.Sprintf("%s-%d", f.name, i), f.title, f.text, f.figure)
		if err != nil {
			return nil, err
		}
		if static {
			if d.Picture, err = picture(laid, f.name); err != nil {
				return nil, err
			}
		}
		out = append(out, d)
	}
	return out, nil
}
