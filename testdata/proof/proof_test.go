// Package proof tests the list of claims and the script that measures them.
package proof

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/tell/manual"
	"github.com/hubbench/hubbench/internal/test/check"
)

var (
	claimLine   = regexp.MustCompile(`(?m)^([a-z-]+) \S.*\n((?:    .*\n)+)`)
	sentence    = regexp.MustCompile(`^    says ((?:.*\n)(?:        .*\n)*)    how `)
	measurement = regexp.MustCompile(`(?m)^    by (?:short|usual|full) [1-9]\d* (\./\S+) -run (\S+)`)
)

// TestClaims holds README and manual to saying every sentence that is measured, and each
// measurement to naming tests that there are. That they report findings, proof.sh wants.
func TestClaims(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	read := func(name string) string {
		text, err := os.ReadFile(name)
		check.Must(t, err)
		return string(text)
	}
	oneLine := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	said := read("README.md")
	for _, topic := range manual.Topics() {
		page, err := topic.Markdown()
		check.Must(t, err)
		said += page
	}
	said = oneLine(said)
	list := read("testdata/proof/claims.txt")
	claims := 0
	for _, claim := range claimLine.FindAllStringSubmatch(list, -1) {
		name, about := claim[1], claim[2]
		claims++
		says := sentence.FindStringSubmatch(about)
		if says == nil || !strings.Contains(said, oneLine(says[1])) {
			t.Errorf("%s: neither the README nor the manual says %q", name, says)
		}
		by := measurement.FindAllStringSubmatch(about, -1)
		if len(by) == 0 || len(by) != strings.Count(about, "\n    by ") {
			t.Errorf("%s: want by, a set, minutes, a folder and -run in each measurement:\n%s",
				name, about)
		}
		for _, m := range by {
			checkTests(t, name, m[1], m[2])
		}
	}
	all := regexp.MustCompile(`(?m)^[a-z]`).FindAllString(list, -1)
	if claims < 20 || claims != len(all) {
		t.Errorf("%d claims of %d can be read", claims, len(all))
	}
}

// checkTests checks that a folder has tests of each of the names.
func checkTests(t *testing.T, claim, folder, names string) {
	t.Helper()
	var tests [][]byte
	files, _ := filepath.Glob(filepath.Join(folder, "*_test.go"))
	declared := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	for _, file := range files {
		text, err := os.ReadFile(file)
		check.Must(t, err)
		for _, match := range declared.FindAllSubmatch(text, -1) {
			tests = append(tests, match[1])
		}
	}
	for part := range strings.SplitSeq(names, "|") {
		name, found := regexp.MustCompile(part), false
		for _, test := range tests {
			found = found || name.Match(test)
		}
		if !found {
			t.Errorf("%s: no test in %s is called %s", claim, folder, part)
		}
	}
}

// TestVerdicts has the script measure one claim by a go that does as it is told: nothing that goes
// wrong is passed over.
func TestVerdicts(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil || runtime.GOOS != "linux" {
		t.Skip("needs bash, as on Linux")
	}
	const attr = "=== ATTR  TestX hubbench-finding latency\t2 s\t1 s\t2 s at most\t"
	for _, tt := range []struct {
		name, says, status string
		code               int
		want               string
	}{
		{"holds", attr + "yes\ta case\n--- PASS: TestX (0.00s)\n", "0", 0, "1 of 1 claims hold."},
		{"fails", attr + "no\ta case\n--- FAIL: TestX (0.00s)\n", "1", 1,
			"fails: a case: 1 s; want 2 s at most"},
		{"fails otherwise", "=== RUN   TestX\n" + attr +
			"yes\ta case\n    x_test.go:1: it leaked\n--- FAIL: TestX (0.00s)\n", "1", 1,
			"TestX: it leaked"},
		{"skips", "=== RUN   TestX\n    x_test.go:1: needs root\n--- SKIP: TestX (0.00s)\n", "0", 0,
			"0 of 0 claims hold. Not measured here: latency."},
		{"says why", "=== RUN   TestX\n    x_test.go:1: needs root\n--- SKIP: TestX (0.00s)\n", "0",
			0, "TestX: needs root"},
		{"crashes", "=== RUN   TestX\npanic: out of luck\n", "2", 1, "panic: out of luck"},
		{"does not build", "x.go:1:1: undefined: y\nFAIL\n", "1", 1, "undefined: y"},
		{"says nothing", "--- PASS: TestX (0.00s)\n", "0", 1, "the tests report nothing"},
		{"leaves out", attr + "left out\ta case: no FUSE here\n", "0", 0,
			"Not measured here: latency."},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			script := "#!/bin/sh\ncat \"$0.says\"\nexit " + tt.status + "\n"
			//nolint:gosec // It is a program.
			check.Must(t, os.WriteFile(filepath.Join(dir, "go"), []byte(script), 0o755))
			check.Must(t, os.WriteFile(filepath.Join(dir, "go.says"), []byte(tt.says), 0o644))
			cmd := exec.Command("bash", "proof.sh", "latency")
			cmd.Env = append(os.Environ(), "LOG="+filepath.Join(dir, "log"), "PATH="+dir+
				string(os.PathListSeparator)+os.Getenv("PATH"))
			out, err := cmd.CombinedOutput()
			if code := cmd.ProcessState.ExitCode(); code != tt.code ||
				!strings.Contains(string(out), tt.want) {
				t.Errorf("%d, %v, want %d and %q:\n%s", code, err, tt.code, tt.want, out)
			}
		})
	}
}
