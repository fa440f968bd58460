package table_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/tell/report/export"
	"github.com/hubbench/hubbench/internal/tell/report/html"
	"github.com/hubbench/hubbench/internal/tell/report/text"
	"github.com/hubbench/hubbench/internal/tell/table"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/trace"
)

// fallingBeside is B, which reads at 138 MB/s until A, which writes beside it, falls by itself, and
// then at 178 MB/s: at 168 MB/s in all. Alone it reads at 278 MB/s.
func fallingBeside() *recorded.Run {
	rnd := rand.New(rand.NewPCG(9, 9))
	disk := func(name string, op trace.Role, levels ...tracetest.Level) *trace.DiskRecord {
		return tracetest.Disk{Name: name, Op: op, Levels: levels,
			Sizes: tracetest.Between(40e6, 60e6)}.Play(rnd)
	}
	run := tracetest.Run(
		tracetest.Phase("A alone", disk("A", trace.Write,
			tracetest.Level{UntilS: 40, Rate: 250e6})),
		tracetest.Phase("B alone", disk("B", trace.Read, tracetest.Level{UntilS: 40, Rate: 278e6})),
		tracetest.Phase("mix",
			disk("A", trace.Write, tracetest.Level{UntilS: 9.9, Rate: 160e6},
				tracetest.Level{UntilS: 40, Rate: 84e6}),
			disk("B", trace.Read, tracetest.Level{UntilS: 9.9, Rate: 138e6},
				tracetest.Level{UntilS: 40, Rate: 178e6})),
	)
	return loaded(run)
}

// outputs are all that people and programs are given of a run, by what it is called.
func outputs(t *testing.T, run *recorded.Run) map[string]string {
	t.Helper()
	out := map[string]string{}
	add := func(name string, write func(w *bytes.Buffer) error) {
		var w bytes.Buffer
		if err := write(&w); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		out[name] = w.String()
	}
	doc := run.Document(false)
	add("terminal", func(w *bytes.Buffer) error {
		return text.Write(w, doc, text.Options{Width: 100})
	})
	add("--all", func(w *bytes.Buffer) error {
		return text.Write(w, doc, text.Options{Width: 100, All: true})
	})
	add("md", func(w *bytes.Buffer) error { return export.Markdown(w, doc) })
	out["md"] = regexp.MustCompile(`(?s)<details><summary>All \d+ files.*?</details>`).ReplaceAllString(out["md"], "")
	for _, name := range []string{"phase", "disk", "finding"} {
		add("csv of "+name, func(w *bytes.Buffer) error {
			return write(w, grain(t, name), "csv", run)
		})
	}
	add("page", func(w *bytes.Buffer) error { return html.Write(w, doc, nil) })
	for _, part := range []string{`(?s)<(script|style).*?</(script|style)>`, `<[^>]*>`} { // what a reader sees is left
		out["page"] = regexp.MustCompile(part).ReplaceAllString(out["page"], " ")
	}
	for _, c := range report.Collect[*report.Chart](doc.Blocks) { // which a script draws
		out["page"] += "\n" + c.Title + "\n" + c.Caption
		for _, m := range c.Marks {
			out["page"] += "\n" + m.Text
		}
	}
	out["page"] = strings.ReplaceAll(out["page"], "\u00a0", " ")
	return out
}

// ratesOf are patterns of the texts that stand for the rates of an analysis and the parts of them
// that disks kept, by path.
type ratesOf map[string]string

// set gives each a value of its own: rates from 301 MB/s up, which no file of the run has, and
// parts from 41 % up.
func (r ratesOf) set(path string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			r.set(path, v.Elem())
		}
	case reflect.Interface:
		if !v.IsNil() {
			own := reflect.New(v.Elem().Type()).Elem() // what an interface holds cannot be set
			own.Set(v.Elem())
			r.set(path, own)
			v.Set(own)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Type().Field(i); field.IsExported() && field.Name != "Series" {
				name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
				r.set(strings.TrimSuffix(path+"."+name, "."), v.Field(i))
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			r.set(fmt.Sprintf("%s.%d", path, i), v.Index(i))
		}
	case reflect.Map:
		for _, key := range slices.SortedFunc(slices.Values(v.MapKeys()),
			func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) }) {
			own := reflect.New(v.Type().Elem()).Elem()
			own.Set(v.MapIndex(key))
			r.set(path+"."+key.String(), own)
			v.SetMapIndex(key, own)
		}
	case reflect.Float64:
		r.number(path, v)
	}
}

