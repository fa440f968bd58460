package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/tell/manual"
	"github.com/hubbench/hubbench/internal/test/check"
)

// The README or the manual holds every sentence that is measured, and each command names tests that there are.
func TestClaims(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	claims, err := readClaims(filepath.Join(here, "claims.yaml"))
	check.Must(t, err)
	readme, err := os.ReadFile("README.md")
	check.Must(t, err)
	text := string(readme)
	for _, topic := range manual.Topics() {
		page, err := topic.Markdown()
		check.Must(t, err)
		text += page
	}
	oneLine := func(text string) string { return strings.Join(strings.Fields(text), " ") }
	text = oneLine(text)
	listed := map[string]bool{}
	for _, c := range claims {
		if listed[c.Name] || c.Name == "" || c.Title == "" || c.Sentence == "" || c.Method == "" || len(c.By) == 0 {
			t.Errorf("%+v: want a name of its own, a title, a sentence, a method and a command", c)
		}
		listed[c.Name] = true
		if !strings.Contains(text, oneLine(c.Sentence)) {
			t.Errorf("%s: neither the README nor the manual says %q", c.Name, c.Sentence)
		}
		for _, by := range c.By {
			if by.Most < time.Second || by.From != "" && !slices.Contains(sets, by.From) {
				t.Errorf("%s: %+v: want the time that it may take, and a set", c.Name, by)
			}
			checkCommand(t, by.Run)
		}
	}
	for name, file := range reported(t) {
		if !listed[name] {
			t.Errorf("%s reports findings of %s, which claims.yaml does not list", file, name)
		}
	}
}

// checkCommand checks that a command's folder is there, and every test that it names.
func checkCommand(t *testing.T, run string) {
	t.Helper()
	if !regexp.MustCompile(`^go test \./\S+ -run`).MatchString(run) {
		t.Fatalf("%s: want go test, one folder of this module, and -run", run)
	}
	words := strings.Fields(run)
	if _, err := os.Stat(words[2]); err != nil {
		t.Errorf("%s: %v", run, err)
	}
	var tests []string
	files, _ := filepath.Glob(filepath.Join(words[2], "*_test.go"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		check.Must(t, err)
		for _, match := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(string(text), -1) {
			tests = append(tests, match[1])
		}
	}
	for part := range strings.SplitSeq(words[4], "|") {
		found := false
		for _, name := range tests {
			found = found || regexp.MustCompile(part).MatchString(name)
		}
		if !found {
			t.Errorf("%s: no test is called %s", run, part)
		}
	}
}

// reported are the claims that code of this module reports findings of, each with a file that does.
func reported(t *testing.T) map[string]string {
	t.Helper()
	names := map[string]string{}
	finding := regexp.MustCompile(`(?:Claim: |evidence\.(?:AtMost|AtLeast|Seldom|Below|Within)\()"([\w-]+)"`)
	for _, dir := range []string{"cmd", "configs", "internal", "pkg", here, filepath.Join("testdata", "lab")} {
		err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if os.IsNotExist(err) {
				return nil
			}
			switch {
			case err != nil:
				return err
			case d.IsDir() && (d.Name() == "node_modules" || path == filepath.Join("internal", "test", "evidence") || path == here):
				return filepath.SkipDir
			case d.IsDir() || filepath.Ext(path) != ".go":
				return nil
			}
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			for _, match := range finding.FindAllStringSubmatch(string(text), -1) {
				names[match[1]] = path
			}
			return nil
		})
		check.Must(t, err)
	}
	if len(names) < 10 {
		t.Fatalf("only %d claims are reported", len(names))
	}
	return names
}

// Each set has its commands, once each, with the arguments of the set.
func TestCommandsOf(t *testing.T) {
	shared := Measure{Run: "go test ./x -run X", Most: 1, Full: "-all"}
	claims := []Claim{{Name: "a", By: []Measure{shared, {Run: "go test ./y -run Y", From: Usual, Most: 1}}}, {Name: "b", By: []Measure{shared}}}
	for set, want := range map[Set]string{Short: "go test ./x -run X a,b", Usual: "go test ./x -run X a,b; go test ./y -run Y a", Full: "go test ./x -run X -all a,b; go test ./y -run Y a"} {
		var got []string
		for _, c := range commandsOf(claims, set) {
			got = append(got, c.Run+" "+strings.Join(c.Claims, ","))
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%s: %q, want %q", set, got, want)
		}
	}
}
