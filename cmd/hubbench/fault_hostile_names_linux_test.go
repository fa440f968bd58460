package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hubbench/hubbench/internal/measure/rundir"
)

// Folders, markers, links and pipes in place of files, and the environment, as somebody else may have left them.

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
	return []string{"\x1b]0;owned\a", "\u009b31m", "\u202egnp.exe", "a\nhubbench: all is well", "\xff\xfe", "-rf", "$(reboot)", strings.Repeat("x", 200), "</script>"}
}

func TestFaultsOfHostileFolders(t *testing.T) {
	t.Parallel()
	c := faults(t, "hostile folder names and marker files on a disk")
	c.try("names", func(t *testing.T) {
		dir := t.TempDir()
		for _, name := range nasty() {
			for _, folder := range []string{".hubbench-" + name, name} {
				must(t, os.MkdirAll(filepath.Join(dir, folder, "diary"), 0o700))
				if harm := harmless(t, "clean", filepath.Join(dir, folder)); harm != "" {
					t.Errorf("clean %q: %s", folder, harm)
				}
			}
		}
		if harm := harmless(t, "clean", dir); harm != "" {
			t.Error("clean: ", harm)
		}
		if all, err := os.ReadDir(dir); err != nil || len(all) != 2*len(nasty()) {
			t.Errorf("%d folders are left, %v", len(all), err)
		}
		for _, command := range []string{"analyze", "report", "plan", "run", "predict", "simulate"} {
			for _, name := range nasty() {
				if harm := harmless(t, command, "--", filepath.Join(dir, name)); harm != "" {
					t.Errorf("%s %q: %s", command, name, harm)
				}
			}
		}
	})
	markers := map[string]func(path string) error{
		"says something else": func(path string) error { return os.WriteFile(path, []byte(evil), 0o600) },
		"is of another folder": func(path string) error {
			return os.WriteFile(path, []byte(`{"what":"test files of hubbench; safe to remove with `+"`hubbench clean`"+`","run":"other"}`), 0o600)
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
			if harm := harmless(t, "clean", dir); harm != "" {
				t.Error(harm)
			}
			if _, err := os.Stat(diary); err != nil {
				t.Error("somebody's file is gone: ", err)
			}
		})
	}
}

// hole is a file of nothing.
func hole(path string, bytes int64) error {
	return errors.Join(os.WriteFile(path, nil, 0o600), os.Truncate(path, bytes))
}

// A run folder may come from anybody. To go on with it removes nothing but test files of its own.
func TestFaultsOfHostileRuns(t *testing.T) {
	t.Parallel()
	c := faults(t, "run folders of links, pipes and foreign names")
	_, whole := simulated(t, smallScenario)
	files := []string{rundir.EventsFile, rundir.InfoFile, rundir.AnalysisFile, rundir.ReportFile, rundir.ScenarioFile, rundir.LogFile}
	for _, tc := range []struct {
		what  string
		files []string
		put   func(path, secret string) error
	}{
		{"pipe", files, func(path, _ string) error { return syscall.Mkfifo(path, 0o600) }},
		{"link", files, func(path, secret string) error { return os.Symlink(secret, path) }},
		{"link to a device", files[2:], func(path, _ string) error { return os.Symlink("/dev/null", path) }},
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
					{"analyze", dir}, {"report", dir}, {"compare", dir, whole}, {"run", "--resume", dir, "--quiet"},
				} {
					if harm := harmless(t, args...); harm != "" {
						t.Errorf("hubbench %s: %s", strings.Join(args, " "), harm)
					}
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
		info := `{"tool":"x","run_id":"x/` + up + `","name":"n","status":"partial","plan":{"name":"n","disks":[{"name":"A","path":"` + disk + `"}],"phases":[]},"effective":{}}`
		for file, text := range map[string]string{rundir.InfoFile: info, rundir.EventsFile: ""} {
			write(t, filepath.Join(dir, file), text)
		}
		if harm := harmless(t, "run", "--resume", dir); harm != "" {
			t.Error(harm)
		}
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
		"COLUMNS=0", "COLUMNS=-1", "COLUMNS=99999999999999999999", "COLUMNS=" + evil, "LINES=-1", "LC_ALL=C", "LC_ALL=tr_TR.UTF-8", "LC_ALL=" + evil, "LANG=",
		"TERM=", "TERM=dumb", "TERM=" + evil, "NO_COLOR=1", "CLICOLOR_FORCE=1", "HOME=", "HOME=/nowhere", "TMPDIR=/nowhere", "TZ=Nowhere/City", "TZ=" + evil,
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
			if !strings.Contains(env, "T") { // of time, terminal, temporary files: the rest changes nothing in a run
				return
			}
			cmd := exec.Command("hubbench", "run", scenario, "--out", filepath.Join(t.TempDir(), "out"), "--quiet")
			cmd.Env = append(os.Environ(), env)
			text, err := cmd.CombinedOutput()
			if err != nil || strings.ContainsAny(string(text), "\x1b\a\r\u009b\u202e") {
				t.Errorf("run: %v, it prints\n%q", err, text)
			}
		})
	}
}
