package main

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "write what hubbench prints into the README")

const (
	maxReadme  = 200 // lines
	maxShown   = 16  // lines of output that are shown whole; of more only
	shownHead  = 8   // so many
	maxPicture = 200_000
)

// block is one of the README's: a file, or commands with what some of them print.
type block struct {
	start, end int // of its text in the README
	kind       string
	text       string
}

func readmeBlocks(t *testing.T, readme string) []block {
	t.Helper()
	var blocks []block
	fenced := regexp.MustCompile("(?s)```([a-z]*)\n(.*?)```\n")
	for _, at := range fenced.FindAllStringSubmatchIndex(readme, -1) {
		blocks = append(blocks, block{at[4], at[5], readme[at[2]:at[3]], readme[at[4]:at[5]]})
	}
	rest := fenced.ReplaceAllString(readme, "")
	if regexp.MustCompile("```|\n    |\n\t").MatchString(rest) {
		t.Error("the README has a block that is no file and no commands: " +
			"begin it by ```yaml or ```console, so that it is tested")
	}
	return blocks
}

// TestReadme carries out every block of the README in one folder, in order. A yaml block is a file
// that its first line names. A line of a console block that begins with a prompt is a command; what
// stands below it is what it prints.
func TestReadme(t *testing.T) {
	path := filepath.Join("..", "..", "README.md")
	data := read(t, path)
	readme := string(data)
	if n := strings.Count(readme, "\n"); n > maxReadme {
		t.Errorf("the README has %d lines, more than %d", n, maxReadme)
	}
	makefile := read(t, filepath.Join("..", "..", "Makefile"))
	var script, files strings.Builder
	blocks := readmeBlocks(t, readme)
	for i, b := range blocks {
		if b.kind == "yaml" {
			name := regexp.MustCompile(`^# (\S+\.yaml)\n`).FindStringSubmatch(b.text)
			if name == nil {
				t.Fatalf("the first line of a file is not its name:\n%s", b.text)
			}
			fmt.Fprintf(&files, "-- %s --\n%s", name[1], b.text)
			continue
		}
		if b.kind != "console" || !strings.HasPrefix(b.text, "$ ") {
			t.Fatalf("block %d is a %q, not a file or a console block that begins with a command:\n%s",
				i, b.kind, b.text)
		}
		for command := range strings.SplitSeq("\n"+b.text, "\n$ ") {
			command, output, _ := strings.Cut(strings.TrimSuffix(command, "\n"), "\n")
			program, target, _ := strings.Cut(command, " ")
			target = cmp.Or(target, "build")
			switch {
			case command == "":
			case program == "hubbench" && strings.Contains(target, " /Volumes/"):
				// Real disks are in TestRunFolders.
				must(t, parse(strings.Fields(target)))
			case program == "hubbench":
				fmt.Fprintf(&script, "exec %s\n", command)
				if command == "hubbench init --demo" {
					script.WriteString("hurry hubbench.yaml\n")
				}
				if output != "" {
					fmt.Fprintf(&script, "shows %d\n", i)
				}
			case program == "duckdb":
				quoted := strings.NewReplacer("'", "''", `"`, "'") // as scripts do
				fmt.Fprintln(&script, quoted.Replace(command))
			case program == "aws" || program == "spark-sql":
				// It needs a bucket; package catalogue asks Spark the same queries.
				for _, file := range regexp.MustCompile(`configs/\S+`).FindAllString(command, -1) {
					read(t, filepath.Join("..", "..", file))
				}
			case program == "make" && regexp.MustCompile(`(?m)^`+target+`:`).Match(makefile):
				// It builds hubbench or takes minutes.
			default:
				t.Errorf("nothing tests the command %q", command)
			}
		}
	}
	file := write(t, filepath.Join(t.TempDir(), "readme.txtar"), script.String()+files.String())
	printed := map[int]string{}
	t.Cleanup(func() { // the script runs in parallel: it has ended only now
		if !*update {
			return
		}
		for i, b := range slices.Backward(blocks) {
			if text, ok := printed[i]; ok {
				prompt := b.text[:strings.LastIndex("\n"+b.text, "\n$ ")]
				last, _, _ := strings.Cut(b.text[len(prompt):], "\n")
				readme = readme[:b.start] + prompt + last + "\n" + text + readme[b.end:]
			}
		}
		if err := os.WriteFile(path, []byte(readme), 0o644); err != nil {
			t.Error(err)
		}
	})
	// shows BLOCK holds what the last command printed to the end of a block.
	shows := func(ts *testscript.TestScript, _ bool, args []string) {
		var i int
		_, err := fmt.Sscan(args[0], &i)
		ts.Check(err)
		got := shown(ts.ReadFile("stdout"))
		if *update {
			printed[i] = got
			return
		}
		want := blocks[i].text[strings.LastIndex("\n"+blocks[i].text, "\n$ "):]
		_, want, _ = strings.Cut(want, "\n")
		if diff := gocmp.Diff(want, got); diff != "" {
			ts.Fatalf("the README does not show what it prints; go test ./cmd/hubbench "+
				"-run TestReadme -update writes it (-README +printed):\n%s", diff)
		}
	}
	// hurry FILE has the simulated hub of a scenario run as fast as it can: the demonstration takes 10
	// seconds to watch.
	hurry := func(ts *testscript.TestScript, _ bool, args []string) {
		text := regexp.MustCompile(`speedup: \d+`).ReplaceAllString(ts.ReadFile(args[0]),
			"speedup: 1000")
		ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o600))
	}
	testscript.Run(t, testscript.Params{
		Files: []string{file}, RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			sql := filepath.Join("configs", "sql")
			return os.CopyFS(filepath.Join(env.WorkDir, sql),
				os.DirFS(filepath.Join("..", "..", sql)))
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"shows": shows, "duckdb": duckdb, "hurry": hurry,
		},
	})
}

