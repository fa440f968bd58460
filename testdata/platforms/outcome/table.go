package outcome

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/unit"
)

// Page is the page of the manual that has the list.
const Page = "internal/tell/manual/platforms.md"

// The list stands in the page between these lines.
const (
	listBegins = "<!-- written by make platforms RECORD=1 from testdata/platforms/results.txt -->\n"
	listEnds   = "<!-- end of the list -->\n"
)

// InPage puts the list of results into the manual's page.
func InPage(page string, results []Result) (string, error) {
	before, rest, ok := strings.Cut(page, listBegins)
	_, after, ended := strings.Cut(rest, listEnds)
	if !ok || !ended {
		return "", fmt.Errorf("the page lacks a place for the list, which lies between the lines %q and %q", listBegins, listEnds)
	}
	return before + listBegins + "\n" + List(results) + listEnds + after, nil
}

// List is the page's: an entry for each system and way to run its tests, as a definition list in Markdown.
func List(results []Result) string {
	var text string
	for _, p := range systems(results) {
		for _, how := range Hows() {
			if row := of(results, p, how); len(row) > 0 && (how != Compiled || len(run(results, p)) == 0) {
				text += fmt.Sprintf("%s\n: %s. %s (%s).\n\n", title(p), describe(how, row), counts(how, row), latest(row))
			}
		}
	}
	return text
}

// systems lists the platforms, those that something ran on first.
func systems(results []Result) []string {
	var all []string
	for _, r := range results {
		if !slices.Contains(all, r.Platform) {
			all = append(all, r.Platform)
		}
	}
	slices.SortFunc(all, func(a, b string) int {
		return slices.Compare([]string{rank(results, a), title(a)}, []string{rank(results, b), title(b)})
	})
	return all
}

// rank puts a platform by the truest way it was tested.
func rank(results []Result, platform string) string {
	for i, how := range Hows() {
		if len(of(results, platform, how)) > 0 {
			return fmt.Sprint(i)
		}
	}
	return ""
}

func of(results []Result, platform, how string) []Result {
	return slices.DeleteFunc(slices.Clone(results), func(r Result) bool { return r.Platform != platform || r.How != how })
}

// run are the results on a platform that something ran for.
func run(results []Result, platform string) []Result {
	return slices.DeleteFunc(slices.Clone(results), func(r Result) bool { return r.Platform != platform || r.How == Compiled })
}

func title(platform string) string {
	os, arch, _ := strings.Cut(platform, "/")
	if name, ok := map[string]string{"darwin": "macOS", "linux": "Linux", "windows": "Windows"}[os]; ok {
		os = name
	}
	if name, ok := map[string]string{
		"macOS amd64": "Intel", "macOS arm64": "Apple silicon", "Linux amd64": "x86-64", "Windows amd64": "x86-64", "Linux arm64": "ARM64", "Windows arm64": "ARM64",
		"Linux s390x": "s390x, which stores the high byte first",
	}[os+" "+arch]; ok {
		arch = name
	}
	return os + ", " + arch
}

// describe says in words what was done.
func describe(how string, row []Result) string {
	has := func(prefix string) bool {
		return slices.ContainsFunc(row, func(r Result) bool { return strings.HasPrefix(r.Package, prefix) })
	}
	what := "every package"
	switch {
	case !has("cmd/"):
		what = "the calculations (`pkg`)"
	case !has("pkg/"):
		what = "the commands, and what differs between systems"
	}
	switch how {
	case Machine:
		return "A real machine: " + what
	case Wine:
		return "Wine, which answers Windows' system calls on Linux: " + what
	case Loader:
		return "A stand-in on Linux that answers macOS's system calls: " + what
	case Qemu:
		return "qemu, which runs the processor's instructions on another one: " + what
	default:
		return "Compiled and checked, not run"
	}
}

func counts(how string, row []Result) string {
	if how == Compiled {
		return "No test was run"
	}
	var passed, skipped, excused int
	for _, r := range row {
		passed, skipped, excused = passed+r.Passed, skipped+r.Skipped, excused+r.Excused
	}
	text := unit.Plural(passed, "test") + " passed"
	if skipped > 0 {
		text += fmt.Sprintf(", %d skipped", skipped)
	}
	if excused > 0 {
		text += fmt.Sprintf(", %d failed because of the stand-in", excused)
	}
	return text
}

func latest(row []Result) string {
	date := ""
	for _, r := range row {
		date = max(date, r.Date)
	}
	return date
}
