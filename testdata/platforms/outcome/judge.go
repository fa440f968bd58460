package outcome

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Event is a line of go test -json.
type Event struct {
	Action  string
	Package string
	Test    string
	Output  string
}

// Tests is what one package's tests did.
type Tests struct {
	Package string              // import path
	Ends    map[string]string   // of each test: pass, skip, fail, or run if it never ended
	Output  map[string][]string // of each test, and of the program itself under ""
	Failed  bool                // the program as a whole
	Empty   bool                // nothing to test
}

// ReadTests reads what go test -json writes, and returns the packages in order.
func ReadTests(r io.Reader) ([]*Tests, error) {
	all := map[string]*Tests{}
	lines := json.NewDecoder(r)
	for {
		var e Event
		if err := lines.Decode(&e); err == io.EOF {
			break
		} else if err != nil {
			return nil, fmt.Errorf("read what go test -json writes: %w", err)
		}
		if e.Package == "" { // of a build, whose end comes as that of its package
			continue
		}
		t := all[e.Package]
		if t == nil {
			t = &Tests{Package: e.Package, Ends: map[string]string{}, Output: map[string][]string{}}
			all[e.Package] = t
		}
		t.add(e)
	}
	return slices.SortedFunc(maps.Values(all), func(a, b *Tests) int { return strings.Compare(a.Package, b.Package) }), nil
}

func (t *Tests) add(e Event) {
	switch e.Action {
	case "run", "pass", "skip", "fail":
		switch {
		case e.Test != "":
			t.Ends[e.Test] = e.Action
		case e.Action == "fail":
			t.Failed = true
		case e.Action == "skip":
			t.Empty = true
		}
	case "output":
		t.Output[e.Test] = append(t.Output[e.Test], e.Output)
	}
}

// crashed says that the program ended before its tests did.
func (t *Tests) crashed() bool {
	for _, end := range t.Ends {
		if end == "run" {
			return true
		}
	}
	for _, lines := range t.Output {
		if slices.ContainsFunc(lines, func(l string) bool { return strings.HasPrefix(l, "panic: ") || strings.HasPrefix(l, "fatal error: ") }) {
			return true
		}
	}
	return false
}

// failures are the tests that failed by themselves: a test whose subtest fails, fails with it.
func (t *Tests) failures() []string {
	var all []string
	for test, end := range t.Ends {
		if end == "fail" || end == "run" {
			all = append(all, test)
		}
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Clone(all), func(test string) bool {
		return slices.ContainsFunc(all, func(other string) bool { return strings.HasPrefix(other, test+"/") })
	})
}

// ofPackage is what is known of a package's tests.
func ofPackage(known []Known, how, pkg string) []Known {
	return slices.DeleteFunc(slices.Clone(known), func(k Known) bool { return k.How != how || k.Package != pkg })
}

// unlisted are the failed tests that are not known to fail.
func unlisted(failed []string, listed []Known) []string {
	return slices.DeleteFunc(slices.Clone(failed), func(test string) bool {
		return slices.ContainsFunc(listed, func(k Known) bool { return k.Test == test })
	})
}

// Judge counts what a package's tests came to and lists what is wrong: each failure that is not known to be the
// emulator's fault, and each one known that did not happen.
func Judge(t *Tests, how, pkg string, known []Known) (Result, []string) {
	r := Result{How: how, Package: pkg}
	for _, end := range t.Ends {
		switch end {
		case "pass":
			r.Passed++
		case "skip":
			r.Skipped++
		}
	}
	var wrong []string
	failed := t.failures()
	listed := ofPackage(known, how, pkg)
	unexcused := unlisted(failed, listed)
	r.Excused = len(failed) - len(unexcused)
	for _, test := range unexcused {
		wrong = append(wrong, fmt.Sprintf("%s fails:\n%s", test, strings.Join(t.Output[test], "")))
	}
	for _, k := range listed {
		if !slices.Contains(failed, k.Test) {
			wrong = append(wrong, fmt.Sprintf("%s is in known.txt and does not fail: take it off the list", k.Test))
		}
	}
	if t.crashed() {
		wrong = append(wrong, "the tests did not finish:\n"+strings.Join(t.Output[""], ""))
	} else if t.Failed && len(failed) == 0 {
		wrong = append(wrong, "failed, though no test did:\n"+strings.Join(t.Output[""], ""))
	}
	return r, wrong
}
