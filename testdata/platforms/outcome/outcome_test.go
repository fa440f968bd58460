package outcome

import (
	"strings"
	"testing"
)

const stream = `{"Action":"start","Package":"m/a"}
{"Action":"run","Package":"m/a","Test":"TestOne"}
{"Action":"pass","Package":"m/a","Test":"TestOne"}
{"Action":"run","Package":"m/a","Test":"TestTwo"}
{"Action":"run","Package":"m/a","Test":"TestTwo/x"}
{"Action":"output","Package":"m/a","Test":"TestTwo/x","Output":"    a_test.go:1: odd\n"}
{"Action":"fail","Package":"m/a","Test":"TestTwo/x"}
{"Action":"fail","Package":"m/a","Test":"TestTwo"}
{"Action":"run","Package":"m/a","Test":"TestThree"}
{"Action":"skip","Package":"m/a","Test":"TestThree"}
{"Action":"fail","Package":"m/a"}
`

func judge(t *testing.T, text string, known ...Known) (Result, []string) {
	t.Helper()
	tests, err := ReadTests(strings.NewReader(text))
	if err != nil || len(tests) != 1 {
		t.Fatalf("%d packages, %v; want 1", len(tests), err)
	}
	return Judge(tests[0], Loader, "a", known)
}

func TestJudge(t *testing.T) {
	crash := `{"Action":"run","Package":"m/a","Test":"TestTwo/x"}
{"Action":"output","Package":"m/a","Test":"TestTwo/x","Output":"panic: out of luck\n"}
{"Action":"fail","Package":"m/a","Test":"TestTwo/x"}
{"Action":"fail","Package":"m/a"}
`
	listed := Known{Loader, "a", "TestTwo/x", "the loader has no such call"}
	for _, c := range []struct {
		name, stream string
		known        []Known
		wrong        []string // how each thing that is wrong begins
	}{
		{"failure", stream, nil, []string{"TestTwo/x fails:\n    a_test.go:1: odd"}},
		{"excused", stream, []Known{listed}, nil},
		{"excused elsewhere", stream, []Known{{Wine, "a", "TestTwo/x", "r"}, {Loader, "b", "TestTwo/x", "r"}}, []string{"TestTwo/x fails"}},
		{"a parent excuses no child", stream, []Known{{Loader, "a", "TestTwo", "r"}}, []string{"TestTwo/x fails", "TestTwo is in known.txt"}},
		{"listed and passes", stream, []Known{listed, {Loader, "a", "TestOne", "r"}}, []string{"TestOne is in known.txt and does not fail"}},
		{"listed and skipped", stream, []Known{listed, {Loader, "a", "TestThree", "r"}}, []string{"TestThree is in known.txt"}},
		{"listed and gone", stream, []Known{listed, {Loader, "a", "TestGone", "r"}}, []string{"TestGone is in known.txt"}},
		{"a crash is never excused", crash, []Known{listed}, []string{"the tests did not finish"}},
		{"never ended", `{"Action":"run","Package":"m/a","Test":"TestHang"}` + "\n" + `{"Action":"output","Package":"m/a","Output":"signal: killed\n"}` + "\n" + `{"Action":"fail","Package":"m/a"}`, nil, []string{"TestHang fails", "the tests did not finish:\nsignal: killed"}},
		{"does not build", `{"Action":"output","Package":"m/a","Output":"FAIL m/a [build failed]\n"}` + "\n" + `{"Action":"fail","Package":"m/a"}`, nil, []string{"failed, though no test did:\nFAIL m/a [build failed]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, wrong := judge(t, c.stream, c.known...)
			if len(wrong) != len(c.wrong) {
				t.Fatalf("wrong is %q, want %q", wrong, c.wrong)
			}
			for i := range wrong {
				if !strings.HasPrefix(wrong[i], c.wrong[i]) {
					t.Errorf("wrong is %q, want %q", wrong[i], c.wrong[i])
				}
			}
		})
	}
	if r, _ := judge(t, stream, listed); r.Passed != 1 || r.Skipped != 1 || r.Excused != 1 {
		t.Errorf("counted %+v, want one of each", r)
	}
}

