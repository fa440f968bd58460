// Package export writes a run for other programs: CSV for spreadsheets, the format of Go
// benchmarks, JUnit for CI, JSON, and a document as Markdown, to paste into a review or an issue.
// Start at the function named for the format.
package export

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"net/url"
	"strconv"
	"strings"
	"unicode"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
)

// CSV writes a head and a row per file, in the order of phases, disks and files. Times are seconds
// since the phase's release; the rate is in bytes per second, and empty for a file that cannot be
// counted. Filler keeps a disk busy for the others' sake and is no part of its work.
func CSV(w io.Writer, run *trace.Run) error {
	simulated := strconv.FormatBool(report.Simulated(run))
	out := csv.NewWriter(w)
	write := func(cells ...string) { _ = out.Write(cells) } // it keeps its first error
	write("phase", "disk", "op", "seq", "bytes", "start_s", "end_s", "rate", "filler", "simulated")
	for _, phase := range run.Phases {
		for _, disk := range phase.Disks {
			for i := range disk.Files {
				file := &disk.Files[i]
				write(cells.NoFormula(phase.Name), cells.NoFormula(disk.Name), string(disk.Op),
					strconv.Itoa(file.Seq), strconv.FormatInt(file.Bytes, 10),
					seconds(file.StartNS), seconds(file.EndNS), rate(file),
					strconv.FormatBool(file.Filler), simulated)
			}
		}
	}
	out.Flush()
	return out.Error()
}

// Table writes a table as it is shown, with a column of its own for the remarks of a column, and a
// last one if nothing was measured.
func Table(w io.Writer, t *report.Table, simulated bool) error {
	t = t.Shown()
	lines := make([][]string, 1+len(t.Rows)) // the heads, and the rows
	for i, column := range t.Columns {
		lines[0] = append(lines[0], cells.NoFormula(column.Head))
		remarks := make([]string, len(t.Rows))
		for k, row := range t.Rows {
			cell := row[i]
			remarks[k] = strings.TrimSpace(cell.Letter + " " + cell.Small)
			cell.Letter = ""
			cell.Small = ""
			lines[1+k] = append(lines[1+k], cells.NoFormula(cell.Words()))
		}
		if strings.Join(remarks, "") == "" {
			continue
		}
		lines[0] = append(lines[0], cells.NoFormula(column.Head+", remark"))
		for k, remark := range remarks {
			lines[1+k] = append(lines[1+k], cells.NoFormula(remark))
		}
	}
	if simulated {
		lines[0] = append(lines[0], "simulated")
		for k := range t.Rows {
			lines[1+k] = append(lines[1+k], "true")
		}
	}
	return csv.NewWriter(w).WriteAll(lines)
}

// seconds writes nanoseconds as seconds, all nine decimals.
func seconds(ns int64) string { return strconv.FormatFloat(float64(ns)/1e9, 'f', 9, 64) }

func rate(file *trace.File) string {
	if !file.Usable() {
		return ""
	}
	return number(float64(file.Bytes) / (float64(file.EndNS-file.StartNS) / 1e9))
}

// GoBench writes the rates in B/s, so that benchstat and its kin compare runs: of each phase the
// overlap's, in all and by disk, and of each file that lies wholly in the overlap, which gives them
// a spread within one run. No line differs from run to run but for its numbers. The format:
// https://go.dev/design/14313-benchmark-format
func GoBench(w io.Writer, run *trace.Run, a *analysis.Analysis) error {
	out := bufio.NewWriter(w)
	if report.Simulated(run) {
		fmt.Fprintln(out, "simulated: true")
	}
	fmt.Fprintf(out, "Unit B/s better=higher\n\n")
	for i := range a.Phases {
		p := &a.Phases[i]
		if p.Overlap == nil {
			continue
		}
		fmt.Fprintf(out, "BenchmarkTogether/phase=%s 1 %s B/s\n", word(p.Name),
			number(p.Overlap.Rate))
		for _, disk := range run.Phases[i].Disks {
			of := fmt.Sprintf("/phase=%s/disk=%s/op=%s", word(p.Name), word(disk.Name), disk.Op)
			fmt.Fprintf(out, "BenchmarkOverlap%s 1 %s B/s\n", of,
				number(p.Overlap.Disks[disk.Name].Rate))
			for i := range disk.Files {
				file := &disk.Files[i]
				if file.Usable() && !file.Filler && isInside(file, p.Overlap.Spans) {
					fmt.Fprintf(out, "BenchmarkFile%s 1 %s B/s\n", of, rate(file))
				}
			}
		}
	}
	return out.Flush()
}

// isInside reports whether a file lies wholly in one of some spans, in seconds.
func isInside(file *trace.File, spans [][2]float64) bool {
	startS, endS := float64(file.StartNS)/1e9, float64(file.EndNS)/1e9
	for _, span := range spans {
		if startS >= span[0] && endS <= span[1] {
			return true
		}
	}
	return false
}

func number(x float64) string { return strconv.FormatFloat(x, 'f', 0, 64) }

// word makes a name fit for a part of a benchmark's, in ASCII: no space, which ends it, no slash,
// which parts it, and no dash, which before digits at its end would be read as GOMAXPROCS.
func word(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || cells.IsControl(r) || r == '/' || r == '-' {
			return '_'
		}
		return r
	}, text)
	return cmp.Or(url.PathEscape(text), "_")
}

// JSON writes a value as the files of a run's folder have it.
func JSON(w io.Writer, v any) error {
	text, err := cells.JSON(v)
	if err != nil {
		return err
	}
	_, err = w.Write(text)
	return err
}
