// Package evidence is what the checks behind the claims of README and manual measured, compared with the truth.
// A test reports a Finding for each; make proof collects them and writes the page. Start at Finding.
package evidence

import (
	"encoding/json"
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

// Key is the name of the attribute that is a finding, as JSON, in what go test -json writes.
const Key = "hubbench-finding"

// Report notes a finding with a test, which make proof reads from its output. It fails the test if the finding fails.
func Report(t testing.TB, f Finding) {
	t.Helper()
	text, err := json.Marshal(f)
	if err != nil {
		t.Fatal(err) // not a finite number: the check itself is wrong
	}
	t.Attr(Key, string(text))
	if !f.Pass && f.Left == "" {
		t.Errorf("%s, %s: %g %s where %g is true; want %s", f.Claim, f.Case, f.Measured, f.Unit, f.Truth, f.Limit)
	}
}

// Trials is how many there is time for: n, and fewer under the race detector.
func Trials(n, fewer int) int {
	if Raced {
		return fewer
	}
	return n
}
