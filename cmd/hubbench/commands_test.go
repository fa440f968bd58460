package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/hubbench/hubbench/configs"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/foreign"
)

// completed is what a shell is offered for the last of the arguments, less the descriptions.
func completed(t *testing.T, args ...string) string {
	t.Helper()
	offered := prints(t, append([]string{"__completeNoDesc"}, args...)...)
	return strings.ReplaceAll(strings.Join(strings.Fields(offered), " "), string(filepath.Separator), "/")
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
	write(t, "alone.jsonl", read(t, "out/events.jsonl"))
	prints(t, "init", "--from", "gate", "--out", "limits.yml")
	prints(t, "fit", "out", "--out", "hub.yaml")
	must(t, os.MkdirAll("more/.hidden", 0o755))
	write(t, "notes.yaml", []byte("phases of the moon\n"))
	const only, orMore, orFiles = ":4", ":6", ":0" // what the shell is to do beside: nothing, add no space, complete files
	for _, tt := range []struct{ args, want string }{
		{"run ", "limits.yml more/ out/ small.yaml " + orMore},
		{"run s", "small.yaml " + only},
		{"run ./l", "./limits.yml " + only},
		{"run small.yaml ", only},
		{"plan nothing/", only},
		{"plan small.yaml --phase ", "WW RR " + only},
		{"run --resume ", "more/ out " + orMore},
		{"report ", "alone.jsonl more/ out " + orMore},
		{"report out/", "out/events.jsonl out/report.html " + only},
		{"report out --format ", "html svg png csv md gobench text json " + only},
		{"report out --phase ", "WW RR " + only},
		{"report out/events.jsonl --phase ", "WW RR " + only},
		{"report out/report.html --phase ", "WW RR " + only},
		{"report alone.jsonl --phase ", "WW RR " + only},
		{"trend alone.jsonl --disk ", "A C " + only},
		{"report --phase ", only},
		{"report none --phase ", only},
		{"report out --chart ", "answer size spread time worn " + only},
		{"analyze out/report.html --phase ww --table ", "all-files all-phases answer averages disks files pairs rules stages where-it-was-measured " + only},
		{"compare out --format ", "text md html json csv svg png " + only},
		{"compare out ", "alone.jsonl more/ out " + orMore},
		{"compare out out/ --table ", "rates " + only},
		{"trend out out/ --disk ", "A C " + only},
		{"trend out --phase ", "WW RR " + only},
		{"check out --limits ", "limits.yml more/ out/ " + orMore},
		{"simulate small.yaml --profile ", "goshen-ridge ideal thunderbolt-5 usb-10g hub.yaml more/ out/ " + orMore},
		{"predict ", "goshen-ridge ideal thunderbolt-5 usb-10g hub.yaml more/ out/ " + orMore},
		{"predict usb-10g ", "A B C " + only},
		{"predict usb-10g C ", "A B " + only},
		{"predict hub.yaml ", "A C " + only},
		{"predict nothing ", only},
		{"advise usb-10g --write ", "A B C " + only},
		{"advise usb-10g --pace ", "A= B= C= " + orMore},
		{"advise usb-10g --play ", "A= B= C= " + orMore},
		{"advise --play ", only},
		{"devices --format ", "text md html json csv " + only},
		{"devices ", only},
		{"schema ", only},
		{"init ", only},
		{"init --out ", orFiles},
		{"init --from ", strings.Join(configs.Scenarios(), " ") + " " + only},
		{"init --expect ", "alone.jsonl more/ out " + orMore},
		{"import --from ", strings.Join(foreign.Formats(), " ") + " auto " + only},
		{"table out --grain ", strings.Join(grains(), " ") + " " + only},
		{"man ", "more/ out/ " + orMore},
		{"man pages ", only},
		{"man --format ", "man md " + only},
		{"clean ", "more/ out/ " + orMore},
		{"doctor ", "more/ out/ " + orMore},
		{"doctor out ", "more/ out/ " + orMore},
		{"doctor --format ", "text md html json csv " + only},
		{"version ", only},
	} {
		check.Same(t, fmt.Sprintf("hubbench %s", tt.args), tt.want, completed(t, strings.Split(tt.args, " ")...))
	}

	for args, want := range map[string]string{ // one of many
		"plan --codecs ": "prores-422-hq-uhd-25", "advise usb-10g --record A=4x": "A=4xprores-422-hq-uhd-25", "run --allow busy,b": "busy,battery", "help ": "model", "": "simulate",
	} {
		if got := completed(t, strings.Split(args, " ")...); !slices.Contains(strings.Fields(got), want) {
			t.Errorf("hubbench %s completes %s, without %s", args, got, want)
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

// A flag or an argument that takes a word which hubbench knows, or a path, has a completion.
func TestEveryFlagCompletes(t *testing.T) {
	free := []string{ // what nobody but the person knows
		"fit name", "compare fail-above", "advise buffer", "advise for", "advise disk", "import disk", "import start", "import map",
	}
	seen := 0
	root := newRoot(program{})
	for _, cmd := range root.Commands() {
		if cmd.Hidden {
			continue
		}
		if cmd.ValidArgsFunction == nil {
			t.Errorf("hubbench %s: its arguments have no completion: see complete", cmd.Name())
		}
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			name := cmd.Name() + " " + f.Name
			_, completes := cmd.GetFlagCompletionFunc(f.Name)
			text := !slices.Contains([]string{"bool", "duration", "uint64", "int", "float64"}, f.Value.Type())
			i := slices.Index(free, name)
			switch {
			case i >= 0 && (completes || !text):
				t.Errorf("hubbench %s: a free text with a completion", name)
			case i >= 0:
				free = slices.Delete(free, i, i+1)
			case text && !completes:
				t.Errorf("hubbench %s (%s) has no completion: see complete", name, f.Value.Type())
			case text:
				seen++
			}
		})
	}
	if len(free) > 0 || seen < 60 {
		t.Errorf("%d flags complete; not there: %q", seen, free)
	}
}

// No run is read for its phases if its plan or its analysis is there, and no large one at all.
func TestCompletionReadsNoEvents(t *testing.T) {
	t.Chdir(t.TempDir())
	prints(t, "init", "--demo")
	prints(t, "simulate", "hubbench.yaml", "--out", "out", "--no-page")
	phases := completed(t, "report", "out", "--phase", "")
	if phases != "WWW RRR WRR RWW :4" {
		t.Fatalf("of the demo: %s", phases)
	}
	events := read(t, "out/events.jsonl")
	write(t, "out/events.jsonl", "not an event")
	if got := completed(t, "report", "out", "--phase", ""); got != phases {
		t.Errorf("by its analysis: %s", got)
	}
	must(t, os.Remove("out/analysis.json"))
	if got := completed(t, "report", "out", "--phase", ""); got != phases {
		t.Errorf("by its plan: %s", got)
	}
	for _, tt := range []struct {
		repeat int
		want   string
	}{{1, phases}, {1 + (4<<20)/len(events), ":4"}} {
		write(t, "alone.jsonl", bytes.Repeat(events, tt.repeat))
		if got := completed(t, "report", "alone.jsonl", "--phase", ""); got != tt.want {
			t.Errorf("by %d times its events: %s, want %s", tt.repeat, got, tt.want)
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
