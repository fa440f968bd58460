// Command platforms runs hubbench's tests on systems and processors other than this machine's:
// Windows code under Wine, macOS code through the loader in loader/, arm64 and s390x under qemu.
// It is for those who change hubbench; make platforms starts it:
//
//	go run ./testdata/platforms [-all] [-strict] [-record] [-programs DIR] [SYSTEM]... [./PACKAGE]...
//
// Without names it runs every system but machine, which is this machine's own tests; without
// packages those where systems differ, and with -all every one. Failures that are an emulator's own
// stand in known. Up to two other tests that fail under an emulator are run once more, alone: what
// then passes has passed, and both runs are printed. If a program is missing the system is skipped;
// with -strict that is an error. With -programs no tests run, but the programs of a release, whose archives are
// unpacked in DIR. -record writes what the tests came to into the manual's list.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/unit"
)

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, "platforms:", err)
		os.Exit(1)
	}
}

func run() error {
	all := flag.Bool("all", false, "test every package, not only those where systems differ")
	record := flag.Bool("record", false, "write the results into the list in the manual")
	strict := flag.Bool("strict", false, "fail if a system's programs are missing")
	programs := flag.String("programs", "", "the folder of a release's unpacked archives: run their programs instead of tests")
	flag.Parse()
	if _, err := os.Stat("go.mod"); err != nil {
		return errors.New("this is not the module's folder: run make platforms there")
	}
	var names, packages []string
	for _, arg := range flag.Args() {
		if strings.HasPrefix(arg, "./") {
			packages = append(packages, arg)
		} else {
			names = append(names, arg)
		}
	}
	if *record && packages != nil {
		return errors.New("-record takes a system's packages as they are: name none")
	}
	tmp, err := os.MkdirTemp("", "hubbench-platforms-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)

	var known, failed []string
	var results []entry
	for _, s := range systems() {
		known = append(known, s.name)
		if !slices.Contains(names, s.name) && (len(names) > 0 || s.name == "machine") {
			continue
		}
		fmt.Printf("-- %s: %s\n", s.name, s.title)
		if i := slices.IndexFunc(s.programs, missing); i >= 0 {
			fmt.Printf("skipped: %s is not installed; on Debian: apt-get install %s\n", s.programs[i], s.debian)
			if *strict {
				failed = append(failed, s.name+" (not run)")
			}
			continue
		}
		began := time.Now()
		if *programs != "" {
			if err := s.try(tmp, *programs); err != nil {
				fmt.Println(err)
				failed = append(failed, s.name)
			}
			continue
		}
		counts, ok, err := s.test(tmp, *all, packages)
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		if !ok {
			failed = append(failed, s.name)
		}
		fmt.Printf("%s: %s in %d s\n", s.name, counts, int(time.Since(began).Seconds()))
		what := s.what
		if *all {
			what = "every package"
		}
		text := fmt.Sprintf("%s: %s. %s (%s).", s.how, what, counts, time.Now().UTC().Format(time.DateOnly))
		results = append(results, entry{s.title, text})
	}
	for _, name := range names {
		if !slices.Contains(known, name) {
			return fmt.Errorf("no system %q; try %s", name, strings.Join(known, ", "))
		}
	}
	if len(failed) > 0 {
		return fmt.Errorf("not passed: %s", strings.Join(failed, ", "))
	}
	if !*record {
		return nil
	}
	text, err := os.ReadFile(manual)
	if err != nil {
		return err
	}
	updated, err := putEntries(string(text), results)
	if err != nil {
		return err
	}
	return os.WriteFile(manual, []byte(updated), 0o644)
}

func missing(program string) bool {
	_, err := exec.LookPath(program)
	return err != nil
}

// manual is the page that lists what was tested, between listBegins and listEnds.
const (
	manual     = "internal/tell/manual/platforms.md"
	listBegins = "<!-- written by make platforms RECORD=1 -->\n"
	listEnds   = "<!-- end of the list -->\n"
)

// entry is one of the manual's list, a definition list in Markdown.
type entry struct{ title, text string }

// putEntries puts entries in place of those in the page with the same titles and emulators, or after them.
func putEntries(page string, entries []entry) (string, error) {
	before, rest, begins := strings.Cut(page, listBegins)
	list, after, ends := strings.Cut(rest, listEnds)
	if !begins || !ends {
		return "", fmt.Errorf("%s has no lines %q and %q for the list", manual, listBegins, listEnds)
	}
	for _, e := range entries {
		how, _, _ := strings.Cut(e.text, ":")
		old := regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(e.title+"\n: "+how) + `:.*$`)
		if line := e.title + "\n: " + e.text; old.MatchString(list) {
			list = old.ReplaceAllLiteralString(list, line)
		} else {
			list += line + "\n\n"
		}
	}
	return before + listBegins + list + listEnds + after, nil
}

