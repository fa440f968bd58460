package main

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/cobra"
	"go.uber.org/goleak"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/tell/manual"
	"github.com/hubbench/hubbench/internal/test/check"
)

func TestMain(m *testing.M) {
	// The race detector would make every process linger for a second.
	_ = os.Setenv("GORACE", "atexit_sleep_ms=0")
	all := map[string]func(){"hubbench": main}
	maps.Copy(all, programs)
	testscript.Main(leaks{m}, all)
}

// leaks fails if a goroutine outlives the tests.
type leaks struct{ *testing.M }

func (l leaks) Run() int {
	code := l.M.Run()
	removeProgram()
	if err := goleak.Find(); code == 0 && err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

// TestScripts runs the command line as people do: one script per behaviour, in testdata/scripts.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("..", "..", "testdata", "scripts"),
		RequireExplicitExec: true,
		Setup: func(env *testscript.Env) error {
			root, err := filepath.Abs(filepath.Join("..", ".."))
			if err != nil {
				return err
			}
			env.Setenv("ROOT", root)
			env.Setenv("GORACE", os.Getenv("GORACE"))
			env.Values[runsKey{}] = map[string]*process{}
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name != "nohup" {
				return false, fmt.Errorf("no condition %s", name)
			}
			return signal.Ignored(syscall.SIGHUP), nil // here, and so in what is started here
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":      exits,
			"begin":      begin,
			"ends":       ends,
			"await":      await,
			"signal":     signalRun,
			"killworker": killWorker,
			"gone":       gone,
			"litter":     litter,
			"same":       same,
			"began":      began,
		},
	})
}

// timeout bounds every wait for a process, however busy the machine; nothing should come near it.
const timeout = 5 * time.Minute

type runsKey struct{}

// runs are the commands that a script has begun.
func runs(ts *testscript.TestScript) map[string]*process {
	return ts.Value(runsKey{}).(map[string]*process)
}

// exits CODE COMMAND... runs a command and checks its exit code; stdout and stderr can be matched
// after it.
func exits(ts *testscript.TestScript, _ bool, args []string) {
	cmd := command(ts, args[1:])
	// exec's own output is what `stdout` and `stderr` match, so let it run the command.
	err := ts.Exec(cmd.Path, cmd.Args[1:]...)
	var code int
	if err != nil {
		if _, scanErr := fmt.Sscanf(err.Error(), "exit status %d", &code); scanErr != nil {
			ts.Fatalf("%v: %v", args[1:], err)
		}
	}
	if strconv.Itoa(code) != args[0] {
		ts.Fatalf("%v: exit code %d, want %s", args[1:], code, args[0])
	}
}

// began TIME RUN... makes it the time at which runs began: those of one second have no order.
func began(ts *testscript.TestScript, _ bool, args []string) {
	pattern := regexp.MustCompile(`("started": ?)"[^"]+"`)
	for _, run := range args[1:] {
		for _, name := range []string{rundir.EventsFile, rundir.InfoFile, rundir.AnalysisFile} {
			path := ts.MkAbs(filepath.Join(run, name))
			text, err := os.ReadFile(path)
			ts.Check(err)
			if !pattern.Match(text) {
				ts.Fatalf("%s: no time at which it began", path)
			}
			text = pattern.ReplaceAll(text, []byte(`${1}"`+args[0]+`"`))
			ts.Check(os.WriteFile(path, text, 0o600))
		}
	}
}

func command(ts *testscript.TestScript, args []string) *exec.Cmd {
	path, err := exec.LookPath(args[0])
	ts.Check(err)
	return exec.Command(path, args[1:]...)
}

// begin NAME COMMAND... starts a command in the background.
func begin(ts *testscript.TestScript, _ bool, args []string) {
	cmd := command(ts, args[1:])
	cmd.Dir = ts.Getenv("WORK")
	p, err := launch(cmd)
	ts.Check(err)
	runs(ts)[args[0]] = p
	ts.Defer(p.kill)
}

// ends NAME CODE [PATTERN] waits for a background command, and checks how it ended and what it
// said. The code may be "killed".
func ends(ts *testscript.TestScript, _ bool, args []string) {
	code, out := runs(ts)[args[0]].wait()
	ts.Logf("[%s]\n%s", args[0], out)
	want := args[1]
	if want == "killed" {
		want = strconv.Itoa(killedCode)
	}
	if got := strconv.Itoa(code); got != want {
		ts.Fatalf("%s: exit code %s, want %s", args[0], got, want)
	}
	if len(args) > 2 && !regexp.MustCompile(args[2]).MatchString(out) {
		ts.Fatalf("%s: its output does not match %q", args[0], args[2])
	}
}

// await FILE PATTERN waits until a file has a match, for as long as a background command runs.
func await(ts *testscript.TestScript, _ bool, args []string) {
	pattern := regexp.MustCompile(args[1])
	found := func() bool { data, _ := os.ReadFile(ts.MkAbs(args[0])); return pattern.Match(data) }
	over := func() bool {
		for _, p := range runs(ts) {
			if p.running() {
				return false
			}
		}
		return true
	}
	if check.Within(timeout, func() bool { return over() || found() }) && found() {
		return
	}
	for name, p := range runs(ts) {
		ts.Logf("[%s]\n%s", name, p.said)
	}
	ts.Fatalf("no match for %s in %s", args[1], args[0])
}