var (
	isRate = regexp.MustCompile(`(rate|rates\.[AB]|reference|total|had|fair)$`)
	isPart = regexp.MustCompile(`(retention|kept|departures\.[AB])$`)
)

func (r ratesOf) number(path string, v reflect.Value) {
	switch n := 301 + len(r); {
	case isPart.MatchString(path):
		n = 41
		for _, of := range r {
			n += strings.Count(of, "%")
		}
		v.SetFloat(float64(n) / 100)
		r[path] = fmt.Sprintf(`\b%d( ± \d+)?%%|,0\.%d,`, n, n)
	case isRate.MatchString(path):
		v.SetFloat(float64(n) * 1e6)
		r[path] = fmt.Sprintf(`\b%d\b|,%ge\+08,`, n, float64(n)/100)
	}
}

// All outputs print the rate in the overlap as what a disk had while all were busy, and not the one
// in the stretch that is compared with the disk's rate alone.
func TestRateWhileAllWereBusy(t *testing.T) {
	run := fallingBeside()
	check.Near(t, "in the overlap", 168e6, run.Analysis.Phases[2].Overlap.Disks["B"].Rate, 0.5e6)
	check.Near(t, "compared", 178e6, run.Analysis.Phases[2].Contention.Disks["B"].Rate, 0.5e6)
	check.Near(t, "kept", 178./278, *run.Analysis.Phases[2].Contention.Disks["B"].Retention, 0.005)
	for name, out := range outputs(t, run) {
		want := map[string]string{
			"terminal": `(?s)A +103 +rate changed .*B +168 +of 278 .* 64%\n`, "--all": `B\s+dropped\s+to\s+168\s+MB/s\s+\(64%\s+of\s+the\s+278\s+MB/s\s+baseline,\s+from\s+9\.9\s+to\s+40\.0\s+s\)`,
			"md": `168 64%`, "page": `(?s)B +reads +168 +of 278 +64%`, "csv of disk": `,1\.681e\+08,`, "csv of finding": `B dropped to 168 MB/s, 64% of the 278 MB/s`,
			"csv of phase": `B dropped to 168 MB/s`,
		}[name]
		if strings.Contains(out, "no reference") && name != "page" { // which explains its hatching
			t.Errorf("%s: A has no reference, though it was measured alone: its rate changed:\n%.4000s", name, out)
		}
		if wrong := regexp.MustCompile(`(dropped to|had) 178|178 of 278`); !regexp.MustCompile(want).MatchString(out) || wrong.MatchString(out) {
			t.Errorf("%s: want %s, and nowhere that B dropped to 178 MB/s:\n%.4000s", name, want,
				out)
		}
	}
}

// Of each fact all outputs print one field, though others have nearly its value.
func TestOneNumberPerFact(t *testing.T) {
	run := fallingBeside()
	rates := ratesOf{}
	rates.set("", reflect.ValueOf(run.Analysis))
	p := &run.Analysis.Phases[2]
	for _, c := range run.Analysis.Summary.Contests { // whose numbers are means over the phases
		for disk, d := range c.Disks {
			of := p.Contention.Disks[disk]
			d.Rate, d.Reference, d.Kept = p.Overlap.Disks[disk].Rate, of.ReferenceRate, 0
			if of.Retention != nil {
				d.Kept = *of.Retention
			}
			c.Disks[disk] = d
		}
	}
	run.Analysis.Answer = run.Analysis.Decide()
	all := outputs(t, run)
	for _, fact := range []struct {
		field   string   // which is printed
		others  []string // which have about its value
		outputs string
	}{
		{"overlap.rate", []string{".matrix.2.total"}, "terminal --all md phase"},
		{"overlap.disks.A.rate", []string{"contention.disks.A.rate", ".matrix.2.rates.A"},
			"terminal --all md disk"},
		{"overlap.disks.B.rate", []string{"contention.disks.B.rate", ".matrix.2.rates.B"},
			"terminal --all md disk"},
		{"contention.disks.B.reference_rate", nil, "--all md disk"},
		{"contention.disks.B.retention", []string{".matrix.2.departures.B"},
			"terminal --all md page disk"},
	} {
		pattern := func(field string) *regexp.Regexp {
			if field[0] != '.' {
				field = ".phases.2." + field
			}
			if rates[field] == "" {
				t.Fatalf("no field %s", field)
			}
			return regexp.MustCompile(rates[field])
		}
		for name, out := range all {
			wanted := slices.Contains(strings.Fields(fact.outputs),
				strings.TrimPrefix(name, "csv of "))
			if is := pattern(fact.field); wanted && !is.MatchString(out) {
				t.Errorf("%s: no %s (%s):\n%.4000s", name, fact.field, is, out)
			}
			for _, other := range fact.others {
				if is := pattern(other); is.MatchString(out) {
					t.Errorf("%s: %s (%s) beside %s: %s", name, other, is, fact.field,
						is.FindString(out))
				}
			}
		}
	}
}

