package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
	"unicode"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/output"
)

// hostileTries is how many files are spoiled in how many places: some in the normal tests,
// thousands in make proof.
var hostileTries = flag.Int("hostile", 5, "spoiled `copies` of each file that a command reads")

// What comes from somebody else may hold anything: files of a run, profiles, scenarios, the names
// of folders. A command then ends by itself, soon, with an exit code that it has, says why on a
// line of its own, and shows nothing that the terminal would act on.

// evil is a text that does something wherever it is taken for more than a text.
const evil = "\x1b]0;owned\a\u009b31m\u202e\r\nhubbench: all is well</script>" +
	"<img src=x onerror=alert(1)>`$(reboot)`__f__(alert(1))__f__"

func evils() []any {
	return []any{evil, "", strings.Repeat("x", 1<<20), -1, 0, 1, 9e18, json.Number("1e308"),
		json.Number("-1e-320"), json.Number("1e999"), 0.5,
		true, nil, []any{}, map[string]any{}, []any{nil}, map[string]any{evil: evil},
		"../../../../etc/passwd", "/dev/zero"}
}

// spoil replaces one value of a JSON text, which one and by what depends on n, and gives it back as
// text.
func spoil(text []byte, n *rand.Rand) []byte {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var root any
	if decoder.Decode(&root) != nil {
		return text
	}
	var places []func(any)
	var walk func(v any, set func(any))
	walk = func(v any, set func(any)) {
		places = append(places, set)
		switch v := v.(type) {
		case map[string]any:
			for _, k := range slices.Sorted(maps.Keys(v)) {
				walk(v[k], func(by any) { v[k] = by })
			}
		case []any:
			for i := range v {
				walk(v[i], func(by any) { v[i] = by })
			}
		}
	}
	walk(root, func(by any) { root = by })
	all := evils()
	places[n.IntN(len(places))](all[n.IntN(len(all))])
	spoiled, err := json.Marshal(root)
	if err != nil {
		return text
	}
	return spoiled
}

func spoilLine(text []byte, n *rand.Rand) []byte {
	lines := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	i := n.IntN(len(lines))
	lines[i] = spoil(lines[i], n)
	return append(bytes.Join(lines, []byte("\n")), '\n')
}

// spoilWord spoils a value of a YAML text.
func spoilWord(text []byte, n *rand.Rand) []byte {
	words := strings.FieldsFunc(string(text), func(r rune) bool {
		return strings.ContainsRune(" {}[],\n", r)
	})
	values := slices.DeleteFunc(words, func(w string) bool {
		return strings.HasSuffix(w, ":") || w == "-"
	})
	by, _ := json.Marshal(evils()[n.IntN(len(evils()))]) // YAML is JSON too
	return []byte(strings.Replace(string(text), values[n.IntN(len(values))], string(by), 1))
}

func harmless(t *testing.T, args ...string) {
	t.Helper()
	if harm := harmOf(args...); harm != "" {
		t.Errorf("hubbench %q: %s", args, harm)
	}
}

// harmOf runs a command, and says what of it harms; nothing if it does not.
func harmOf(args ...string) string {
	var out, errs bytes.Buffer
	ended := make(chan int, 1)
	panicked := make(chan any, 1)
	go func() {
		if args[0] == "run" { // it starts processes, of the program that runs
			cmd := exec.Command("hubbench", args...)
			cmd.Stdout, cmd.Stderr = &out, &errs
			_ = cmd.Run()
			ended <- cmd.ProcessState.ExitCode()
			return
		}
		defer func() {
			if p := recover(); p != nil {
				panicked <- p
			}
		}()
		ended <- run(context.Background(), args,
			program{Streams: output.Streams{
				Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errs, Getenv: os.Getenv,
			}})
	}()
	var code int
	select {
	case code = <-ended:
	case p := <-panicked:
		return fmt.Sprintf("panics: %v", p)
	case <-time.After(timeout):
		return fmt.Sprintf("is not over after %s", timeout)
	}
	if !slices.Contains([]int{exit.OK, exit.Failed, exit.Misuse, exit.Partial, exit.Threshold},
		code) {
		return fmt.Sprintf("exit code %d", code)
	}
	if (code == exit.Failed || code == exit.Misuse) &&
		!strings.Contains(errs.String(), "hubbench: ") {
		return fmt.Sprintf("exit code %d, and it says %q", code, errs.String())
	}
	for _, text := range []string{out.String(), errs.String()} {
		if i := strings.IndexFunc(text, func(r rune) bool {
			return r != '\n' && (unicode.IsControl(r) || unicode.Is(unicode.Bidi_Control, r))
		}); i >= 0 {
			return fmt.Sprintf("it prints %q", text[max(0, i-40):min(len(text), i+40)])
		}
	}
	if strings.Contains(errs.String(), "\nhubbench: all is well") {
		return "it says what the file says in its own name"
	}
	return ""
}