// signal NAME SIGNAL sends one to a background command.
func signalRun(ts *testscript.TestScript, _ bool, args []string) {
	ts.Check(runs(ts)[args[0]].send(args[1]))
}

// killworker LOG DISK [SIGNAL] kills the worker of a disk, or the clean-up process, which must be
// alive.
func killWorker(ts *testscript.TestScript, _ bool, args []string) {
	signal := "KILL"
	if len(args) > 2 {
		signal = args[2]
	}
	ts.Check(signalProcess(started([]byte(ts.ReadFile(args[0])))[args[1]], signal))
}

// gone LOG FOLDER... waits until no worker of a run lives and no test folder is left in the folders.
func gone(ts *testscript.TestScript, _ bool, args []string) {
	pids := started([]byte(ts.ReadFile(args[0])))
	var left []string
	if !check.Within(timeout, func() bool {
		left = nil
		for disk, pid := range pids {
			if alive(pid) {
				left = append(left, "worker of "+disk)
			}
		}
		for _, folder := range args[1:] {
			found, err := filepath.Glob(filepath.Join(ts.MkAbs(folder), ".hubbench-*"))
			ts.Check(err)
			left = append(left, found...)
		}
		return len(left) == 0
	}) {
		ts.Fatalf("after %s: %s", timeout, strings.Join(left, ", "))
	}
}

// same ONE OTHER checks that two runs have recorded the same, but for what the wall clock has to do
// with.
func same(ts *testscript.TestScript, _ bool, args []string) {
	var lines [2][]string
	for i, dir := range args {
		lines[i] = measured(ts.ReadFile(filepath.Join(dir, rundir.EventsFile)))
	}
	if diff := cmp.Diff(lines[0], lines[1]); diff != "" {
		ts.Fatalf("(-%s +%s)\n%s", args[0], args[1], diff)
	}
}

// litter FOLDER puts a file that is not hubbench's into the test folder there.
func litter(ts *testscript.TestScript, _ bool, args []string) {
	found, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), ".hubbench-*"))
	ts.Check(err)
	if len(found) != 1 {
		ts.Fatalf("%d test folders in %s, want one", len(found), args[0])
	}
	ts.Check(os.WriteFile(filepath.Join(found[0], "mine.txt"), []byte("precious"), 0o644))
}

// TestBadScenarios holds every bad scenario to a line for each mistake on stderr, ten at most, and
// exit code 2, in plan as in run.
func TestBadScenarios(t *testing.T) {
	t.Chdir(filepath.Join("..", "..", "testdata", "bad-scenarios"))
	data := read(t, "want.txt")
	mistakes := map[string]int{}
	reported := map[string]string{}
	for line := range strings.Lines(string(data)) {
		file, _, _ := strings.Cut(line, ":")
		if mistakes[file]++; mistakes[file] <= maxMistakes {
			reported[file] += "hubbench: " + line
		}
	}
	for file, want := range reported {
		if more := mistakes[file] - maxMistakes; more > 0 {
			want += fmt.Sprintf("hubbench: and %d more\n", more)
		}
		for _, command := range []string{"plan", "run"} {
			if got, out, errs := does(t, nil, command, file); got != exit.Misuse || errs != want ||
				out != "" {
				t.Errorf("%s %s: exit code %d, stdout %q, stderr %q; want %d and %q", command, file,
					got, out, errs, exit.Misuse, want)
			}
		}
	}
}

// TestExitCodes holds what --help says of exit codes: each command has a list, of its own codes
// only, and each code is in the manual.
func TestExitCodes(t *testing.T) {
	safety, err := manual.Topic{Name: "safety"}.Markdown()
	must(t, err)
	names := map[string]bool{}
	var walk func(cmd *cobra.Command)
	walk = func(cmd *cobra.Command) {
		names[cmd.Name()] = true
		own := cmd.Annotations[exitCodesKey]
		if !strings.HasPrefix(own, "\nExit codes:\n  0    ok\n  1    failed\n  2    ") {
			t.Errorf("%s has no exit codes: %q", cmd.Name(), own)
		}
		if path := strings.Fields(cmd.CommandPath())[1:]; !cmd.Hidden {
			if help := prints(t, append(path, "--help")...); !strings.HasSuffix(help, own) {
				t.Errorf("%s --help ends with %q, want %q", cmd.Name(),
					help[max(0, len(help)-len(own)):], own)
			}
		}
		for _, child := range cmd.Commands() {
			walk(child)
		}
	}
	root := newRoot(program{})
	root.InitDefaultHelpCmd()
	walk(root)
	for _, c := range exitCodes() {
		if !strings.Contains(safety, fmt.Sprintf("\n%d\n: ", c.code)) {
			t.Errorf("exit code %d is not in the manual", c.code)
		}
		for _, command := range c.commands {
			if !names[command] {
				t.Errorf("exit code %d is of %s, which is no command", c.code, command)
			}
		}
	}
	for command, want := range map[string]string{
		"run": "0 1 2 3 4 130", "simulate": "0 1 2 4", "plan": "0 1 2", "compare": "0 1 2 3 4",
		"trend": "0 1 2 3 4",
		"check": "0 1 2 3 4", "devices": "0 1 2", "doctor": "0 1 2 4 130",
	} {
		cmd, _, err := root.Find([]string{command})
		must(t, err)
		var codes []string
		for _, c := range exitCodesOf(cmd) {
			codes = append(codes, strconv.Itoa(c.code))
		}
		check.Same(t, command, want, strings.Join(codes, " "))
	}
}
