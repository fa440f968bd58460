package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/testdata/platforms/outcome"
)

var update = flag.Bool("update", false, "write what hubbench prints into the README")

// undate FILE puts one date in place of that of the run.
func undate(ts *testscript.TestScript, _ bool, args []string) {
	data := ts.ReadFile(args[0])
	data = regexp.MustCompile(`\d+ \w+ 20\d\d, \d\d:\d\d UTC`).ReplaceAllString(data, "20 November 2026, 08:00 UTC")
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(data), 0o644))
}

// The README tells scripts of every kind and cause of a change, and of every kind of quote.
func TestReadmeKeys(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, section, _ := strings.Cut(string(data), "## Keys for scripts\n")
	section, _, _ = strings.Cut(section, "\n## ")
	for _, word := range []string{
		analysis.KindStart, analysis.KindEnd, analysis.KindRecovery, analysis.KindOwnFall, analysis.KindSharedFall, analysis.KindRedistribution,
		analysis.KindStall, analysis.KindWarmUp, analysis.KindSwing, analysis.KindDrift, analysis.KindUnknown,
		analysis.CauseCacheFull, analysis.CauseHeat, analysis.CauseLink, analysis.CauseHost, analysis.CauseNeighbour,
		analysis.QuoteOverlap, analysis.QuoteLater, analysis.QuoteSettled, analysis.QuoteMean,
	} {
		if !strings.Contains(section, "`"+word+"`") {
			t.Errorf("the README does not say what %s is", word)
		}
	}
	for _, line := range regexp.MustCompile(`(?m)^ {4}(\{.*)$`).FindAllStringSubmatch(section, -1) {
		if run, err := trace.Load(strings.NewReader(line[1]+"\n"), "README"); err != nil || !run.Phases[0].Work["A"].Declared() {
			t.Errorf("%s is no phase with its work: %v", line[1], err)
		}
	}
}

// TestReadme runs the first screen of the README: its scenario, by its command, prints what it says and
// draws what it shows.
func TestReadme(t *testing.T) {
	path := filepath.Join("..", "..", "README.md")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	blocks := regexp.MustCompile("(?s)```(yaml|console)\n(.*?)```\n").FindAllStringSubmatchIndex(string(data), 2)
	if len(blocks) < 2 {
		t.Fatal("the README has no scenario and console block")
	}
	text := func(i int) string { return string(data[blocks[i][4]:blocks[i][5]]) }
	scenario, console := text(0), text(1)
	if !*update {
		console = strings.Replace(console, "triple/report.html", filepath.FromSlash("triple/report.html"), 1)
	}
	prompt, want, _ := strings.Cut(console, "\n")
	command, ok := strings.CutPrefix(prompt, "$ ")
	if !ok {
		t.Fatalf("the console block begins with %q, not with a command", prompt)
	}

	picture := filepath.Join("..", "..", "testdata", "readme.svg")
	drawn, err := os.ReadFile(picture)
	if err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	script := filepath.Join(work, "readme.txtar")
	content := fmt.Sprintf("exec %s\ncmp stdout want\nexec hubbench report triple --out got.svg\nundate got.svg\ncmp got.svg want.svg\n"+
		"-- triple.yaml --\n%s-- want --\n%s-- want.svg --\n%s", command, scenario, want, drawn)
	if err := os.WriteFile(script, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // the script runs in parallel: it has ended only now
		fresh, err := txtar.ParseFile(script)
		if err != nil || !*update {
			return
		}
		printed, drawn := fresh.Files[1].Data, fresh.Files[2].Data
		readme := string(data[:blocks[1][4]]) + prompt + "\n" + string(printed) + string(data[blocks[1][5]:])
		if err := errors.Join(os.WriteFile(path, []byte(readme), 0o644), os.WriteFile(picture, drawn, 0o644)); err != nil {
			t.Error(err)
		}
	})
	testscript.Run(t, testscript.Params{Files: []string{script}, RequireExplicitExec: true, UpdateScripts: *update, Cmds: map[string]func(*testscript.TestScript, bool, []string){"undate": undate}})
}

// TestReadmeStreams simulates the scenario of "Will my work survive?", which prints first what the README shows.
func TestReadmeStreams(t *testing.T) {
	path := filepath.Join("..", "..", "README.md")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := bytes.Cut(data, []byte("## Will my work survive?\n"))
	if !ok {
		t.Fatal("the README has no such section")
	}
	blocks := regexp.MustCompile("(?s)```yaml\n(.*?)```\n\n```console\n[$] hubbench simulate (.*?)\n(.*?)```\n").FindSubmatch(section)
	if blocks == nil {
		t.Fatal("the section has no scenario and console block")
	}
	dir := t.TempDir()
	file := filepath.Join(dir, string(blocks[2]))
	if err := os.WriteFile(file, blocks[1], 0o644); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	if code := run(t.Context(), []string{"simulate", file, "--out", filepath.Join(dir, "out")}, program{stdin: strings.NewReader(""), stdout: &out, stderr: &errs}); code != 0 {
		t.Fatalf("exit %d: %s", code, errs.String())
	}
	first, _, _ := strings.Cut(out.String(), "\n- ") // before the lists
	got := first[:max(0, strings.LastIndex(first, "\n\n"))]
	got += "\n...\n"
	if *update {
		readme := bytes.Replace(data, append(append([]byte(nil), blocks[2]...), append([]byte("\n"), blocks[3]...)...), []byte(string(blocks[2])+"\n"+got), 1)
		if err := os.WriteFile(path, readme, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(blocks[3]), got); diff != "" {
		t.Errorf("the README does not show what it prints (-README +printed):\n%s", diff)
	}
}

// TestReadmePlatforms holds the README's table of systems to what make platforms RECORD=1 found last.
func TestReadmePlatforms(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	found, err := os.Open(filepath.Join("..", "..", "testdata", "platforms", "results.txt"))
	if err != nil {
		t.Fatal(err)
	}
	defer found.Close()
	results, err := outcome.ReadResults(found)
	if err != nil {
		t.Fatal(err)
	}
	if len(results) == 0 {
		t.Fatal("no results are recorded: run make platforms RECORD=1")
	}
	want, err := outcome.InReadme(string(readme), results)
	if err != nil {
		t.Fatal(err)
	}
	if want != string(readme) {
		t.Errorf("the README's table is not that of results.txt, which is\n%swrite it by: go run ./testdata/platforms -table", outcome.Table(results))
	}
}
