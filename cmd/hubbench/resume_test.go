package main

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/internal/test/check"
)

const resumeScenario = `version: 1
name: resume
hub: {profile: goshen-ridge, speedup: 500}
disks: [{name: A, simulate: {profile: A}}, {name: C, simulate: {profile: C}}]
workload: {files: 10}
phases: [{pattern: WW}, {pattern: RW}, {pattern: RR}, {pattern: WR}]
`

// TestResume tears the events of runs at ten places, as a power cut does, and resumes them: each
// then has every phase once, and the same files and progress as a run that nothing interrupted.
// TestKills does so with runs whose processes end.
func TestResume(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(7, 7))
	tear(t, resumeScenario, 10, func(full string) []byte {
		at := random.IntN(len(full))
		// A power cut may leave a hole of zeros.
		return slices.Concat([]byte(full[:at]), make([]byte, random.IntN(2)*512))
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

// recordedRun runs a scenario to its end.
func recordedRun(t *testing.T, text string) (dir, events string) {
	t.Helper()
	work := t.TempDir()
	dir = filepath.Join(work, "out")
	hubbench(t, "run", write(t, filepath.Join(work, "s.yaml"), text), "--out", dir, "--quiet")
	return dir, readEvents(t, dir)
}

// tear runs a scenario, and resumes copies of the run whose events are torn.
func tear(t *testing.T, text string, times int, torn func(full string) []byte) {
	t.Helper()
	whole, full := recordedRun(t, text)
	_, simulated := simulated(t, text)
	check.Same(t, "what a run has recorded, as simulated", measured(readEvents(t, simulated)),
		measured(full))
	for i := range times {
		dir, left := fmt.Sprint(whole, "-torn-", i), torn(full)
		must(t, os.CopyFS(dir, os.DirFS(whole)))
		write(t, filepath.Join(dir, rundir.EventsFile), left)
		stillRunning(t, dir)
		if i == 0 { // a run.json without the effective modes does not end a run that goes on
			path := filepath.Join(dir, rundir.InfoFile)
			write(t, path, bytes.Replace(read(t, path), []byte(`"effective":`), []byte(`"x":`), 1))
		}
		hubbench(t, "run", "--resume", dir, "--quiet")
		what := fmt.Sprintf("resumed, torn after %d of %d bytes", len(left), len(full))
		check.Same(t, what, measured(full), measured(readEvents(t, dir)))
	}
}

// stillRunning gives a run the status that one has which was cut off.
func stillRunning(t *testing.T, dir string) {
	t.Helper()
	path := filepath.Join(dir, rundir.InfoFile)
	const running = `"status": "running"`
	text := bytes.Replace(read(t, path), []byte(`"status": "complete"`), []byte(running), 1)
	if !bytes.Contains(text, []byte(running)) {
		t.Fatalf("%s has no status: %s", path, text)
	}
	write(t, path, text)
}

// A run that says it is complete, and whose events cannot be read to their end, is damaged: nothing
// of it is lost.
func TestResumeOfADamagedRun(t *testing.T) {
	t.Parallel()
	dir, full := recordedRun(t, resumeScenario)
	lines := strings.SplitAfter(full, "\n")
	lines[len(lines)/2] = "{\"bad\": \n"
	for name, events := range map[string][]byte{
		rundir.EventsFile: []byte(strings.Join(lines, "")),
		rundir.PackedFile: packed(t, full)[:1000],
	} {
		must(t, os.RemoveAll(filepath.Join(dir, rundir.EventsFile)))
		must(t, os.RemoveAll(filepath.Join(dir, rundir.PackedFile)))
		write(t, filepath.Join(dir, name), events)
		before := stamped(t, dir)
		code, said := newKilledRun(filepath.Dir(dir), "").do("run", "--resume", "out")
		if code != exit.Failed || !strings.Contains(said,
			"run.json says that the run is complete") {
			t.Errorf("%s: exit code %d: %s", name, code, said)
		}
		check.Same(t, name, before, stamped(t, dir))
	}
}

// A run that is complete is left as it is, be its events compressed or not, and its disks there or
// not; of one whose results were cut off, those are written. Nothing is changed before a run can go
// on.
func TestResumeOfCompressed(t *testing.T) {
	t.Parallel()
	run := newKilledRun(t.TempDir(), killReal)
	must(t, run.begin())
	if code, said := run.wait(); code != exit.OK {
		t.Fatalf("exit code %d: %s", code, said)
	}
	plain := readEvents(t, run.out)
	resume := func(what string, want int, says string, args ...string) {
		t.Helper()
		code, said := run.do(append([]string{"run", "--resume", "out", "--allow",
			"busy,background"}, args...)...)
		if code != want || !strings.Contains(said, says) {
			t.Errorf("%s: exit code %d, want %d and %q: %s", what, code, want, says, said)
		}
	}
	unplugged := run.disks()[0] + "-elsewhere"
	must(t, os.Rename(run.disks()[0], unplugged))
	before := stamped(t, run.out)
	resume("complete", exit.OK, "out is complete: all of its 3 phases are measured")
	check.Same(t, "a complete run", before, stamped(t, run.out))
	must(t, os.Remove(filepath.Join(run.out, rundir.ReportFile)))
	resume("complete, without a page", exit.OK, "out is complete", "--compress", "--format", "csv")
	delete(before, rundir.EventsFile)
	before[rundir.ReportFile], before["events.jsonl.zst"] = "there", "there"
	after := stamped(t, run.out)
	after[rundir.ReportFile], after["events.jsonl.zst"] = "there", "there"
	check.Same(t, "a complete run whose page was missing", before, after)
	before = stamped(t, run.out)
	resume("compressed", exit.OK, "out is complete", "--compress", "--format", "html",
		"--quiet=false")
	check.Same(t, "a complete run that is compressed", before, stamped(t, run.out))

	// The same, cut off and compressed by a person.
	must(t, os.Remove(filepath.Join(run.out, "events.jsonl.zst")))
	write(t, filepath.Join(run.out, "events.jsonl.zst"),
		packed(t, plain[:strings.LastIndex(plain, `{"type":"phase_end"`)]))
	stillRunning(t, run.out)
	before = stamped(t, run.out)
	resume("cut off, without a disk", exit.Misuse, "disk A")
	check.Same(t, "a run whose disk is away", before, stamped(t, run.out))
	must(t, os.Rename(unplugged, run.disks()[0]))
	write(t, filepath.Join(run.out, rundir.EventsFile), "")
	resume("two records", exit.Failed, "events.jsonl.zst are both there")
	must(t, os.Remove(filepath.Join(run.out, rundir.EventsFile)))
	resume("cut off", exit.OK, "2 of 3 phases are complete")
	check.Same(t, "resumed", moved(plain), moved(readEvents(t, run.out)))
	if recorded.Exists(filepath.Join(run.out, "events.jsonl.zst")) {
		t.Error("the compressed events are left")
	}
}

func packed(t *testing.T, text string) []byte {
	t.Helper()
	zip, err := zstd.NewWriter(nil)
	must(t, err)
	return zip.EncodeAll([]byte(text), nil)
}

// snapshot is what a folder holds, and since when.
func snapshot(dir string) (map[string]string, error) {
	files := map[string]string{}
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		info, statErr := e.Info()
		text, readErr := os.ReadFile(filepath.Join(dir, e.Name()))
		if err = errors.Join(err, statErr, readErr); err == nil {
			files[e.Name()] = info.ModTime().String() + string(text)
		}
	}
	return files, err
}

func stamped(t testing.TB, dir string) map[string]string {
	t.Helper()
	files, err := snapshot(dir)
	must(t, err)
	return files
}

// measured is what a run's events say, less the wall clock's part in it, in an order that does not
// depend on which worker was heard first.
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
  - name: edit
    streams: {A: {record: prores-422-hq-uhd-25, count: 16}}
    roles: {C: write}
    search: {pace: C}
    hold: 4 s
  - {pattern: RR, files: 2}
`
