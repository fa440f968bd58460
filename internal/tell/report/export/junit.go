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

// JUnit writes runs that were held to limits as CI systems read test results: a suite a run, a case
// a limit. What was not measured is an error, which is neither a pass nor a failure.
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
		Time     string     `xml:"time,attr"`
		Started  string     `xml:"timestamp,attr,omitempty"`
		Host     string     `xml:"hostname,attr,omitempty"`
		Cases    []testcase `xml:"testcase"`
	}
	out := struct {
		XMLName xml.Name `xml:"testsuites"`
		Suites  []suite  `xml:"testsuite"`
	}{}
	for _, run := range runs {
		s := suite{
			Name: cells.Clean(run.Run), Tests: len(run.Results),
			Time:    fmt.Sprintf("%.3f", run.Seconds),
			Started: cells.Clean(run.Started), Host: cells.Clean(run.Host),
		}
		for _, r := range run.Results {
			c := testcase{
				Class: cells.Clean(strings.Join(strings.Fields(r.Phase+" "+r.Disk), " ")),
				Name:  r.Measure + " " + r.Bounds,
				Out:   report.MeasuredText(&r),
			}
			switch {
			case r.Verdict == limit.Fail:
				s.Failures++
				c.Failure = &problem{report.ResultText(&r)}
			case r.Verdict == limit.Unsure:
				s.Errors++
				c.Error = &problem{report.ResultText(&r)}
			case r.WithinMargin:
				c.Out = report.ResultText(&r)
			}
			s.Cases = append(s.Cases, c)
		}
		out.Suites = append(out.Suites, s)
	}
	text, err := xml.MarshalIndent(out, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	return err
}
