package main

import (
	"slices"
	"strings"
	"testing"
)

func TestJudge(t *testing.T) {
	const (
		passes = "=== RUN   TestOne\n--- PASS: TestOne (0.00s)\n    --- PASS: TestOne/x (0.00s)\n--- SKIP: TestTwo (0.00s)\nPASS\nok  \tm/a\n"
		fails  = "--- PASS: TestOne (0.00s)\n--- FAIL: TestTwo (0.00s)\n    --- FAIL: TestTwo/x+y (0.00s)\nFAIL\nFAIL\tm/a\n"
		panics = "--- PASS: TestOne (0.00s)\n--- FAIL: TestTwo (0.00s)\npanic: odd\n"
		only   = "-run=^TestTwo$/^x\\+y$"
		alone  = "--- PASS: TestTwo (0.00s)\n    --- PASS: TestTwo/x+y (0.00s)\nPASS\n"
	)
	for _, c := range []struct {
		name     string
		known    []string
		retries  int
		runs     []string // what each run prints, in order; it fails if it says FAIL or panics
		want     counts
		problems []string // how each begins
		left     int
	}{
		{"passes", nil, 2, []string{passes}, counts{2, 1, 0}, nil, 2},
		{"passes the second time", nil, 2, []string{fails, alone}, counts{2, 0, 0}, nil, 1},
		{"fails twice", nil, 2, []string{fails, fails}, counts{1, 0, 0}, []string{"TestTwo/x+y fails"}, 1},
		{"skipped the second time", nil, 2, []string{fails, "--- SKIP: TestTwo/x+y (0.00s)\nPASS\n"}, counts{1, 0, 0}, []string{"TestTwo/x+y fails"}, 1},
		{"no retry left", nil, 0, []string{fails}, counts{1, 0, 0}, []string{"TestTwo/x+y fails"}, 0},
		{"known", []string{"TestTwo/x+y"}, 2, []string{fails}, counts{1, 0, 1}, nil, 2},
		{"known and passes", []string{"TestOne/x"}, 2, []string{passes}, counts{2, 1, 1}, []string{"TestOne/x is listed as failing and does not"}, 2},
		{"a parent excuses no subtest", []string{"TestTwo"}, 0, []string{fails}, counts{1, 0, 1}, []string{"TestTwo is listed", "TestTwo/x+y fails"}, 0},
		{"crashes once", nil, 2, []string{panics, passes}, counts{2, 1, 0}, nil, 1},
		{"crashes twice", nil, 1, []string{panics, panics}, counts{1, 0, 0}, []string{"TestTwo fails", "the tests did not finish"}, 0},
		{"a known test crashes", []string{"TestTwo"}, 0, []string{panics}, counts{1, 0, 1}, []string{"the tests did not finish"}, 0},
		{"killed", nil, 0, []string{"=== RUN   TestOne\nsignal: killed\nFAIL\tm/a\n"}, counts{}, []string{"the tests did not finish"}, 0},
		{"does not build", nil, 0, []string{"FAIL\tm/a [build failed]\n"}, counts{}, []string{"the tests did not finish"}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			runs, retries := c.runs, c.retries
			got, problems := judge(c.known, &retries, func(args ...string) (string, bool) {
				if len(runs) == 0 {
					t.Fatalf("one run too many, with %q", args)
				}
				if len(args) > 0 && args[0] != only {
					t.Errorf("runs %q, want %q", args, only)
				}
				output := runs[0]
				runs = runs[1:]
				return output, !strings.Contains(output, "FAIL") && !strings.Contains(output, "panic")
			})
			if len(problems) > 0 {
				problems = problems[:len(problems)-1] // the output
			}
			if got != c.want || retries != c.left || !slices.EqualFunc(problems, c.problems, strings.HasPrefix) {
				t.Errorf("%+v, %d retries left, %q; want %+v, %d, %q", got, retries, problems, c.want, c.left, c.problems)
			}
		})
	}
}

func TestPutEntries(t *testing.T) {
	page := "before\n" + listBegins + "\nmacOS\n: loader: some. 1 test passed (2026-01-01).\n\nmacOS\n: A machine: all. 2 tests passed (2026-01-01).\n\n" + listEnds + "after\n"
	got, err := putEntries(page, []entry{{"macOS", "loader: some. 3 tests passed (2026-02-01)."}, {"Linux", "qemu: some. 4 tests passed (2026-02-01)."}})
	want := "before\n" + listBegins + "\nmacOS\n: loader: some. 3 tests passed (2026-02-01).\n\nmacOS\n: A machine: all. 2 tests passed (2026-01-01).\n\n" +
		"Linux\n: qemu: some. 4 tests passed (2026-02-01).\n\n" + listEnds + "after\n"
	if err != nil || got != want {
		t.Errorf("%v:\n%s\nwant\n%s", err, got, want)
	}
	if _, err := putEntries("no list\n", nil); err == nil {
		t.Error("a page without a list is written")
	}
}
