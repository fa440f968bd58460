package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

const module = "github.com/hubbench/hubbench/"

// A system is a platform and a way to run its tests here.
type system struct {
	name, goos, goarch string
	title, how, what   string   // in the manual: the platform, the emulator, what is tested
	programs           []string // that it needs
	debian             string   // packages that have them
	packages           []string // without -all
	all                string
	skip               string              // tests left out without -all
	known              map[string][]string // by package, tests that fail because of the emulator
	prepare            func(tmp string) (emulator, error)
}

const timedOut = 124 // the exit code of timeout

// emulator is what go test needs to know.
type emulator struct {
	args, env []string
	close     func()
}

func systems() []system {
	// Where systems differ, and the commands, which bring all together.
	differ := []string{"./internal/machine/...", "./internal/measure/...", "./cmd/hubbench"}
	// Where numbers are worked out and bytes are read; the rest of pkg follows from these.
	numbers := []string{
		"./pkg/analysis", "./pkg/hardware", "./pkg/hub", "./pkg/level", "./pkg/meter", "./pkg/overlap", "./pkg/policy",
		"./pkg/quantile", "./pkg/scenario", "./pkg/size", "./pkg/strictyaml", "./pkg/trace/...", "./pkg/unit",
	}
	// Hundreds of random traces, which qemu is slow at and which say little of a processor.
	slow := "^(TestNoClaimsFromNoise|TestFalseAlarms|TestIntervalsCover|TestAgainstBruteForce)$"
	qemu := func(name, goarch, title, program string) system {
		return system{
			name: name, goos: "linux", goarch: goarch, title: title,
			how: "qemu, which runs the processor's instructions on another one", what: "the calculations (`pkg`)",
			programs: []string{program}, debian: "qemu-user-static", packages: numbers, all: "./pkg/...", skip: slow,
			prepare: func(string) (emulator, error) { return emulator{args: []string{"-exec", program}}, nil },
		}
	}
	return []system{
		{
			name: "loader", goos: "darwin", goarch: "amd64", title: "macOS, Intel",
			how:      "A stand-in on Linux that answers macOS's system calls",
			what:     "the commands, and what differs between systems",
			programs: []string{"gcc"}, debian: "gcc libc6-dev", packages: differ, all: "./...",
			known: map[string][]string{
				"cmd/hubbench":            {"TestScripts/doctor"},       // its shell is Linux's, which starts no program for macOS
				"internal/machine/device": {"TestProcessesFindsItself"}, // /bin/ps is Linux's, with other options than macOS's
			},
			skip:    "^TestShells$", // which are Linux's, too
			prepare: prepareLoader,
		},
		{
			name: "wine", goos: "windows", goarch: "amd64", title: "Windows, x86-64",
			how:      "Wine, which answers Windows' system calls on Linux",
			what:     "the commands, and what differs between systems",
			programs: []string{"wine", "x86_64-w64-mingw32-dlltool"}, debian: "wine wine64 binutils-mingw-w64-x86-64",
			packages: differ, all: "./...",
			known: map[string][]string{ // Wine makes no symbolic link and says that it did
				"internal/machine/device": {"TestCheckLooks/one_folder_by_two_names"},
				"internal/measure/diskio": {
					"TestCleanLeavesWhatIsInDoubt/a_link_to_a_marked_folder",
					"TestCleanLeavesWhatIsInDoubt/a_marker_that_is_a_link",
					"TestRemoveRunFollowsNoLink",
				},
			},
			prepare: prepareWine,
		},
		qemu("arm64", "arm64", "Linux, ARM64", "qemu-aarch64-static"),
		qemu("s390x", "s390x", "Linux, s390x, which stores the high byte first", "qemu-s390x-static"),
		machine(),
	}
}