// duckdb does what DuckDB's command line does with -c, by its Python module. Without it, nothing.
func duckdb(ts *testscript.TestScript, _ bool, args []string) {
	python := cmp.Or(os.Getenv("HUBBENCH_PYTHON"), "python3")
	inCI := os.Getenv("CI") == "true" && runtime.GOOS == "linux" // Wine has no Python
	if exec.Command(python, "-c", "import duckdb").Run() != nil && !inCI {
		ts.Logf("skipped: needs pip install duckdb")
		return
	}
	ts.Check(ts.Exec(python, append([]string{"-c", `
import duckdb, sys
for text in sys.argv[2::2]:
    if text.startswith(".read "): text = open(text[6:]).read()
    rows = duckdb.sql(text)
if not rows.fetchall(): sys.exit("no rows")
`}, args...)...))
}

// shown is what the README shows of an output: all of a short one, the beginning of another, and
// one date for all.
func shown(output string) string {
	output = regexp.MustCompile(`-\d{8}-\d{6}\b`).
		ReplaceAllString(filepath.ToSlash(output), "-20261123-080000")
	output = regexp.MustCompile(`\d+ \w{3} \d{4}, \d\d:\d\d \w+`).
		ReplaceAllString(output, "23 Nov 2026, 08:00 UTC")
	if lines := strings.SplitAfter(output, "\n"); len(lines)-1 > maxShown {
		return strings.Join(lines[:shownHead], "") + "...\n"
	}
	return output
}

// The picture of the README is one of a first screen, and small. make picture draws it.
func TestReadmePicture(t *testing.T) {
	data := read(t, filepath.Join("..", "..", "testdata", "readme.png"))
	picture, err := png.DecodeConfig(bytes.NewReader(data))
	if err != nil || picture.Width != 1280 || picture.Height != 800 || len(data) > maxPicture {
		t.Errorf("%d x %d pixels in %d bytes, want 1280 x 800 in %d at most: %v", picture.Width,
			picture.Height, len(data), maxPicture, err)
	}
}
