package main

import (
	"encoding/json"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/test/evidence"
)

// event is a line of go test -json.
type event struct {
	Action, Package, Test string
	Key, Value            string // of an attribute
	Output                string
}

// tests follow what a command prints: the lines of go test -json, or of any program.
type tests struct {
	command *Command
	said    map[string][]string // by each test that runs
	told    []string            // tests that reported a finding which fails
	last    string              // the last line that says something
}

func newTests(c *Command) *tests { return &tests{command: c, said: map[string][]string{}} }

// read takes the findings out of the output.
func (t *tests) read(r io.Reader) error {
	lines := scanner(r)
	for lines.Scan() {
		t.line(lines.Text())
	}
	return lines.Err()
}

func (t *tests) line(text string) {
	var e event
	if !strings.HasPrefix(text, "{") || json.Unmarshal([]byte(text), &e) != nil || e.Action == "" {
		t.find(text)
		t.keep(text)
		return
	}
	switch e.Action {
	case "attr":
		if f := t.find(e.Key + " " + e.Value); f != nil && f.Left == "" && !f.Pass {
			t.told = append(t.told, e.Test)
		}
	case "output", "build-output":
		t.keep(e.Output)
		if said := complaint(e.Output); e.Test != "" && said != "" {
			t.said[e.Test] = append(t.said[e.Test], said)
		}
	case "run":
		t.said[e.Test] = nil
	case "skip":
		// Parts of one test are mostly left out for one reason.
		if name, _, _ := strings.Cut(e.Test, "/"); name != "" {
			if why := t.ended(e.Test, name, 1); !slices.Contains(t.command.Skipped, why) {
				t.command.Skipped = append(t.command.Skipped, why)
			}
		}
	case "fail":
		// A test fails with its subtests, or with its findings: they have said why.
		part := func(s string) bool { return s == e.Test || strings.HasPrefix(s, e.Test+"/") }
		if e.Test != "" && !slices.ContainsFunc(t.command.Failed, part) && !slices.ContainsFunc(t.told, part) {
			t.command.Failed = append(t.command.Failed, t.ended(e.Test, e.Test, lastSaid))
		}
		delete(t.said, e.Test)
	case "pass":
		delete(t.said, e.Test)
	}
}

// find takes a finding out of a line, if it has one.
func (t *tests) find(text string) *evidence.Finding {
	f, ok, err := evidence.Read(text)
	switch {
	case err != nil:
		t.command.Failed = append(t.command.Failed, err.Error())
	case ok:
		t.command.Findings = append(t.command.Findings, f)
		return &f
	}
	return nil
}

// keep remembers a line for when the command ends badly.
func (t *tests) keep(text string) {
	if text = strings.TrimSpace(text); text != "" && !strings.HasPrefix(text, "exit status") && !strings.HasPrefix(text, "FAIL") {
		t.last = text
	}
}

// lastSaid is how much of a test's output is shown if it fails.
const lastSaid = 3

// ended is a test that has ended, by a name to call it, with the last that it said.
func (t *tests) ended(test, name string, most int) string {
	said := t.said[test]
	delete(t.said, test)
	if len(said) == 0 {
		return name
	}
	said = said[max(0, len(said)-most):] // what it logs comes before
	return name + ": " + strings.Join(said, "; ")
}

// end counts the tests that never ended as failed: their program crashed, or was stopped.
func (t *tests) end() {
	var open []string
	for name := range t.said {
		open = append(open, name)
	}
	slices.Sort(open)
	for _, name := range open {
		if !slices.ContainsFunc(open, func(other string) bool { return strings.HasPrefix(other, name+"/") }) {
			t.command.Failed = append(t.command.Failed, fmt.Sprintf("%s never ended", t.ended(name, name, lastSaid)))
		}
	}
}

// complaint is what a test says in a line, without the place in the code; empty if the line is not of that kind.
func complaint(text string) string {
	match := regexp.MustCompile(`^\s+\w+\.go:\d+: (.*)`).FindStringSubmatch(text)
	if match == nil {
		return ""
	}
	return strings.TrimSpace(match[1])
}
