package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/tell/output"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/internal/test/check"
)

// completed is what a shell is offered for the last of the arguments, less the descriptions.
func completed(t *testing.T, args ...string) string {
	t.Helper()
	offered := prints(t, append([]string{"__completeNoDesc"}, args...)...)
	return strings.ReplaceAll(strings.Join(strings.Fields(offered), " "),
		string(filepath.Separator), "/")
}

func TestCompletions(t *testing.T) {
	t.Chdir(t.TempDir())
	prints(t, "init", "--demo")
	prints(t, "simulate", "hubbench.yaml", "--out", "out")
	prints(t, "simulate", "hubbench.yaml", "--out", "again")
	const only, files = ":4", ":0" // what the shell is to do beside: nothing, complete files
	for args, want := range map[string]string{
		"simul": "simulate " + only, "run --no-pag": "--no-page " + only,
		"run ": files, "report ": files, "report out --chart ": files,
		"report out --format ":  "html svg png csv md gobench text json " + only,
		"compare out --format ": "text md html json csv svg png " + only,
		"table out --grain ":    strings.Join(grains(), " ") + " " + only,
		"man --format ":         "man md " + only,
	} {
		check.Same(t, "hubbench "+args, want, completed(t, strings.Split(args, " ")...))
	}

	for command, flag := range map[string]string{"report": "--format", "compare": "--format"} {
		for format := range strings.FieldsSeq(completed(t, command, "out", flag, "")) {
			if strings.HasPrefix(format, ":") {
				continue
			}
			args := []string{command, "out", flag, format, "--out", filepath.Join(t.TempDir(), "x")}
			if command == "compare" {
				args = []string{command, "out", "again", flag, format}
			}
			prints(t, args...)
		}
	}
}

// TestJSONDrawsNoFigures holds the memory of analyze --json against that of reading and analysing
// alone.
func TestJSONDrawsNoFigures(t *testing.T) {
	var events bytes.Buffer
	for i := range 50_000 {
		startNS := int64(i) * 1e6
		events.WriteString(fileLine("A", "write", startNS, startNS+900_000+startNS/1e6%7))
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
		if _, err := recorded.Load(path); err != nil {
			t.Fatal(err)
		}
	})
	var code int
	all := allocated(func() {
		code = run(t.Context(), []string{"analyze", path, "--json"},
			program{Streams: output.Streams{Stdout: io.Discard, Stderr: io.Discard}})
	})
	if code != exit.OK {
		t.Fatalf("exit code %d", code)
	}
	if all > 1.2*alone {
		t.Errorf("analyze --json allocated %.0f MB, of which reading and analysing take %.0f",
			all/1e6, alone/1e6)
	}
}
