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
// collector reads the older text format. So all are gauges, which both formats have, and without
// timestamps, which it refuses; UNIT and EOF are comments to it. What is not known is absent.
func Metrics(w io.Writer, run *recorded.Run, ended time.Time) error {
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
	complete := 0
	if run.Analysis.Status == trace.Complete {
		complete = 1
	}
	var out bytes.Buffer
	head := func(name, unit, help string) {
		name = "hubbench_" + name
		fmt.Fprintf(&out, "# TYPE %[1]s gauge\n# UNIT %[1]s %[2]s\n# HELP %[1]s %[3]s\n", name,
			unit, help)
	}
	escape := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace
	scenario := escape(run.Analysis.Name)
	rows := DisksOf(run)
	for i, gauge := range [][3]string{
		{"rate_bytes_per_second", "bytes_per_second", "Rate with all disks of the phase busy."},
		{"rate_low_bytes_per_second", "bytes_per_second", "Lower end of its 95% interval."},
		{"rate_high_bytes_per_second", "bytes_per_second", "Upper end of its 95% interval."},
		{"retention_ratio", "ratio", "Rate over the disk's rate without the others."},
		{"stalls", "", "How often the disk moved nothing for a while."},
		{"warnings", "", "What makes the disk's numbers in the phase doubtful."},
	} {
		head(gauge[0], gauge[1], gauge[2])
		for _, row := range rows {
			stalled := stalls[[2]string{row.Phase, row.Disk}]
			warned := float64(len(row.Warnings))
			values := []*float64{
				row.Rate, row.RateLow, row.RateHigh, row.Retention, &stalled, &warned,
			}
			if v := values[i]; v != nil {
				const format = "hubbench_%s{scenario=\"%s\",phase=\"%s\",disk=\"%s\",op=\"%s\"} " +
					"%v\n"
				fmt.Fprintf(&out, format, gauge[0], scenario, escape(row.Phase), escape(row.Disk),
					row.Op, *v)
			}
		}
	}
	head("complete", "", "1 if the run was measured to its end, else 0.")
	fmt.Fprintf(&out, "hubbench_complete{scenario=\"%s\"} %d\n", scenario, complete)
	head("end_timestamp_seconds", "seconds", "When the run ended.")
	fmt.Fprintf(&out, "hubbench_end_timestamp_seconds{scenario=\"%s\"} %d\n# EOF\n", scenario,
		ended.Unix())
	_, err := w.Write(bytes.ToValidUTF8(out.Bytes(), []byte("·")))
	return err
}
