package table

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Metrics writes a run for the textfile collector of Prometheus' node_exporter, as OpenMetrics. The
// collector reads the older text format: so all are gauges, which both have, and without timestamps,
// which it refuses; UNIT and EOF are comments to it. What is not known is absent.
func Metrics(w io.Writer, run *recorded.Run, ended time.Time) error {
	var out bytes.Buffer
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace
	scenario := escape(run.Analysis.Name)
	stalls := map[[2]string]float64{} // by phase and disk
	for i := range run.Analysis.Phases {
		p := &run.Analysis.Phases[i]
		for _, c := range p.Changes {
			for _, disk := range c.Disks {
				if c.Kind == analysis.KindStall {
					stalls[[2]string{p.Name, disk}]++
				}
			}
		}
	}
	rows := DisksOf(run)
	for i, gauge := range [][3]string{
		{"rate_bytes_per_second", "bytes_per_second", "Rate with all disks of the phase busy."},
		{"rate_low_bytes_per_second", "bytes_per_second", "Lower end of its 95 % confidence interval."},
		{"rate_high_bytes_per_second", "bytes_per_second", "Upper end of its 95 % confidence interval."},
		{"retention_ratio", "ratio", "Rate over the disk's rate without the others."},
		{"stalls", "", "How often the disk moved nothing for a while."},
		{"warnings", "", "What makes the disk's numbers in the phase doubtful."},
	} {
		name := "hubbench_" + gauge[0]
		fmt.Fprintf(&out, "# TYPE %s gauge\n# UNIT %s %s\n# HELP %s %s\n", name, name, gauge[1], name, gauge[2])
		for _, row := range rows {
			stalled, warned := stalls[[2]string{row.Phase, row.Disk}], float64(len(strings.Fields(row.Warnings)))
			values := []*float64{row.Rate, row.RateLow, row.RateHigh, row.Retention, &stalled, &warned}
			if v := values[i]; v != nil {
				fmt.Fprintf(&out, "%s{scenario=\"%s\",phase=\"%s\",disk=\"%s\",op=\"%s\"} %v\n", name, scenario,
					escape(row.Phase), escape(row.Disk), row.Op, *v)
			}
		}
	}
	complete := 0
	if run.Analysis.Status == trace.Complete {
		complete = 1
	}
	fmt.Fprintf(&out, `# TYPE hubbench_complete gauge
# HELP hubbench_complete 1 if the run was measured to its end, else 0.
hubbench_complete{scenario="%[1]s"} %[2]d
# TYPE hubbench_end_timestamp_seconds gauge
# UNIT hubbench_end_timestamp_seconds seconds
# HELP hubbench_end_timestamp_seconds When the run ended.
hubbench_end_timestamp_seconds{scenario="%[1]s"} %[3]d
# EOF
`, scenario, complete, ended.Unix())
	_, err := w.Write(bytes.ToValidUTF8(out.Bytes(), []byte("·")))
	return err
}
