package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/hubbench/hubbench/testdata/platforms/outcome"
)

const module = "github.com/hubbench/hubbench/"

// A system is a platform and a way to run its tests here.
type system struct {
	name     string
	platform string // GOOS/GOARCH
	how      string // one of package outcome's
	programs []string
	debian   string // packages that have them
	packages []string
	all      []string // packages with -all; as packages if nil
	quick    string   // a regular expression of tests that are left out without -all

	// prepare makes ready what the tests need, in the folder tmp, and prints it.
	prepare func(tmp string) (emulator, error)
}

// emulator is what go test needs to know.
type emulator struct {
	args  []string // of go test
	env   []string
	close func() // if something is to be ended
}

func systems() []system {
	every := []string{"./..."}
	// Where systems differ, and the commands, which bring all together.
	differ := []string{
		"./internal/machine/awake", "./internal/measure/clock", "./internal/measure/coordinator", "./internal/machine/device/...", "./internal/measure/diskio", "./internal/measure/filelock",
		"./internal/measure/filesync", "./internal/measure/rundir", "./internal/measure/worker", "./cmd/hubbench",
	}
	// Where numbers are worked out and bytes are read; the rest of pkg follows from these.
	numbers := []string{
		"./pkg/analysis", "./pkg/hardware", "./pkg/hub", "./pkg/level", "./pkg/meter", "./pkg/overlap", "./pkg/policy", "./pkg/quantile", "./pkg/scenario", "./pkg/size", "./pkg/strictyaml", "./pkg/trace/...", "./pkg/unit",
	}
	// Hundreds of random traces, which qemu is slow at and which say little of a processor.
	counted := "^(TestNoClaimsFromNoise|TestFalseAlarms|TestIntervalsCover|TestAgainstBruteForce)$"
	var all []system
	for _, platform := range []string{"darwin/arm64", "darwin/amd64", "windows/amd64", "linux/arm64"} {
		all = append(all, system{name: "compiled", platform: platform, how: outcome.Compiled, packages: every})
	}
	return append(all,
		system{
			name: "loader", platform: "darwin/amd64", how: outcome.Loader, programs: []string{"gcc"}, debian: "gcc libc6-dev",
			packages: differ, all: every, prepare: prepareLoader,
		},
		system{
			name: "wine", platform: "windows/amd64", how: outcome.Wine, programs: []string{"wine", "x86_64-w64-mingw32-dlltool"},
			debian: "wine wine64 binutils-mingw-w64-x86-64", packages: differ, all: every, prepare: prepareWine,
		},
		system{
			name: "arm64", platform: "linux/arm64", how: outcome.Qemu, programs: []string{"qemu-aarch64-static"}, debian: "qemu-user-static",
			packages: numbers, all: []string{"./pkg/..."}, quick: counted, prepare: prepareQemu("qemu-aarch64-static"),
		},
		system{
			name: "s390x", platform: "linux/s390x", how: outcome.Qemu, programs: []string{"qemu-s390x-static"}, debian: "qemu-user-static",
			packages: numbers, all: []string{"./pkg/..."}, quick: counted, prepare: prepareQemu("qemu-s390x-static"),
		},
		system{
			name: "machine", platform: runtime.GOOS + "/" + runtime.GOARCH, how: outcome.Machine,
			packages: every, prepare: func(string) (emulator, error) { return emulator{}, nil },
		},
	)
}

// lacking are the programs that are not installed here.
func (s system) lacking() []string {
	return slices.DeleteFunc(slices.Clone(s.programs), func(p string) bool {
		_, err := exec.LookPath(p)
		return err == nil
	})
}

// environment is that of go for the system.
func (s system) environment() []string {
	goos, goarch, _ := strings.Cut(s.platform, "/")
	env := append(os.Environ(), "GOOS="+goos, "GOARCH="+goarch)
	if s.how != outcome.Machine {
		env = append(env, "CGO_ENABLED=0")
	}
	return env
}