// What a disk keeps of its rate beside one other disk is not held to be of its rate alone.
func TestReference(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 10))
	reads := func(name string, levels ...tracetest.Level) *trace.DiskRecord {
		return tracetest.Disk{Name: name, Op: trace.Read, Levels: levels,
			Sizes: tracetest.Between(40e6, 60e6)}.Play(rnd)
	}
	level := func(untilS, rate float64) tracetest.Level {
		return tracetest.Level{UntilS: untilS, Rate: rate}
	}
	all := tracetest.Phase("RRR", reads("A", level(30, 100e6)),
		reads("B", level(30, 100e6), level(60, 141e6)),
		reads("C", level(30, 100e6), level(60, 141e6), level(90, 233e6)))
	run := loaded(tracetest.Run(all))
	got := ""
	for _, row := range table.DisksOf(run) {
		got += fmt.Sprintf("%s %s", row.Disk, row.Reference)
		if row.Retention != nil {
			got += fmt.Sprintf(" %.2f", *row.Retention)
		}
		got += "; "
	}
	check.Same(t, "references", "A none; B without A 0.71; C alone 0.43; ", got)

	// Several phases: a table of them.
	run = loaded(tracetest.Run(all, tracetest.Phase("A reads", reads("A", level(30, 233e6)))))
	for name, out := range outputs(t, run) {
		want := map[string]string{"terminal": `(?s)43%\n.*71%\*\n`, "--all": `without one other disk`, "md": `71%\\\*`, "page": `of 141 +71%\*`}[name]
		if !regexp.MustCompile(want).MatchString(out) || regexp.MustCompile(`43%\\?\*([^*]|$)`).MatchString(out) {
			t.Errorf("%s: want %s and no 43 %%*:\n%.5000s", name, want, out)
		}
	}

	// On a port of its own it is held against what it has there.
	direct := tracetest.Run(all, tracetest.Phase("C reads", reads("C", level(30, 233e6))))
	for i := range direct.Disks {
		direct.Disks[i].Connection = trace.Direct
	}
	if row := table.DisksOf(loaded(direct))[2]; row.Reference != "direct" {
		t.Errorf("%s: reference %s, want direct", row.Disk, row.Reference)
	}
}

// A disk that was measured alone and has no reference is told why.
func TestNoReference(t *testing.T) {
	rnd := rand.New(rand.NewPCG(9, 11))
	writes := func(name string, sizes tracetest.Sizes, rate float64) *trace.DiskRecord {
		levels := []tracetest.Level{{UntilS: 40, Rate: rate}}
		return tracetest.Disk{Name: name, Op: trace.Write, Levels: levels, Sizes: sizes}.Play(rnd)
	}
	small, large := tracetest.Between(4e6, 6e6), tracetest.Between(40e6, 60e6)
	unlike := loaded(tracetest.Run(tracetest.Phase("A W", writes("A", small, 200e6)),
		tracetest.Phase("WW", writes("A", large, 100e6), writes("B", large, 100e6)))).Analysis
	out := outputs(t, &recorded.Run{Loaded: &rundir.Loaded{}, Analysis: unlike})
	for name, want := range map[string]string{
		"--all": `100 other work alone +W 100 `, "md": `100 other work alone`, "terminal": `A +100 +other work alone `,
		"page": `A +writes +100 +other work alone`,
	} {
		if !regexp.MustCompile(want).MatchString(out[name]) {
			t.Errorf("%s: no %s:\n%.4000s", name, want, out[name])
		}
	}
}