// test runs the system's tests, a package at a time, and returns how they ended and whether all is well.
func (s system) test(tmp string, all bool, packages []string) (sum counts, ok bool, err error) {
	e := emulator{}
	env := append(os.Environ(), "GOOS="+s.goos, "GOARCH="+s.goarch)
	retries := 0
	if s.prepare != nil {
		if e, err = s.prepare(tmp); e.close != nil {
			defer e.close()
		}
		if err != nil {
			return sum, false, err
		}
		env = append(append(env, "CGO_ENABLED=0"), e.env...)
		retries = 2 // an emulator fails at random now and then; one that does so often is broken
	}
	args := slices.Concat([]string{"test", "-v", "-short", "-count=1", "-vet=off", "-timeout=10m"}, e.args)
	switch {
	case packages != nil:
	case all || s.packages == nil:
		packages = []string{s.all}
	default:
		packages = s.packages
		if s.skip != "" {
			args = append(args, "-skip="+s.skip)
		}
	}
	list := exec.Command("go", append([]string{"list", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.ImportPath}}{{end}}"}, packages...)...)
	list.Env, list.Stderr = env, os.Stderr
	found, err := list.Output()
	if err != nil {
		return sum, false, fmt.Errorf("go list: %w", err)
	}
	ok = true
	for pkg := range strings.FieldsSeq(string(found)) {
		short := strings.TrimPrefix(pkg, module)
		c, problems := judge(s.known[short], &retries, func(more ...string) (string, bool) {
			cmd := exec.Command("go", slices.Concat(args, more, []string{pkg})...)
			cmd.Env = env
			out, err := cmd.CombinedOutput()
			return string(out), err == nil
		})
		sum = counts{sum.passed + c.passed, sum.skipped + c.skipped, sum.excused + c.excused}
		if len(problems) > 0 {
			ok = false
			fmt.Printf("FAIL %s\n%s\n", short, strings.Join(problems, "\n"))
			continue
		}
		fmt.Printf("ok   %s: %s\n", short, c)
	}
	return sum, ok, nil
}

// try runs the system's program among a release's unpacked archives: what it says of itself, and what it makes of
// the demo.
func (s system) try(tmp, programs string) error {
	found, err := filepath.Glob(filepath.Join(programs, "hubbench_*_"+s.goos+"_"+s.goarch, "hubbench*"))
	if err != nil || len(found) != 1 || s.prepare == nil {
		return fmt.Errorf("%d programs for %s/%s in %s: %w", len(found), s.goos, s.goarch, programs, err)
	}
	program, err := filepath.Abs(found[0])
	if err != nil {
		return err
	}
	e, err := s.prepare(tmp)
	if e.close != nil {
		defer e.close()
	}
	if err != nil {
		return err
	}
	dir := filepath.Join(tmp, "demo-"+s.name)
	if err := os.Mkdir(dir, 0o755); err != nil {
		return err
	}
	for _, args := range [][]string{
		{"version"}, {"init", "--demo"}, {"simulate", "hubbench.yaml", "--out", "run"}, {"report", "run", "--out", "again.html"},
	} {
		through := slices.Concat([]string{"60"}, strings.Fields(e.args[slices.Index(e.args, "-exec")+1]), []string{program}, args)
		var out []byte
		for range 3 { // qemu 7.2 sometimes hangs when a program with threads starts another
			cmd := exec.Command("timeout", through...)
			cmd.Dir, cmd.Env = dir, append(os.Environ(), e.env...)
			if out, err = cmd.CombinedOutput(); cmd.ProcessState.ExitCode() != timedOut {
				break
			}
			fmt.Printf("hubbench %s hung\n", args[0])
		}
		if err == nil && args[0] == "version" && !strings.Contains(string(out), s.goos+"/"+s.goarch) {
			err = errors.New("it says another system")
		}
		if err != nil {
			return fmt.Errorf("hubbench %s: %w\n%s", strings.Join(args, " "), err, out)
		}
		fmt.Printf("hubbench %s\n%s", strings.Join(args, " "), out)
	}
	page, err := os.ReadFile(filepath.Join(dir, "again.html"))
	if err == nil && !strings.Contains(string(page), "Apache ECharts") {
		err = errors.New("the page has no live charts")
	}
	return err
}

// prepareLoader builds the loader, which is then put before each program.
func prepareLoader(tmp string) (emulator, error) {
	sources, err := filepath.Glob("testdata/platforms/loader/*.c")
	if err != nil || len(sources) == 0 {
		return emulator{}, fmt.Errorf("the loader's sources are not in testdata/platforms/loader: %w", err)
	}
	loader := filepath.Join(tmp, "loader")
	build := slices.Concat([]string{"-O1", "-Wall", "-Wextra", "-o", loader}, sources, []string{"-lpthread"})
	return emulator{args: []string{"-exec", loader}}, command("gcc", build...)
}

// command runs a program; the error has its output.
func command(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return nil
}

// machine is this machine itself.
func machine() system {
	title := map[string]string{
		"linux/amd64": "Linux, x86-64", "linux/arm64": "Linux, ARM64", "windows/amd64": "Windows, x86-64",
		"darwin/arm64": "macOS, Apple silicon", "darwin/amd64": "macOS, Intel",
	}[runtime.GOOS+"/"+runtime.GOARCH]
	return system{
		name: "machine", goos: runtime.GOOS, goarch: runtime.GOARCH, title: cmp.Or(title, runtime.GOOS+", "+runtime.GOARCH),
		how: "A real machine", what: "every package", all: "./...",
	}
}
