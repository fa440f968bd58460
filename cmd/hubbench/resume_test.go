package main

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/test/check"
)

const resumeScenario = `version: 1
name: resume
hub: {profile: goshen-ridge, speedup: 500}
disks: [{name: A, simulate: {profile: A}}, {name: C, simulate: {profile: C}}]
workload: {files: 10}
phases: [{pattern: WW}, {pattern: RW}, {pattern: RR}, {pattern: WR}]
`

// TestResume tears the events of runs at ten places, as a power cut does, and resumes them: each then has every phase once,
// and the same files and progress as a run that nothing interrupted. TestKills does so with runs whose processes end.
func TestResume(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 7))
	tear(t, resumeScenario, 10, func(full string) []byte {
		at := random.IntN(len(full))
		return slices.Concat([]byte(full[:at]), make([]byte, random.IntN(2)*512)) // a power cut may leave a hole of zeros
	})
}

// TestResumeSearch tears a run with a search at eight places and resumes it.
func TestResumeSearch(t *testing.T) {
	t.Parallel()
	random, times := rand.New(rand.NewPCG(7, 8)), 8
	if testing.Short() {
		times = 2 // emulated systems take long, and the others differ in where they are torn alone
	}
	tear(t, searchScenario, times, func(full string) []byte {
		if tries := strings.Count(full, `"search":`); tries < 8 {
			t.Fatalf("%d tries: too easy a case", tries)
		}
		return []byte(full[:random.IntN(len(full))])
	})
}

// tear runs a scenario, and resumes copies of the run whose events are torn.
func tear(t *testing.T, text string, times int, torn func(full string) []byte) {
	t.Helper()
	work := t.TempDir()
	scenario, whole := write(t, filepath.Join(work, "s.yaml"), text), filepath.Join(work, "whole")
	t.Log(hubbench(t, "run", scenario, "--out", whole, "--quiet"))
	full := readEvents(t, whole)
	_, simulated := simulated(t, text)
	check.Same(t, "what a run has recorded, as simulated", measured(readEvents(t, simulated)), measured(full))
	for i := range times {
		dir, left := filepath.Join(work, fmt.Sprint("torn-", i)), torn(full)
		must(t, os.CopyFS(dir, os.DirFS(whole)))
		write(t, filepath.Join(dir, rundir.EventsFile), left)
		hubbench(t, "run", "--resume", dir, "--quiet")
		what := fmt.Sprintf("resumed, torn after %d of %d bytes", len(left), len(full))
		check.Same(t, what, measured(full), measured(readEvents(t, dir)))
	}
}

// measured is what a run's events say, less the wall clock's part in it, in an order that does not depend on which
// worker was heard first.
func measured(events string) []string {
	var lines []string
	for line := range strings.Lines(events) {
		if !strings.HasPrefix(line, `{"type":"start"`) && !strings.HasPrefix(line, `{"type":"run"`) {
			lines = append(lines, line)
		}
	}
	slices.Sort(lines)
	return lines
}

func readEvents(t *testing.T, dir string) string {
	t.Helper()
	data := read(t, filepath.Join(dir, rundir.EventsFile))
	return string(data)
}

const searchScenario = `version: 1
name: search
hub: {profile: goshen-ridge, speedup: 500}
disks: [{name: A, simulate: {profile: A}}, {name: C, simulate: {profile: C}}]
phases:
  - {pattern: WW, files: 2}
  - {name: edit, streams: {A: {record: prores-422-hq-uhd-25, count: 16}}, roles: {C: write}, search: {pace: C}, hold: 4 s}
  - {pattern: RR, files: 2}
`
