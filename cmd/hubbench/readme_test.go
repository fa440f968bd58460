package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write what hubbench prints into the README")

// TestReadme runs the first screen of the README: its scenario, by its command, prints what it says.
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
	prompt, want, _ := strings.Cut(console, "\n")
	command, ok := strings.CutPrefix(prompt, "$ ")
	if !ok {
		t.Fatalf("the console block begins with %q, not with a command", prompt)
	}

	work := t.TempDir()
	script := filepath.Join(work, "readme.txtar")
	content := fmt.Sprintf("exec %s\ncmp stdout want\n-- triple.yaml --\n%s-- want --\n%s", command, scenario, want)
	if err := os.WriteFile(script, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { // the script runs in parallel: it has ended only now
		fresh, err := os.ReadFile(script)
		if err != nil || !*update {
			return
		}
		_, got, _ := strings.Cut(string(fresh), "-- want --\n")
		readme := string(data[:blocks[1][4]]) + prompt + "\n" + got + string(data[blocks[1][5]:])
		if err := os.WriteFile(path, []byte(readme), 0o644); err != nil {
			t.Error(err)
		}
	})
	testscript.Run(t, testscript.Params{Files: []string{script}, RequireExplicitExec: true, UpdateScripts: *update})
}