// counts is how the tests and subtests of a system ended.
type counts struct{ passed, skipped, excused int }

func (c counts) String() string {
	text := unit.Plural(c.passed, "test") + " passed"
	if c.skipped > 0 {
		text += fmt.Sprintf(", %d skipped", c.skipped)
	}
	if c.excused > 0 {
		text += fmt.Sprintf(", %d failed because of the stand-in", c.excused)
	}
	return text
}

// ending is what go test -v prints of a test that ended.
var ending = regexp.MustCompile(`(?m)^ *--- (PASS|FAIL|SKIP): (\S+)`)

// read counts what go test -v printed of a package's tests, and returns those that failed by
// themselves: a test also fails with its subtest.
func read(output string) (c counts, failed []string) {
	for _, m := range ending.FindAllStringSubmatch(output, -1) {
		switch m[1] {
		case "PASS":
			c.passed++
		case "SKIP":
			c.skipped++
		case "FAIL":
			failed = append(failed, m[2])
		}
	}
	leaves := slices.DeleteFunc(slices.Clone(failed), func(test string) bool {
		return slices.ContainsFunc(failed, func(other string) bool { return strings.HasPrefix(other, test+"/") })
	})
	return c, leaves
}

// crashed tells from what a test program printed whether it ended before its tests did.
var crashed = regexp.MustCompile(`(?m)^(panic: |fatal error: |signal: |FAIL\s.*\[build failed\])`).MatchString

// exactly is the regular expression for go test -run that chooses one test.
func exactly(test string) string {
	return "^" + strings.ReplaceAll(regexp.QuoteMeta(test), "/", "$/^") + "$"
}

// judge runs a package's tests by test, which takes more arguments and returns the output and whether all
// passed. Failures that are not known are tried once more, as long as retries last.
func judge(known []string, retries *int, test func(args ...string) (string, bool)) (c counts, problems []string) {
	output, ok := test()
	if crashed(output) && *retries > 0 {
		*retries--
		fmt.Printf("run again, since its program failed:\n%s\n", output)
		output, ok = test()
	}
	c, failed := read(output)
	for _, name := range known {
		if !slices.Contains(failed, name) {
			problems = append(problems, name+" is listed as failing and does not: take it off the list")
		}
	}
	failed = slices.DeleteFunc(failed, func(name string) bool { return slices.Contains(known, name) })
	c.excused = len(known)
	again := len(failed) <= *retries
	for _, name := range failed {
		if again {
			*retries--
			if second, ok := test("-run=" + exactly(name)); ok && strings.Contains(second, "--- PASS: "+name+" ") {
				fmt.Printf("%s passed when run again alone; the first time:\n%s\n", name, output)
				c.passed++
				continue
			}
		}
		problems = append(problems, name+" fails")
	}
	if crashed(output) || !ok && len(failed)+len(known) == 0 {
		problems = append(problems, "the tests did not finish")
	}
	if len(problems) > 0 {
		problems = append(problems, output)
	}
	return c, problems
}