func TestKnownNeedsAReason(t *testing.T) {
	for line, want := range map[string]string{
		"wine a TestX Wine lacks it":    "",
		"# wine":                        "",
		"wine a TestX":                  "a reason in words",
		"wine a TestX flaky":            "a reason in words",
		"machine a TestX it never runs": "machine is no emulator",
	} {
		_, err := ReadKnown(strings.NewReader("\n" + line + "\n"))
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want) || !strings.HasPrefix(err.Error(), "line 2: ")) {
			t.Errorf("%q: %v, want %q", line, err, want)
		}
	}
}

var some = []Result{
	{"linux/amd64", Machine, "2026-11-22", "cmd/hubbench", 90, 1, 0},
	{"linux/amd64", Machine, "2026-11-21", "pkg/unit", 10, 0, 0},
	{"darwin/amd64", Loader, "2026-11-22", "cmd/hubbench", 80, 2, 3},
	{"darwin/amd64", Compiled, "2026-11-22", "all", 0, 0, 0},
	{"darwin/arm64", Compiled, "2026-11-22", "all", 0, 0, 0},
	{"linux/s390x", Qemu, "2026-11-22", "pkg/unit", 10, 0, 0},
}

func TestResultsKeep(t *testing.T) {
	var text strings.Builder
	if err := WriteResults(&text, some); err != nil {
		t.Fatal(err)
	}
	read, err := ReadResults(strings.NewReader(text.String()))
	if err != nil || len(read) != len(some) {
		t.Fatalf("read %d results, %v; want %d", len(read), err, len(some))
	}
	var again strings.Builder
	if err := WriteResults(&again, read); err != nil || again.String() != text.String() {
		t.Errorf("written again: %s, want %s", &again, &text)
	}
	for _, bad := range []string{"linux/amd64 machine 2026-11-22 a 1 2", "linux/amd64 guess 2026-11-22 a 1 2 3"} {
		if _, err := ReadResults(strings.NewReader(bad)); err == nil {
			t.Errorf("%q is taken for a result", bad)
		}
	}
}

func TestReplace(t *testing.T) {
	got := Replace(some, []Result{{"linux/amd64", Machine, "2026-12-01", "pkg/unit", 11, 0, 0}})
	if len(got) != len(some)-1 || len(of(got, "linux/amd64", Machine)) != 1 || len(of(got, "darwin/amd64", Loader)) != 1 {
		t.Errorf("replaced: %+v", got)
	}
}

func TestList(t *testing.T) {
	want := "Linux, x86-64\n: A real machine: every package. 100 tests passed, 1 skipped (2026-11-22).\n\n" +
		"macOS, Intel\n: A stand-in on Linux that answers macOS's system calls: the commands, and what differs between systems. " +
		"80 tests passed, 2 skipped, 3 failed because of the stand-in (2026-11-22).\n\n" +
		"Linux, s390x, which stores the high byte first\n: qemu, which runs the processor's instructions on another one: the calculations (`pkg`). " +
		"10 tests passed (2026-11-22).\n\n" +
		"macOS, Apple silicon\n: Compiled and checked, not run. No test was run (2026-11-22).\n\n"
	if got := List(some); got != want {
		t.Errorf("the list is\n%swant\n%s", got, want)
	}
	page := "before\n" + listBegins + "old\n" + listEnds + "after\n"
	if got, err := InPage(page, some); err != nil || got != "before\n"+listBegins+"\n"+want+listEnds+"after\n" {
		t.Errorf("the page is %q, %v", got, err)
	}
	if _, err := InPage("no place\n", some); err == nil {
		t.Error("a page without a place for the list is written")
	}
}
