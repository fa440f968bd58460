package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/tell/manual"
)

// The README or the manual holds every sentence that is measured, and each command names tests that there are.
func TestClaims(t *testing.T) {
	t.Chdir(filepath.Join("..", ".."))
	claims, err := readClaims(filepath.Join(here, "claims.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(readme)
	for _, topic := range manual.Topics() {
		page, err := topic.Markdown()
		if err != nil {
			t.Fatal(err)
		}
		text += page
	}
	text = oneLine(text)
	for _, c := range claims {
		if !strings.Contains(text, c.Sentence) {
			t.Errorf("%s: neither the README nor the manual says %q", c.Name, c.Sentence)
		}
		for i := range c.By {
			for _, set := range sets() {
				checkCommand(t, c.By[i].of(set).Run)
			}
		}
	}
	listed := map[string]bool{}
	for _, c := range claims {
		listed[c.Name] = true
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
	words := strings.Fields(run)
	if _, err := os.Stat(words[2]); err != nil {
		t.Errorf("%s: %v", run, err)
	}
	if words[1] != "test" {
		return
	}
	var tests []string
	files, _ := filepath.Glob(filepath.Join(words[2], "*_test.go"))
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, match := range regexp.MustCompile(`(?m)^func (Test\w+)\(`).FindAllStringSubmatch(string(text), -1) {
			tests = append(tests, match[1])
		}
	}
	if words[3] != "-run" {
		t.Fatalf("%s: want -run after the folder", run)
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
			case d.IsDir() && (d.Name() == "node_modules" || path == filepath.Join("internal", "evidence") || path == here):
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
		if err != nil {
			t.Fatal(err)
		}
	}
	if len(names) < 10 {
		t.Fatalf("only %d claims are reported", len(names))
	}
	return names
}

func TestParseClaims(t *testing.T) {
	const good = "claims:\n- {name: a, title: A, sentence: s, method: m, by: [{run: go test ./x -run Y, most: 1 min}]}\n"
	if claims, err := parseClaims("c", []byte(good)); err != nil || len(claims) != 1 {
		t.Fatalf("%v, %v", claims, err)
	}
	for _, tt := range []struct{ from, to, want string }{
		{"method: m, ", "", "the key method is missing"},
		{"go test ./x", "rm -r ./x", "try go test or go run"},
		{", most: 1 min", "", "the key most is missing"},
		{"most: 1 min", "most: 1 min, from: night", "try short, usual or full"},
		{"name: a", "name: a, mood: good", "unknown key"},
		{"claims:\n", "claims:\n- {name: a, title: A, sentence: s, method: m, by: [{run: go test ./x, most: 1 min}]}\n", "listed twice"},
	} {
		if _, err := parseClaims("c", []byte(strings.Replace(good, tt.from, tt.to, 1))); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s for %s: %v, want %s", tt.to, tt.from, err, tt.want)
		}
	}
}

// Each set has its commands, once each, with the arguments of the set.
func TestCommandsOf(t *testing.T) {
	shared := Measure{Run: "go test ./x -run X", Most: 1, Full: "-all"}
	claims := []Claim{{Name: "a", By: []Measure{shared, {Run: "go run ./y", From: Usual, Most: 1}}}, {Name: "b", By: []Measure{shared}}}
	for set, want := range map[Set]string{Short: "go test ./x -run X a,b", Usual: "go test ./x -run X a,b; go run ./y a", Full: "go test ./x -run X -all a,b; go run ./y a"} {
		var got []string
		for _, c := range commandsOf(claims, set) {
			got = append(got, c.Run+" "+strings.Join(c.Claims, ","))
		}
		if strings.Join(got, "; ") != want {
			t.Errorf("%s: %q, want %q", set, got, want)
		}
	}
}
