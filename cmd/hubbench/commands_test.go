package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/configs"
)

// completed is what a shell is offered for the last of the arguments, less the descriptions.
func completed(t *testing.T, args ...string) string {
	t.Helper()
	return strings.Join(strings.Fields(prints(t, append([]string{"__completeNoDesc"}, args...)...)), " ")
}

func TestCompletions(t *testing.T) {
	t.Chdir(t.TempDir())
	const scenario = `version: 1
name: small
hub: {profile: goshen-ridge}
disks: [{name: A, simulate: {profile: A}}, {name: C, simulate: {profile: C}}]
workload: {files: 2}
phases: [{pattern: WW}, {pattern: RR}]
`
	write(t, "small.yaml", scenario)
	prints(t, "simulate", "small.yaml", "--out", "out")
	const only, names, inFolders, orFiles = ":4", ":8", ":16", ":0" // what the shell is to do beside
	for _, tt := range []struct{ args, want string }{
		{"run ", "yaml yml " + names},
		{"run small.yaml ", only},
		{"run --resume ", inFolders},
		{"report ", "jsonl html " + names},
		{"report out --format ", "html svg png csv md gobench text json " + only},
		{"report out --phase ", "WW RR " + only},
		{"report out/events.jsonl --phase ", "WW RR " + only},
		{"report out/report.html --phase ", "WW RR " + only},
		{"report --phase ", only},
		{"report out --chart ", "answer size spread time worn " + only},
		{"analyze out/report.html --phase ww --table ", "all-files all-phases answer averages disks files pairs rules stages where-it-was-measured " + only},
		{"compare out --format ", "text md html json csv svg png " + only},
		{"compare out ", "jsonl html " + names},
		{"simulate small.yaml --profile ", "goshen-ridge ideal thunderbolt-5 usb-10g " + orFiles},
		{"predict ", "goshen-ridge ideal thunderbolt-5 usb-10g " + orFiles},
		{"predict usb-10g ", "A B C " + only},
		{"predict usb-10g C ", "A B " + only},
		{"predict nothing ", only},
		{"mount ", "goshen-ridge ideal thunderbolt-5 usb-10g " + orFiles},
		{"mount ideal ", inFolders},
		{"devices --format ", "text md html json csv " + only},
		{"devices ", only},
		{"schema ", only},
		{"init ", only},
		{"init --out ", "yaml yml " + names},
		{"init --from ", strings.Join(configs.Scenarios(), " ") + " " + only},
		{"man ", inFolders},
		{"man pages ", only},
		{"man --format ", "man md " + only},
		{"clean ", inFolders},
		{"doctor ", inFolders},
		{"doctor out ", inFolders},
		{"doctor --format ", "text md html json csv " + only},
		{"version ", orFiles},
	} {
		if diff := cmp.Diff(tt.want, completed(t, strings.Split(tt.args, " ")...)); diff != "" {
			t.Errorf("hubbench %s(-want +got):\n%s", tt.args, diff)
		}
	}

	// What is offered is taken.
	for command, flag := range map[string]string{"report": "--format", "compare": "--format"} {
		for format := range strings.FieldsSeq(completed(t, command, "out", flag, "")) {
			if strings.HasPrefix(format, ":") {
				continue
			}
			args := []string{command, "out", flag, format, "--out", filepath.Join(t.TempDir(), "x")}
			if command == "compare" {
				args = []string{command, "out", "out", flag, format}
			}
			prints(t, args...)
		}
	}
}

// TestJSONDrawsNoFigures holds the memory of analyze --json against that of reading and analysing alone.
func TestJSONDrawsNoFigures(t *testing.T) {
	var events bytes.Buffer
	for i := range 50_000 {
		fmt.Fprintf(&events, `{"type":"file","phase":"W","disk":"A","op":"write","seq":%d,"bytes":1000000,"start_ns":%d,"end_ns":%d}`+"\n", i, i*1_000_000, i*1_000_000+900_000+i%7)
	}
	path := filepath.Join(t.TempDir(), "events.jsonl")
	must(t, os.WriteFile(path, events.Bytes(), 0o600))
	allocated := func(f func()) float64 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		f()
		runtime.ReadMemStats(&after)
		return float64(after.TotalAlloc - before.TotalAlloc)
	}
	alone := allocated(func() {
		if _, err := load(path); err != nil {
			t.Fatal(err)
		}
	})
	var code int
	all := allocated(func() {
		code = run(t.Context(), []string{"analyze", path, "--json"}, program{stdout: io.Discard, stderr: io.Discard})
	})
	if code != exitOK {
		t.Fatalf("exit code %d", code)
	}
	if all > 1.2*alone {
		t.Errorf("analyze --json allocated %.0f MB, of which reading and analysing take %.0f", all/1e6, alone/1e6)
	}
}