// readers are the commands that read a run's folder, and write what they make of it to another.
func readers(run, other, to string) [][]string {
	return [][]string{
		{"analyze", run}, {"analyze", run, "--json"}, {"analyze", run, "--format", "md"},
		{"report", run, "--out", filepath.Join(to, "page.html")},
		{"report", run, "--format", "gobench", "--out", "-"},
		{"report", run, "--format", "csv", "--out", filepath.Join(to, "files.csv")},
		{"report", run, "--format", "svg", "--out", filepath.Join(to, "a.svg")},
		{"compare", run, other}, {"run", "--resume", run, "--quiet"},
	}
}

func TestFaultsOfHostileFiles(t *testing.T) {
	t.Parallel()
	scenario, whole := simulated(t, smallScenario)
	_, other := simulated(t, smallScenario)
	const profile = "hub.yaml"
	hubbench(t, "fit", whole, "--out", filepath.Join(whole, profile))
	for _, tc := range []struct {
		file  string
		spoil func([]byte, *rand.Rand) []byte
	}{
		{rundir.EventsFile, spoilLine}, {rundir.InfoFile, spoil}, {rundir.AnalysisFile, spoil},
		{rundir.ScenarioFile, spoilWord}, {profile, spoilWord},
	} {
		c := faults(t, "hostile "+tc.file)
		for i := range *hostileTries {
			c.try(fmt.Sprint(tc.file, i), func(t *testing.T) {
				dir, to := filepath.Join(t.TempDir(), "run"), t.TempDir()
				must(t, os.CopyFS(dir, os.DirFS(whole)))
				name, out := filepath.Join(dir, tc.file), filepath.Join(to, "out")
				text := read(t, name)
				spoiled := tc.spoil(text, rand.New(rand.NewPCG(uint64(i), 15)))
				write(t, name, spoiled)
				commands := readers(dir, other, to)
				switch tc.file {
				case rundir.EventsFile:
					commands = append(commands, []string{"fit", dir, whole, "--out", out})
				case rundir.ScenarioFile:
					commands = [][]string{{"plan", name}, {"simulate", name, "--out", out}}
				case profile:
					commands = [][]string{
						{"predict", name}, {"simulate", scenario, "--profile", name, "--out", out},
						{"simulate", scenario, "--hub-profile", name, "--out", out},
					}
				}
				for _, args := range commands {
					harmless(t, args...)
				}
				if t.Failed() {
					t.Logf("where the file was changed: %.300q", changed(text, spoiled))
				}
			})
		}
	}
}

// changed is what two texts do not have in common, of the second.
func changed(before, after []byte) []byte {
	i := 0
	for i < min(len(before), len(after)) && before[i] == after[i] {
		i++
	}
	return after[max(0, i-80):]
}

// Folders, markers, links and pipes in place of files, and the environment, as somebody else may
// have left them.

// smallScenario is simulated in no time, and can be fitted.
const smallScenario = `version: 1
name: small
hub: {profile: goshen-ridge, speedup: 1000}
disks: [{name: A, simulate: {profile: A}}, {name: C, simulate: {profile: C}}]
workload: {files: 3}
phases: [{pattern: WW}, {pattern: RR}, {pattern: WR}, {pattern: W-}, {pattern: -W}]
`

