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
	"math"
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

// Table writes a table for spreadsheets: numbers plain, with their units in the heads, ranges as two
// columns, what stands beside numbers in columns of its own, and a last column if nothing was
// measured. A first cell that is empty because it would repeat the one above repeats it.
func Table(w io.Writer, t *report.Table, simulated bool) error {
	t = t.Shown()
	lines := make([][]string, 1+len(t.Rows)) // the heads, and the rows
	for i, column := range t.Columns {
		cells := make([]report.Cell, len(t.Rows))
		for k, row := range t.Rows {
			cells[k] = row[i]
		}
		if i == 0 {
			repeatFirst(cells)
		}
		for _, part := range partsOf(column.Head, cells) {
			for k, text := range part {
				lines[k] = append(lines[k], text)
			}
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

// repeatFirst fills cells that are empty with the one above.
func repeatFirst(list []report.Cell) {
	for k := range list {
		if k > 0 && list[k].Words() == "" {
			list[k] = list[k-1]
		}
	}
}

// partsOf returns the columns that a column of a table becomes, each with its head.
func partsOf(head string, list []report.Cell) [][]string {
	var isNumber, isRange bool
	unit := ""
	for _, c := range list {
		isNumber = isNumber || c.Plain[0] != ""
		isRange = isRange || c.Plain[1] != ""
		unit = cmp.Or(unit, c.Unit)
	}
	if unit != "" && !strings.Contains(head, unit) {
		unit = ", " + unit
	} else {
		unit = ""
	}
	words, low, high := []string{head}, []string{head + unit}, []string{head + ", to" + unit}
	shares, remarks := []string{head + ", keeps, %"}, []string{head + ", remark"}
	for _, c := range list {
		remark := strings.TrimSpace(c.Letter + " " + c.Small)
		share := ""
		if c.Heat > 0 && c.Small != "" && isNumber {
			share = strconv.FormatFloat(math.Round(100*c.Heat), 'f', -1, 64)
			remark = c.Letter
		}
		c.Letter, c.Small = "", ""
		if isNumber && c.Plain[0] == "" && c.Text != report.NoNumber {
			remark = strings.TrimSpace(c.Words() + " " + remark)
		}
		words = append(words, cells.NoFormula(c.Words()))
		low, high = append(low, c.Plain[0]), append(high, c.Plain[1])
		shares, remarks = append(shares, share), append(remarks, cells.NoFormula(remark))
	}
	parts := [][]string{words, shares, remarks}
	if isNumber {
		parts = [][]string{low, shares, remarks}
	}
	if isRange {
		parts = [][]string{low, high, shares, remarks}
	}
	out := parts[:1]
	for _, part := range parts[1:] {
		if strings.Join(part[1:], "") != "" {
			out = append(out, part)
		}
	}
	for _, part := range out {
		part[0] = cells.NoFormula(part[0])
	}
	return out
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
