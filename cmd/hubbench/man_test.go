package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/tell/manual"
	"github.com/hubbench/hubbench/internal/tell/recorded"
)

// Every command and topic that is not hidden has a page, in both formats; and no mark of one shows
// in the other.
func TestMan(t *testing.T) {
	root := newRoot(program{})
	want := map[string]string{"hubbench.1": "\n.SH COMMANDS\n"}
	for _, c := range root.Commands() {
		if c.IsAvailableCommand() {
			want["hubbench-"+c.Name()+".1"] = "\n.SH OPTIONS\n"
		}
	}
	for _, topic := range manual.Topics() {
		want["hubbench-"+topic.Name+".7"] = "\n.SH SEE ALSO\n"
	}
	dir, md := filepath.Join(t.TempDir(), "man"), filepath.Join(t.TempDir(), "md")
	if out := prints(t, "man", dir) + prints(t, "man", md, "--format", "md"); out != "" {
		t.Errorf("printed %q", out)
	}
	notMan := regexp.MustCompile("(?m)^## |^: |`|[^\n -~]")
	notMarkdown := regexp.MustCompile(`(?m)^\.[A-Z]|^: |\\f|\\-`)
	for name, heading := range want {
		page := string(read(t, filepath.Join(dir, name)))
		if !strings.Contains(page, heading) || notMan.MatchString(page) {
			t.Errorf("%s is no page:\n%s", name, page)
		}
		page = string(read(t, filepath.Join(md, name+".md")))
		if !strings.HasPrefix(page, "# hubbench") || notMarkdown.MatchString(page) {
			t.Errorf("%s.md is no page:\n%s", name, page)
		}
		for _, link := range regexp.MustCompile(`\]\(([^)]+)\)`).FindAllStringSubmatch(page, -1) {
			if !recorded.Exists(filepath.Join(md, link[1])) {
				t.Errorf("%s.md has a link to %s, which is no page", name, link[1])
			}
		}
	}
	for _, in := range []string{dir, md} {
		files, err := os.ReadDir(in)
		must(t, err)
		if len(files) != len(want) {
			t.Errorf("%d pages in %s, want %d", len(files), in, len(want))
		}
	}
	commands := regexp.MustCompile(`(?m)^\\fB\\-\\-open\\fR$`)
	if page := read(t, filepath.Join(dir, "hubbench-run.1")); !commands.Match(page) {
		t.Errorf("hubbench-run.1 lacks an option that --help has:\n%s", page)
	}
	if code, _, errs := does(t, nil, "man", dir, "--format", "html"); code != exit.Misuse ||
		!strings.Contains(errs, "--format html: man or md") {
		t.Errorf("exit code %d: %s", code, errs)
	}

	mandoc, err := exec.LookPath("mandoc")
	if err != nil {
		t.Skip("mandoc, which would check the pages, is not here")
	}
	pages, err := filepath.Glob(filepath.Join(dir, "*"))
	must(t, err)
	// It fails if it finds something, such as a date: tests are built without one.
	lint, _ := exec.Command(mandoc, append([]string{"-Tlint", "-Wwarning"}, pages...)...).Output()
	lint = regexp.MustCompile(`(?m)^.*missing date.*\n`).ReplaceAll(lint, nil)
	if diff := cmp.Diff("", string(lint)); diff != "" {
		t.Error(diff)
	}
}

func TestManDate(t *testing.T) {
	for epoch, want := range map[string]string{"1790000000": `"2026-09-21"`, "": `""`} {
		t.Setenv("SOURCE_DATE_EPOCH", epoch)
		dir := t.TempDir()
		prints(t, "man", dir)
		page := string(read(t, filepath.Join(dir, "hubbench.1")))
		if !strings.Contains(page, ".TH HUBBENCH 1 "+want+" ") {
			t.Errorf("%q: %.80q, want %s", epoch, page, want)
		}
	}
}
