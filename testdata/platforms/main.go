// Command platforms runs hubbench's tests on systems and processors other than this machine's: Windows code under Wine,
// macOS code through the loader in loader/, arm64 and s390x under qemu, and everything that can only be compiled through
// go vet. It is for those who change hubbench; make platforms starts it:
//
//	go run ./testdata/platforms [-all] [-strict] [-record] [compiled|loader|wine|arm64|s390x|machine]... [./PACKAGE]...
//
// Without names it runs all but machine, which is this machine's own tests; without packages those where systems differ,
// and with -all every one. A failure that is the emulator's fault is listed in known.txt with its reason: any other one, and
// a listed one that does not happen, is an error. Up to two tests of a system that fail under its emulator are run once more,
// alone, and this is said: what then passes has passed. If a program is missing the system is skipped, and that is said;
// with -strict it is an error too. -record writes results.txt and the list in the manual.
//
// What the results mean is in the package outcome; known.txt and results.txt belong to it.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hubbench/hubbench/testdata/platforms/outcome"
)

const here = "testdata/platforms"

func main() {
	if err := run(os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "platforms:", err)
		os.Exit(1)
	}
}

type options struct {
	all      bool     // every package
	packages []string // these alone
	strict   bool     // what cannot be run is an error
	known    []outcome.Known
	out      io.Writer
	tmp      string
}

func run(out io.Writer) error {
	all := flag.Bool("all", false, "test every package, not those alone where systems differ")
	record := flag.Bool("record", false, "write results.txt and the list in the manual")
	strict := flag.Bool("strict", false, "treat it as an error if programs for a system are missing")
	table := flag.Bool("table", false, "write the list in the manual afresh from results.txt, and run nothing")
	flag.Parse()
	if _, err := os.Stat("go.mod"); err != nil {
		return errors.New("this is not the module's folder: run make platforms there")
	}
	if *table {
		return writeTable()
	}
	known, err := readFile("known.txt", outcome.ReadKnown)
	if err != nil {
		return err
	}
	tmp, err := os.MkdirTemp("", "hubbench-platforms-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	o := options{all: *all, strict: *strict, known: known, out: out, tmp: tmp}
	var names []string
	for _, arg := range flag.Args() {
		if strings.HasPrefix(arg, "./") {
			o.packages = append(o.packages, arg)
		} else {
			names = append(names, arg)
		}
	}
	if *record && o.packages != nil {
		return errors.New("-record takes a system's packages as they are: name none")
	}
	wanted, err := choose(names)
	if err != nil {
		return err
	}
	results, err := runAll(wanted, o)
	if err != nil || !*record {
		return err
	}
	return write(results)
}

// choose finds the systems named; all but this machine if none is.
func choose(names []string) ([]system, error) {
	var chosen []system
	var all []string
	for _, s := range systems() {
		all = append(all, s.name)
		if slices.Contains(names, s.name) || len(names) == 0 && s.name != "machine" {
			chosen = append(chosen, s)
		}
	}
	for _, name := range names {
		if !slices.Contains(all, name) {
			return nil, fmt.Errorf("no system %q; try %s", name, strings.Join(slices.Compact(all), ", "))
		}
	}
	return chosen, nil
}

// runAll runs the systems in turn, all of them whatever fails, and returns what they came to.
func runAll(chosen []system, o options) ([]outcome.Result, error) {
	var results []outcome.Result
	var failed []string
	for _, s := range chosen {
		began := time.Now()
		fmt.Fprintf(o.out, "-- %s: %s, %s\n", s.name, s.platform, s.how)
		if lacking := s.lacking(); len(lacking) > 0 {
			fmt.Fprintf(o.out, "skipped: %s not installed; on Debian: apt-get install %s\n", strings.Join(lacking, ", "), s.debian)
			if o.strict {
				failed = append(failed, s.name+" (not run)")
			}
			continue
		}
		fresh, ok, err := s.run(o)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.name, err)
		}
		if !ok {
			failed = append(failed, s.name+" "+s.platform)
		}
		results = append(results, fresh...)
		fmt.Fprintf(o.out, "%s took %d s\n", s.name, int(time.Since(began).Seconds()))
	}
	if len(failed) > 0 {
		return nil, fmt.Errorf("not passed: %s", strings.Join(failed, ", "))
	}
	return results, nil
}

func readFile[T any](name string, read func(io.Reader) ([]T, error)) ([]T, error) {
	path := filepath.Join(here, name)
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	all, err := read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return all, nil
}

// write records fresh results beside those of systems that were not run.
func write(fresh []outcome.Result) error {
	old, err := readFile("results.txt", outcome.ReadResults)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	var text strings.Builder
	if err := outcome.WriteResults(&text, outcome.Replace(old, fresh)); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(here, "results.txt"), []byte(text.String()), 0o644); err != nil {
		return err
	}
	return writeTable()
}

func writeTable() error {
	results, err := readFile("results.txt", outcome.ReadResults)
	if err != nil {
		return err
	}
	page, err := os.ReadFile(outcome.Page)
	if err != nil {
		return err
	}
	text, err := outcome.InPage(string(page), results)
	if err != nil {
		return err
	}
	return os.WriteFile(outcome.Page, []byte(text), 0o644)
}

// command is a program with its output shown if it fails.
func command(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out)
	}
	return nil
}