// nasty are names of files that say something else than they are.
func nasty() []string {
	return []string{"\x1b]0;owned\a", "\u009b31m", "\u202egnp.exe", "a\nhubbench: all is well",
		"\xff\xfe", "-rf", "$(reboot)", strings.Repeat("x", 200), "</script>"}
}

func TestFaultsOfHostileFolders(t *testing.T) {
	t.Parallel()
	c := faults(t, "hostile folder names and marker files on a disk")
	c.try("names", func(t *testing.T) {
		dir := t.TempDir()
		for _, name := range nasty() {
			for _, folder := range []string{".hubbench-" + name, name} {
				must(t, os.MkdirAll(filepath.Join(dir, folder, "diary"), 0o700))
				harmless(t, "clean", filepath.Join(dir, folder))
			}
		}
		harmless(t, "clean", dir)
		if all, err := os.ReadDir(dir); err != nil || len(all) != 2*len(nasty()) {
			t.Errorf("%d folders are left, %v", len(all), err)
		}
		for _, command := range []string{"analyze", "report", "plan", "run", "predict",
			"simulate"} {
			for _, name := range nasty() {
				harmless(t, command, "--", filepath.Join(dir, name))
			}
		}
	})
	markers := map[string]func(path string) error{
		"says something else": func(path string) error {
			return os.WriteFile(path, []byte(evil), 0o600)
		},
		"is of another program": func(path string) error {
			return os.WriteFile(path, []byte(`{"what":"test files of somebody; safe to remove with `+
				"`hubbench clean`"+`","run":"20261122-101112-abcd"}`), 0o600)
		},
		"is a pipe":   func(path string) error { return syscall.Mkfifo(path, 0o600) },
		"is a folder": func(path string) error { return os.Mkdir(path, 0o700) },
		"is a device": func(path string) error { return os.Symlink("/dev/zero", path) },
		"is endless":  func(path string) error { return hole(path, 1<<40) },
	}
	for name, mark := range markers {
		c.try("a marker that "+name, func(t *testing.T) {
			dir := t.TempDir()
			folder := filepath.Join(dir, ".hubbench-20261122-101112-abcd")
			diary := filepath.Join(folder, "data-000000.bin")
			must(t, os.Mkdir(folder, 0o700))
			write(t, diary, "dear diary")
			must(t, mark(filepath.Join(folder, "hubbench.json")))
			harmless(t, "clean", dir)
			if _, err := os.Stat(diary); err != nil {
				t.Error("somebody's file is gone: ", err)
			}
		})
	}
}

func hole(path string, bytes int64) error {
	return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, bytes))
}