// run runs the system's tests and says what they came to, and whether that is well.
func (s system) run(o options) ([]outcome.Result, bool, error) {
	today := time.Now().UTC().Format(time.DateOnly)
	if s.how == outcome.Compiled {
		vet := exec.Command("go", append([]string{"vet"}, s.packages...)...)
		vet.Env, vet.Stdout, vet.Stderr = s.environment(), o.out, o.out
		return []outcome.Result{{Platform: s.platform, How: s.how, Date: today, Package: "all"}}, vet.Run() == nil, nil
	}
	e, err := s.prepare(o.tmp)
	if e.close != nil {
		defer e.close()
	}
	if err != nil {
		return nil, false, err
	}
	packages := s.packages
	switch {
	case o.packages != nil:
		packages = o.packages
	case o.all && s.all != nil:
		packages = s.all
	}
	tests, err := s.test(e, packages, o.all)
	if err != nil {
		return nil, false, err
	}
	var results []outcome.Result
	ok := true
	chances := outcome.Chances(s.how)
	for _, t := range tests {
		pkg := strings.TrimPrefix(t.Package, module)
		t, said, err := outcome.Again(t, s.how, pkg, o.known, &chances, func(pattern string) (*outcome.Tests, error) {
			second, err := s.test(e, []string{t.Package}, o.all, "-run="+pattern)
			if err != nil {
				return nil, err
			}
			return second[0], nil
		})
		for _, line := range said {
			fmt.Fprintf(o.out, "again %s: %s\n", pkg, line)
		}
		if err != nil {
			return nil, false, err
		}
		r, wrong := outcome.Judge(t, s.how, pkg, o.known)
		if t.Empty {
			continue
		}
		r.Platform, r.Date = s.platform, today
		results = append(results, r)
		if len(wrong) > 0 {
			ok = false
			fmt.Fprintf(o.out, "FAIL %s\n%s\n", pkg, strings.Join(wrong, "\n"))
			continue
		}
		fmt.Fprintf(o.out, "ok   %s: %d passed, %d skipped, %d failed because of the emulator\n", pkg, r.Passed, r.Skipped, r.Excused)
	}
	return results, ok, nil
}

// test runs go test, one package at a time, since emulated time is short enough, and without its part of go vet, as that of
// another system than this machine takes a while, and compiled stands for all of it.
func (s system) test(e emulator, packages []string, all bool, more ...string) ([]*outcome.Tests, error) {
	args := slices.Concat([]string{"test", "-json", "-short", "-count=1", "-p=1", "-vet=off", "-timeout=10m"}, e.args, more, packages)
	if s.quick != "" && !all {
		args = slices.Insert(args, 1, "-skip="+s.quick)
	}
	cmd := exec.Command("go", args...)
	cmd.Env = append(s.environment(), e.env...)
	var out, problems bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &problems
	failed := cmd.Run() // also if a test did
	tests, err := outcome.ReadTests(&out)
	if err == nil && len(tests) == 0 {
		err = fmt.Errorf("go test ran nothing: %w\n%s", failed, &problems)
	}
	return tests, err
}

// prepareLoader builds the loader, which is then put before each program.
func prepareLoader(tmp string) (emulator, error) {
	sources, err := filepath.Glob(filepath.Join(here, "loader", "*.c"))
	if err != nil || len(sources) == 0 {
		return emulator{}, fmt.Errorf("the loader's sources are not in %s/loader: %w", here, err)
	}
	loader := filepath.Join(tmp, "loader")
	return emulator{args: []string{"-exec", loader}}, command("gcc", slices.Concat([]string{"-O1", "-Wall", "-Wextra", "-o", loader}, sources, []string{"-lpthread"})...)
}

func prepareQemu(program string) func(string) (emulator, error) {
	return func(string) (emulator, error) { return emulator{args: []string{"-exec", program}}, nil }
}
