package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// outcome is what became of a mutant.
type outcome string

const (
	killed     outcome = "killed"
	timedOut   outcome = "timedout" // killed by time
	survived   outcome = "survived"
	equivalent outcome = "equivalent"
	invalid    outcome = "invalid" // does not compile
)

// memoryKB bounds a test, for mutants that never stop appending.
const memoryKB = 6_000_000

// together is how long tests may take to be run at once: to start a program for each would take longer.
const together = time.Second

// test is one of a package, with the lines that it runs.
type test struct {
	name string
	took time.Duration
	runs map[string][]block // by file
}

// block is code from a place to another, in lines and columns.
type block struct{ from, to [2]int }

type suite struct {
	pkg, dir string
	exec     []string
	tests    []test // the quickest first
	sum      [sha256.Size]byte
}

// newSuite measures the package's tests one by one.
func newSuite(pkg, dir string, o options) (*suite, error) {
	s := &suite{pkg: pkg, dir: dir, exec: o.exec}
	plain, covered := filepath.Join(dir, "plain"), filepath.Join(dir, "covered")
	if _, err := s.build(plain); err != nil {
		return nil, err
	}
	var err error
	if s.sum, err = sumOf(plain); err != nil {
		return nil, err
	}
	if _, err := s.build(covered, "-cover"); err != nil {
		return nil, err
	}
	list, err := s.command(context.Background(), covered, "-test.list=.").Output()
	if err != nil {
		return nil, fmt.Errorf("list the tests: %w", err)
	}
	profile := filepath.Join(dir, "profile")
	for name := range strings.FieldsSeq(string(list)) {
		if strings.HasPrefix(name, "Benchmark") {
			continue
		}
		start := time.Now()
		if out, err := s.command(context.Background(), covered, "-test.run=^"+name+"$", "-test.coverprofile="+profile).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("%s fails without any mutant: %w\n%s", name, err, out)
		}
		t := test{name: name, took: time.Since(start)}
		if o.within > 0 && t.took > o.within {
			continue
		}
		if t.runs, err = readProfile(profile, pkg); err != nil {
			return nil, err
		}
		s.tests = append(s.tests, t)
	}
	slices.SortFunc(s.tests, func(a, b test) int { return cmp.Compare(a.took, b.took) })
	return s, nil
}

func (s *suite) total() time.Duration {
	var sum time.Duration
	for _, t := range s.tests {
		sum += t.took
	}
	return sum
}

// build compiles the tests. What it says is returned if it fails for an error in the code. Nothing is inlined: made part of a
// test, a function may lose by that test's arguments what others would need.
func (s *suite) build(to string, flags ...string) (said string, err error) {
	args := slices.Concat([]string{"test", "-c", "-vet=off", "-gcflags=-l", "-ldflags=-s -w -buildid=", "-o", to}, flags, []string{"./" + s.pkg})
	out, err := exec.Command("go", args...).CombinedOutput()
	if err != nil {
		return string(out), fmt.Errorf("compile the tests: %w\n%s", err, out)
	}
	return "", nil
}

// command runs a test binary where go test would, with bounded memory if the shell can.
func (s *suite) command(ctx context.Context, binary string, args ...string) *exec.Cmd {
	line := slices.Concat(s.exec, []string{"sh", "-c", fmt.Sprintf(`ulimit -v %d 2>/dev/null; exec "$0" "$@"`, memoryKB), binary}, args)
	cmd := exec.CommandContext(ctx, line[0], line[1:]...)
	cmd.Dir = s.pkg
	return cmd
}

var profileLine = regexp.MustCompile(`^.*/([^/]+\.go):(\d+)\.(\d+),(\d+)\.(\d+) \d+ (\d+)$`)

func readProfile(name, pkg string) (map[string][]block, error) {
	f, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	runs := map[string][]block{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		part := profileLine.FindStringSubmatch(lines.Text())
		if part == nil || part[6] == "0" {
			continue
		}
		var n [4]int
		for i := range n {
			if n[i], err = strconv.Atoi(part[2+i]); err != nil {
				return nil, err
			}
		}
		file := pkg + "/" + part[1]
		runs[file] = append(runs[file], block{[2]int{n[0], n[1]}, [2]int{n[2], n[3]}})
	}
	return runs, lines.Err()
}

// meet are the tests that run the mutant's place; all if it is in no function.
func (s *suite) meet(m mutant) []test {
	within := func(b block) bool {
		return slices.Compare(b.from[:], m.run[:]) <= 0 && slices.Compare(m.run[:], b.to[:]) <= 0
	}
	if m.outside {
		return s.tests
	}
	var list []test
	for _, t := range s.tests {
		if slices.ContainsFunc(t.runs[m.file], within) {
			list = append(list, t)
		}
	}
	return list
}

// outcome tries a mutant. What killed it is returned for people to read.
func (s *suite) outcome(m mutant, known equivalents, worker int) (mutant, outcome, string, error) {
	if known.has(m) {
		return m, equivalent, "", nil
	}
	dir := filepath.Join(s.dir, strconv.Itoa(worker))
	binary := filepath.Join(dir, "mutant")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return m, "", "", err
	}
	overlay, err := s.overlay(m, dir)
	if err != nil {
		return m, "", "", err
	}
	if said, err := s.build(binary, "-overlay="+overlay); err != nil {
		if strings.Contains(said, "mutant.go:") {
			return m, invalid, "", nil
		}
		return m, "", "", err
	}
	tests := s.meet(m)
	if sum, err := sumOf(binary); err != nil || sum == s.sum && len(tests) > 0 { // what no test needs is not linked
		return m, equivalent, " (the same program)", err
	}
	for len(tests) > 0 {
		n, took := 1, tests[0].took
		for n < len(tests) && took+tests[n].took < together {
			took += tests[n].took
			n++
		}
		if got, by := s.fails(binary, tests[:n], took); got != survived {
			return m, got, by, nil
		}
		tests = tests[n:]
	}
	return m, survived, "", nil
}

// overlay writes the mutant and the list that has it compiled in place of the file.
func (s *suite) overlay(m mutant, dir string) (string, error) {
	code, err := m.written()
	if err != nil {
		return "", err
	}
	original, err := filepath.Abs(m.file)
	if err != nil {
		return "", err
	}
	name, list := filepath.Join(dir, "mutant.go"), filepath.Join(dir, "overlay.json")
	text, err := json.Marshal(map[string]any{"Replace": map[string]string{original: name}})
	if err != nil {
		return "", err
	}
	return list, errors.Join(os.WriteFile(name, code, 0o600), os.WriteFile(list, text, 0o600))
}

var failure = regexp.MustCompile(`(?m)^--- FAIL: (\S+)`)

// fails runs tests until one fails.
func (s *suite) fails(binary string, tests []test, usual time.Duration) (outcome, string) {
	names := make([]string, len(tests))
	for i, t := range tests {
		names[i] = t.name
	}
	out, err := s.command(context.Background(), binary, "-test.failfast", "-test.run=^("+strings.Join(names, "|")+")$",
		"-test.timeout="+(10*time.Second+10*usual).String()).CombinedOutput()
	switch {
	case err == nil:
		return survived, ""
	case bytes.Contains(out, []byte("panic: test timed out")):
		return timedOut, ""
	}
	if name := failure.FindSubmatch(out); name != nil {
		return killed, " (" + string(name[1]) + ")"
	}
	return killed, ""
}

func sumOf(name string) ([sha256.Size]byte, error) {
	b, err := os.ReadFile(name)
	return sha256.Sum256(b), err
}
