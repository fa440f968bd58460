package export

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
)

// GoBench writes the files' rates and the overlaps' in B/s, so that benchstat and its kin compare runs: a line per file
// for each disk, which gives them a spread, and a line per phase for the total. The format:
// https://go.dev/design/14313-benchmark-format Files that cannot be counted or keep a disk busy for
// the others' sake are left out.
func GoBench(w io.Writer, run *trace.Run, a *analysis.Analysis) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "run: %s\n", line(a.Name))
	if run.Started != "" {
		fmt.Fprintf(out, "started: %s\n", line(run.Started))
	}
	if report.Simulated(run) {
		fmt.Fprintln(out, "simulated: true")
	}
	fmt.Fprintf(out, "Unit B/s better=higher\n\n")
	for i := range a.Phases {
		if p := &a.Phases[i]; p.Overlap != nil {
			fmt.Fprintf(out, "BenchmarkTogether/phase=%s 1 %s B/s\n", word(p.Phase), number(p.Overlap.Rate))
		}
	}
	for _, phase := range run.Phases {
		for _, disk := range phase.Disks {
			name := fmt.Sprintf("BenchmarkFile/phase=%s/disk=%s/op=%s", word(phase.Name), word(disk.Name), word(string(disk.Op)))
			for i := range disk.Files {
				if file := &disk.Files[i]; file.Usable() && !file.Filler {
					fmt.Fprintf(out, "%s 1 %s B/s\n", name, rate(file))
				}
			}
		}
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("write benchmark lines: %w", err)
	}
	return nil
}

func number(x float64) string { return strconv.FormatFloat(x, 'f', 0, 64) }

// line keeps a value on its line.
func line(text string) string {
	return strings.Map(func(r rune) rune {
		if cells.IsControl(r) {
			return ' '
		}
		return r
	}, text)
}

// word makes a name fit for a part of a benchmark's: no space, which ends it, no slash, which parts it, and no
// dash before digits at its end, which would be read as GOMAXPROCS.
func word(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r) || cells.IsControl(r) || r == '/':
			return '_'
		case r == '-':
			return '‐' // U+2010, a hyphen that is no minus
		default:
			return r
		}
	}, text)
	return cmp.Or(text, "_")
}
