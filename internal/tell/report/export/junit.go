package export

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/pkg/limit"
)

// JUnit writes runs that were held to limits as CI systems read test results: a suite a run, a case a limit. What
// cannot be judged is an error, which is neither a pass nor a failure.
func JUnit(w io.Writer, runs []report.Checked) error {
	type problem struct {
		Message string `xml:"message,attr"`
	}
	type testcase struct {
		Class   string   `xml:"classname,attr"`
		Name    string   `xml:"name,attr"`
		Failure *problem `xml:"failure,omitempty"`
		Error   *problem `xml:"error,omitempty"`
		Out     string   `xml:"system-out,omitempty"`
	}
	type suite struct {
		Name     string     `xml:"name,attr"`
		Tests    int        `xml:"tests,attr"`
		Failures int        `xml:"failures,attr"`
		Errors   int        `xml:"errors,attr"`
		Cases    []testcase `xml:"testcase"`
	}
	out := struct {
		XMLName xml.Name `xml:"testsuites"`
		Suites  []suite  `xml:"testsuite"`
	}{}
	for _, run := range runs {
		s := suite{Name: cells.Clean(run.Run), Tests: len(run.Results)}
		for _, r := range run.Results {
			c := testcase{
				Class: cells.Clean(strings.Join(strings.Fields(r.Phase+" "+r.Disk), " ")), Name: r.Measure + " " + r.Bounds,
				Out: report.Measured(&r),
			}
			switch r.Verdict {
			case limit.Fail:
				s.Failures++
				c.Failure = &problem{Said(&r)}
			case limit.Unsure:
				s.Errors++
				c.Error = &problem{Said(&r)}
			}
			s.Cases = append(s.Cases, c)
		}
		out.Suites = append(out.Suites, s)
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	enc := xml.NewEncoder(w)
	enc.Indent("", "  ")
	if err := enc.Encode(out); err != nil {
		return err
	}
	_, err := fmt.Fprintln(w)
	return err
}

// Said is a limit that did not pass in one line: "WWW, disk A: rate 0.68 GB/s, want at least 1.2 GB/s".
func Said(r *limit.Result) string {
	of := r.Phase
	if r.Disk != "" {
		of = strings.TrimPrefix(of+", disk "+r.Disk, ", ")
	}
	measured := report.Measured(r)
	if measured == "" {
		measured = "not measured"
	}
	text := fmt.Sprintf("%s: %s %s, want %s", of, r.Measure, measured, r.Bounds)
	if r.Why != "" {
		text += ": " + r.Why
	}
	return cells.Clean(strings.TrimPrefix(text, ": "))
}
