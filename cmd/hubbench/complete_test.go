package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// completed is what a shell is offered for the last of the arguments, less the descriptions.
func completed(t *testing.T, args ...string) string {
	t.Helper()
	var out, errs bytes.Buffer
	code := run(context.Background(), append([]string{"__completeNoDesc"}, args...), program{stdin: strings.NewReader(""), stdout: &out, stderr: &errs})
	if code != exitOK {
		t.Errorf("%q: exit code %d: %s", args, code, errs.String())
	}
	return strings.Join(strings.Fields(out.String()), " ")
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
	if err := os.WriteFile("small.yaml", []byte(scenario), 0o644); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if code := run(context.Background(), []string{"simulate", "small.yaml", "--out", "out"}, program{stdout: &out, stderr: &out}); code != exitOK {
		t.Fatalf("exit code %d: %s", code, out.String())
	}
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
		{"init --from ", "demo streams-demo study-demo triple-hub " + only},
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
			var errs bytes.Buffer
			if code := run(context.Background(), args, program{stdout: &out, stderr: &errs}); code != exitOK {
				t.Errorf("hubbench %s: exit code %d: %s", strings.Join(args, " "), code, errs.String())
			}
		}
	}
}
