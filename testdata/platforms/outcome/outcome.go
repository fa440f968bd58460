// Package outcome holds what is known of the tests on other systems: what they came to (results.txt), which failures are an
// emulator's own (known.txt), and the list in the manual that is made of both. It runs nothing. Start at Results.
package outcome

import (
	"bufio"
	"fmt"
	"io"
	"slices"
	"strings"
)

// How a system's tests were run, the truest first.
const (
	Machine  = "machine"  // on a real machine of that system
	Wine     = "wine"     // Windows' calls answered by Wine, on Linux
	Loader   = "loader"   // macOS's calls answered by testdata/platforms/loader, on Linux
	Qemu     = "qemu"     // another processor's instructions carried out by qemu, on Linux
	Compiled = "compiled" // built and vetted, not run
)

// Hows are all of them, in that order.
func Hows() []string { return []string{Machine, Wine, Loader, Qemu, Compiled} }

// Result is what the tests of one package came to on one system; without a failure, or it would not be recorded.
type Result struct {
	Platform string // GOOS/GOARCH
	How      string // Machine, Wine, Loader, Qemu or Compiled
	Date     string // YYYY-MM-DD
	Package  string // within the module; all of them if compiled
	Passed   int    // tests and subtests
	Skipped  int
	Excused  int // failed, and listed as the emulator's fault
}

const resultsHead = `# What make platforms RECORD=1 found, a line for each package on each system: platform, how it was run, date, package, and
# how many tests and subtests passed, were skipped, and failed by the emulator's fault (known.txt).
`

// ReadResults reads what WriteResults wrote.
func ReadResults(r io.Reader) ([]Result, error) {
	var all []Result
	err := eachLine(r, func(line string) error {
		var one Result
		n, err := fmt.Sscan(line, &one.Platform, &one.How, &one.Date, &one.Package, &one.Passed, &one.Skipped, &one.Excused)
		if err != nil {
			return fmt.Errorf("%d of 7 fields in %q: %w", n, line, err)
		}
		if !slices.Contains(Hows(), one.How) {
			return fmt.Errorf("%q is no way to run tests; try %s", one.How, strings.Join(Hows(), ", "))
		}
		all = append(all, one)
		return nil
	})
	return all, err
}

// WriteResults writes results in order of platform, how and package.
func WriteResults(w io.Writer, results []Result) error {
	results = slices.Clone(results)
	slices.SortFunc(results, func(a, b Result) int {
		return slices.Compare([]string{a.Platform, a.How, a.Package}, []string{b.Platform, b.How, b.Package})
	})
	text := resultsHead
	for _, r := range results {
		text += fmt.Sprintf("%s %s %s %s %d %d %d\n", r.Platform, r.How, r.Date, r.Package, r.Passed, r.Skipped, r.Excused)
	}
	_, err := io.WriteString(w, text)
	return err
}

// Replace puts fresh in place of what old has of the same platforms and hows.
func Replace(old, fresh []Result) []Result {
	kept := slices.DeleteFunc(slices.Clone(old), func(o Result) bool {
		return slices.ContainsFunc(fresh, func(f Result) bool { return f.Platform == o.Platform && f.How == o.How })
	})
	return append(kept, fresh...)
}

// Known is a failure that is the emulator's fault.
type Known struct {
	How     string
	Package string
	Test    string
	Reason  string
}

// ReadKnown reads a list of such failures: how, package, test and reason on each line.
func ReadKnown(r io.Reader) ([]Known, error) {
	var all []Known
	err := eachLine(r, func(line string) error {
		fields := strings.Fields(line)
		if len(fields) < 5 {
			return fmt.Errorf("%q: want how, package, test, and a reason in words", line)
		}
		if how := fields[0]; how != Wine && how != Loader && how != Qemu {
			return fmt.Errorf("%q: %s is no emulator; try %s, %s or %s", line, how, Wine, Loader, Qemu)
		}
		all = append(all, Known{fields[0], fields[1], fields[2], strings.Join(fields[3:], " ")})
		return nil
	})
	return all, err
}

// eachLine calls f with every line that is neither empty nor a comment.
func eachLine(r io.Reader, f func(string) error) error {
	lines := bufio.NewScanner(r)
	for n := 1; lines.Scan(); n++ {
		line := strings.TrimSpace(lines.Text())
		if line == "" || line[0] == '#' {
			continue
		}
		if err := f(line); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return lines.Err()
}
