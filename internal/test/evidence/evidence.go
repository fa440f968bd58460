// Package evidence is what the checks behind the claims of README and manual measured, compared with the truth.
// A test or a program reports a Finding for each; make proof collects them and writes the page. Start at
// Finding.
package evidence

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
)

// Finding is one thing that was measured and could have turned out wrong.
type Finding struct {
	Claim    string  `json:"claim"`              // by its name in testdata/proof/claims.yaml
	Case     string  `json:"case"`               // what was measured: "WWW, three partitions, median of 5"
	Unit     string  `json:"unit"`               // "B/s", "s", "%", "of 200"; of all the numbers below
	Truth    float64 `json:"truth"`              // what is true: set by the kernel, the profile or the generator
	Measured float64 `json:"measured"`           // what hubbench said
	Low      float64 `json:"low"`                // the interval of Measured, or the least and the most of its runs
	High     float64 `json:"high"`               //
	Limit    string  `json:"limit"`              // what Measured was held to, in words: "within 1 % of the limit"
	Pass     bool    `json:"pass"`               // whether it held
	Left     string  `json:"left_out,omitempty"` // why it was not measured here; then no number above counts
}

// key marks a finding in what go test -json writes, and at the start of a line of other output.
const key = "hubbench-finding"

// Report notes a finding with a test, which make proof reads from its output. It fails the test if the finding fails.
func Report(t testing.TB, f Finding) {
	t.Helper()
	t.Attr(key, line(f))
	if !f.Pass && f.Left == "" {
		t.Errorf("%s, %s: %g %s where %g is true; want %s", f.Claim, f.Case, f.Measured, f.Unit, f.Truth, f.Limit)
	}
}

// Print writes a finding as a line of a program's output.
func Print(w io.Writer, f Finding) error {
	_, err := fmt.Fprintln(w, key, line(f))
	return err
}

func line(f Finding) string {
	text, err := json.Marshal(f)
	if err != nil {
		panic(err) // not a finite number: the check itself is wrong
	}
	return string(text)
}

// Read finds the finding in a line of output, of a program or of a test.
func Read(text string) (Finding, bool, error) {
	_, after, ok := strings.Cut(text, key+" ")
	if !ok {
		return Finding{}, false, nil
	}
	var f Finding
	if err := json.Unmarshal([]byte(after), &f); err != nil {
		return Finding{}, true, fmt.Errorf("finding %q: %w", after, err)
	}
	return f, true, nil
}
