package table_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/internal/tell/table"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/testdata/fixture"
)

var (
	metricHead   = regexp.MustCompile(`^# (TYPE|UNIT|HELP) (hubbench_[a-z_]+) (.*)$`)
	metricSample = regexp.MustCompile(`^(hubbench_[a-z_]+)\{((?:,?[a-z]+="(?:[^"\\]|\\[\\"n])*")+)\} (\S+)$`)
	metricLabel  = regexp.MustCompile(`([a-z]+)="((?:[^"\\]|\\[\\"n])*)"`)
)

// metricsOf reads what Metrics writes by the rules of OpenMetrics and of Prometheus' older text
// format alike: https://github.com/prometheus/OpenMetrics/blob/main/specification/OpenMetrics.md.
func metricsOf(t *testing.T, run *recorded.Run) map[string]map[string]float64 {
	t.Helper()
	var out strings.Builder
	check.Must(t, table.Metrics(&out, run, time.Unix(1795747828, 5)))
	text, ends := strings.CutSuffix(out.String(), "# EOF\n")
	if !ends {
		t.Errorf("does not end with EOF:\n%s", out.String())
	}
	families, family := map[string]map[string]float64{}, ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if head := metricHead.FindStringSubmatch(line); head != nil {
			if head[1] == "TYPE" {
				family = head[2]
				if families[family] != nil || head[3] != "gauge" {
					t.Errorf("%s: want a gauge, once", line)
				}
				families[family] = map[string]float64{}
			}
			wrongUnit := head[1] == "UNIT" && head[3] != "" &&
				!strings.HasSuffix(family, "_"+head[3])
			if head[2] != family || len(families[family]) > 0 || wrongUnit || head[1] == "HELP" &&
				head[3] == "" {
				t.Errorf("%s: wrong, or in a wrong place", line)
			}
			continue
		}
		sample := metricSample.FindStringSubmatch(line)
		if sample == nil || sample[1] != family {
			t.Fatalf("%q is no sample of %s", line, family)
		}
		value, err := strconv.ParseFloat(sample[3], 64)
		check.Must(t, err)
		if _, twice := families[family][sample[2]]; twice {
			t.Errorf("%s: twice", line)
		}
		families[family][sample[2]] = value
	}
	return families
}

// What a run comes to is in the metrics, each number that is known, and no path.
func TestMetrics(t *testing.T) {
	run := fallingBeside()
	run.Analysis.Origin = &analysis.Origin{Status: trace.Complete}
	got := metricsOf(t, run)
	for _, row := range table.DisksOf(run) {
		labels := `scenario="` + run.Analysis.Name + `",phase="` + row.Phase + `",disk="` + row.Disk + `",op="` + row.Op + `"`
		for name, want := range map[string]*float64{
			"rate_bytes_per_second": row.Rate, "rate_low_bytes_per_second": row.RateLow,
			"rate_high_bytes_per_second": row.RateHigh, "retention_ratio": row.Retention,
		} {
			value, ok := got["hubbench_"+name][labels]
			if ok != (want != nil) || ok && value != *want {
				t.Errorf("%s of %s is %v", name, labels, value)
			}
		}
		if got["hubbench_warnings"][labels] != float64(len(row.Warnings)) {
			t.Errorf("warnings of %s: %v, want %s", labels, got["hubbench_warnings"][labels],
				row.Warnings)
		}
	}
	scenario := `scenario="` + run.Analysis.Name + `"`
	check.Same(t, "end", map[string]float64{scenario: 1795747828},
		got["hubbench_end_timestamp_seconds"])
	check.Same(t, "complete", map[string]float64{scenario: 1}, got["hubbench_complete"])

	run.Analysis.Status = trace.Partial
	run.Analysis.Phases[0].Changes = []analysis.Change{
		{Kind: analysis.KindStall, Disks: []string{"A"}},
		{Kind: analysis.KindStall, Disks: []string{"A", "B"}}, {Disks: []string{"A"}},
	}
	got = metricsOf(t, run)
	check.Same(t, "complete of a partial run", map[string]float64{scenario: 0},
		got["hubbench_complete"])
	stalls := 0.0
	for _, n := range got["hubbench_stalls"] {
		stalls += n
	}
	check.Same(t, "stalls of A, which works alone in the first phase", 2.0, stalls)
}

// Whatever a scenario, a phase or a disk is called, the file can be read.
func TestMetricsOfHostileNames(t *testing.T) {
	for _, name := range append(fixture.HostileNames(), "a\\b\"c\nd", "\xff") {
		run := fallingBeside()
		run.Analysis.Origin = &analysis.Origin{}
		run.Analysis.Name = name
		run.Analysis.Phases[0].Name = name
		if n := len(metricsOf(t, run)["hubbench_warnings"]); n != 4 {
			t.Errorf("%q: %d samples, want 4", name, n)
		}
	}
}

// Each expression of the dashboard is of what Metrics writes, and it shows all of that.
func TestDashboard(t *testing.T) {
	run := fallingBeside()
	run.Analysis.Origin = &analysis.Origin{}
	written := metricsOf(t, run)
	text, err := os.ReadFile(filepath.Join("..", "..", "..", "configs", "grafana.json"))
	check.Must(t, err)
	var dashboard struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
		Templating struct{ List []struct{ Query any } }
	}
	check.Must(t, json.Unmarshal(text, &dashboard))
	var exprs []string
	for _, p := range dashboard.Panels {
		for _, target := range p.Targets {
			exprs = append(exprs, target.Expr)
		}
		if len(p.Targets) == 0 {
			t.Errorf("%s shows nothing", p.Title)
		}
	}
	for _, v := range dashboard.Templating.List {
		if query, ok := v.Query.(map[string]any); ok {
			text, _ := query["query"].(string)
			exprs = append(exprs, text)
		}
	}
	shown := map[string]bool{}
	for _, expr := range exprs {
		for _, name := range regexp.MustCompile(`hubbench_\w+`).FindAllString(expr, -1) {
			shown[name] = true
			if written[name] == nil {
				t.Errorf("%s: no metric is called %s", expr, name)
			}
		}
		for _, label := range regexp.MustCompile(`(\w+)=~`).FindAllStringSubmatch(expr, -1) {
			known := []string{"instance", "job"} // Prometheus adds them
			for labels := range written["hubbench_stalls"] {
				for _, l := range metricLabel.FindAllStringSubmatch(labels, -1) {
					known = append(known, l[1])
				}
			}
			if !slices.Contains(known, label[1]) {
				t.Errorf("%s: no metric has a label %s", expr, label[1])
			}
		}
	}
	for name := range written {
		if !shown[name] {
			t.Errorf("the dashboard does not show %s", name)
		}
	}
}
