package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/exit"
)

// No command that writes to --out replaces what it reads, or a run's own files, by whatever name
// they are called.
func TestOutReplacesNoInput(t *testing.T) {
	t.Chdir(t.TempDir())
	prints(t, "init", "--demo")
	prints(t, "simulate", "hubbench.yaml", "--out", "run", "--no-page")
	prints(t, "simulate", "hubbench.yaml", "--out", "packed", "--compress")
	write(t, "alone.jsonl", read(t, "run/events.jsonl"))
	write(t, "limits.yaml", "expect: [{phase: WWW, rate: {min: 1 MB/s}}]\n")
	write(t, "a_bw.1.log", ofFio(100_000))
	prints(t, "fit", "run", "--out", "hub.yaml")
	must(t, os.Symlink("run", "link"))
	must(t, os.Symlink(filepath.Join("run", "events.jsonl"), "link.csv"))
	must(t, os.Link("alone.jsonl", "hard.csv"))
	arguments := map[string][]string{ // where the usage does not say them
		"init": {"--demo", "--force"}, "compare": {"alone.jsonl", "run"},
		"check":  {"alone.jsonl", "--limits", "limits.yaml"},
		"import": {"a_bw.1.log", "--start", "a=0s"},
	}
	own := map[string][]string{"check": {"limits.yaml"}}
	files := []string{
		"run/events.jsonl", "run/run.json", "run/analysis.json", "run/scenario.yaml", "run/run.log",
		"packed/events.jsonl.zst",
		"packed/events.jsonl", "link/events.jsonl", "link.csv",
	}
	contents := func() string { // of all files
		var all strings.Builder
		inputs := []string{"alone.jsonl", "limits.yaml", "hub.yaml", "hubbench.yaml", "a_bw.1.log"}
		for _, file := range append(inputs, files...) {
			if stat, err := os.Stat(file); err == nil {
				fmt.Fprintln(&all, file, stat.Size(), stat.ModTime())
			}
		}
		return all.String()
	}
	before := contents()
	for _, cmd := range newRoot(program{}).Commands() {
		args, known := arguments[cmd.Name()]
		if !known {
			args = argumentsOf(cmd, map[string]string{"RUN": "alone.jsonl",
				"SCENARIO": "hubbench.yaml", "PROFILE": "hub.yaml"})
		}
		if cmd.Flags().Lookup("out") == nil {
			continue
		}
		outs := slices.Concat(files, own[cmd.Name()])
		if len(args) > 0 && filepath.Ext(args[0]) != "" {
			outs = append(outs, "./"+args[0])
		}
		if slices.Contains(args, "alone.jsonl") {
			outs = append(outs, "hard.csv")
		}
		for _, out := range outs {
			line := append([]string{cmd.Name()}, append(slices.Clone(args), "--out", out)...)
			if cmd.Flags().Lookup("format") != nil { // which an ending alone would not say
				line = append(line, "--format", "csv")
			}
			code, _, errs := does(t, nil, line...)
			if code != exit.Misuse || !strings.HasPrefix(errs, "hubbench: --out "+out+" is ") {
				t.Errorf("hubbench %s: exit code %d, %s", strings.Join(line, " "), code, errs)
			}
			if contents() != before {
				t.Fatalf("hubbench %s has changed a file", strings.Join(line, " "))
			}
		}
	}
}