// A run folder may come from anybody. To go on with it removes nothing but test files of its own.
func TestFaultsOfHostileRuns(t *testing.T) {
	t.Parallel()
	c := faults(t, "run folders of links, pipes and foreign names")
	_, whole := simulated(t, smallScenario)
	_, another := simulated(t, smallScenario)
	files := []string{rundir.EventsFile, rundir.InfoFile, rundir.AnalysisFile, rundir.ReportFile,
		rundir.ScenarioFile, rundir.LogFile}
	for _, tc := range []struct {
		what  string
		files []string
		put   func(path, secret string) error
	}{
		{"pipe", files, func(path, _ string) error { return syscall.Mkfifo(path, 0o600) }},
		{"link", files, func(path, secret string) error { return os.Symlink(secret, path) }},
		{"link to a device", files[2:], func(path, _ string) error {
			return os.Symlink("/dev/null", path)
		}},
		{"folder", files[:4], func(path, _ string) error { return os.Mkdir(path, 0o700) }},
		{"hole", files[:2], func(path, _ string) error { return hole(path, 512<<20) }},
	} {
		for _, file := range tc.files {
			c.try("a "+tc.what+" for "+file, func(t *testing.T) {
				dir, to := filepath.Join(t.TempDir(), "run"), t.TempDir()
				must(t, os.CopyFS(dir, os.DirFS(whole)))
				secret := write(t, filepath.Join(to, "secret"), "dear diary")
				path := filepath.Join(dir, file)
				_ = os.Remove(path) // a simulation has no log
				must(t, tc.put(path, secret))
				for _, args := range [][]string{
					{"analyze", dir}, {"report", dir}, {"compare", dir, another},
					{"run", "--resume", dir, "--quiet"},
				} {
					harmless(t, args...)
				}
				if text, err := os.ReadFile(secret); err != nil || string(text) != "dear diary" {
					t.Errorf("what the link leads to is now %.40q, %v", text, err)
				}
			})
		}
	}
	c.try("a run's ID that leads elsewhere", func(t *testing.T) {
		disk, victim := t.TempDir(), t.TempDir()
		write(t, filepath.Join(victim, "data-000000.bin"), "dear diary")
		dir := filepath.Join(t.TempDir(), "run")
		must(t, os.Mkdir(dir, 0o700))
		up := strings.Repeat("../", 20) + strings.TrimPrefix(victim, "/")
		must(t, os.Mkdir(filepath.Join(disk, ".hubbench-x"), 0o700))
		info := `{"tool":"x","run_id":"x/` + up + `","name":"n","status":"partial","effective":{},` +
			`"plan":{"name":"n","disks":[{"name":"A","path":"` + disk + `"}],"phases":[]}}`
		for file, text := range map[string]string{rundir.InfoFile: info, rundir.EventsFile: ""} {
			write(t, filepath.Join(dir, file), text)
		}
		harmless(t, "run", "--resume", dir)
		if _, err := os.Stat(filepath.Join(victim, "data-000000.bin")); err != nil {
			t.Error("somebody's file is gone: ", err)
		}
	})
}

// The environment decides neither what is measured nor what is said of it.
func TestFaultsOfTheEnvironment(t *testing.T) {
	t.Parallel()
	c := faults(t, "COLUMNS, LC_ALL, TERM and other variables that say nonsense")
	scenario, whole := simulated(t, smallScenario)
	analyze := func(out string, env ...string) (string, error) {
		cmd := exec.Command("hubbench", "analyze", out)
		cmd.Env = append(os.Environ(), env...)
		text, err := cmd.CombinedOutput()
		return string(text), err
	}
	want, err := analyze(whole)
	must(t, err)
	for _, env := range []string{
		"COLUMNS=0", "COLUMNS=-1", "COLUMNS=99999999999999999999", "COLUMNS=" + evil, "LINES=-1",
		"LC_ALL=C", "LC_ALL=tr_TR.UTF-8", "LC_ALL=" + evil, "LANG=",
		"TERM=", "TERM=dumb", "TERM=" + evil, "NO_COLOR=1", "CLICOLOR_FORCE=1", "HOME=",
		"HOME=/nowhere", "TMPDIR=/nowhere", "TZ=Nowhere/City", "TZ=" + evil,
		"GOMAXPROCS=0", "GOGC=off", "GODEBUG=" + evil, "XDG_CACHE_HOME=/proc", "PATH=/nowhere",
	} {
		c.try(strings.Map(func(r rune) rune {
			if r < ' ' || r > '~' {
				return '?'
			}
			return r
		}, env), func(t *testing.T) {
			got, err := analyze(whole, env)
			if err != nil || got != want {
				t.Errorf("analyze: %v, it prints\n%s\nwithout it\n%s", err, got, want)
			}
			// In a run nothing depends on others than time, terminal and temporary files.
			if !strings.Contains(env, "T") {
				return
			}
			cmd := exec.Command("hubbench", "run", scenario, "--out",
				filepath.Join(t.TempDir(), "out"), "--quiet")
			cmd.Env = append(os.Environ(), env)
			text, err := cmd.CombinedOutput()
			if err != nil || strings.ContainsAny(string(text), "\x1b\a\r\u009b\u202e") {
				t.Errorf("run: %v, it prints\n%q", err, text)
			}
		})
	}
}
