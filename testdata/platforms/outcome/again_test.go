package outcome

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// ends is what go test -json says of tests that ended so, "TestX fail" each, and of their program.
func ends(program string, tests ...string) string {
	var text string
	for _, t := range tests {
		name, end, _ := strings.Cut(t, " ")
		text += fmt.Sprintf("{\"Action\":\"run\",\"Package\":\"m/a\",\"Test\":%q}\n", name)
		if end == "fail" {
			text += fmt.Sprintf("{\"Action\":\"output\",\"Package\":\"m/a\",\"Test\":%q,\"Output\":\"%s is odd\\n\"}\n", name, name)
		}
		text += fmt.Sprintf("{\"Action\":%q,\"Package\":\"m/a\",\"Test\":%q}\n", end, name)
	}
	return text + fmt.Sprintf("{\"Action\":%q,\"Package\":\"m/a\"}\n", program)
}

func TestAgain(t *testing.T) {
	const x = "^TestTwo$/^x$"
	one := ends("fail", "TestOne pass", "TestTwo/x fail", "TestTwo fail")
	passes := ends("pass", "TestTwo/x pass", "TestTwo pass")
	panics := `{"Action":"output","Package":"m/a","Test":"TestTwo","Output":"panic: odd\n"}` + "\n" + ends("fail", "TestOne pass", "TestTwo fail")
	listed := Known{Loader, "a", "TestTwo/x", "the loader has no such call"}
	for _, c := range []struct {
		name, how, stream string
		known             []Known
		chances           int
		second            map[string]string // what each pattern's run comes to
		said              []string
		left              int // chances
		passed            int
		wrong             []string
	}{
		{"passes", Loader, ends("pass", "TestOne pass"), nil, 2, nil, nil, 2, 1, nil},
		{"passes the second time", Loader, one, nil, 2, map[string]string{x: passes},
			[]string{"TestTwo/x failed once and passed when run again, alone, under loader; the first time:\nTestTwo/x is odd\n"}, 1, 3, nil},
		{"fails twice", Loader, one, nil, 2, map[string]string{x: one},
			[]string{"TestTwo/x failed under loader, and again alone:\nTestTwo/x is odd\n"}, 1, 1, []string{"TestTwo/x fails"}},
		{"is skipped the second time", Loader, one, nil, 2, map[string]string{x: ends("pass", "TestTwo/x skip", "TestTwo pass")},
			[]string{"TestTwo/x failed under loader, and again alone"}, 1, 1, []string{"TestTwo/x fails"}},
		{"passes, and its program fails", Loader, one, nil, 2, map[string]string{x: strings.Replace(passes, `"pass","Package":"m/a"}`, `"fail","Package":"m/a"}`, 1)},
			[]string{"TestTwo/x failed under loader, and again alone"}, 1, 1, []string{"TestTwo/x fails"}},
		{"is known to fail", Loader, one, []Known{listed}, 2, nil, nil, 2, 1, nil},
		{"a name of signs", Wine, ends("fail", "TestA/b+c fail"), nil, 2, map[string]string{`^TestA$/^b\+c$`: ends("pass", "TestA/b+c pass")},
			[]string{"TestA/b+c failed once and passed when run again, alone, under wine"}, 1, 1, nil},
		{"two", Qemu, ends("fail", "TestA fail", "TestB fail"), nil, 2, map[string]string{"^TestA$": ends("pass", "TestA pass"), "^TestB$": ends("fail", "TestB fail")},
			[]string{"TestA failed once", "TestB failed under qemu, and again alone"}, 0, 1, []string{"TestB fails"}},
		{"more than the chances", Loader, ends("fail", "TestA fail", "TestB fail"), nil, 1, nil, nil, 1, 0, []string{"TestA fails", "TestB fails"}},
		{"a crash", Loader, panics, nil, 2, map[string]string{"": ends("pass", "TestOne pass", "TestTwo pass")},
			[]string{"its program failed under loader, and all of it is run again; the first time:\nTestTwo fails:\npanic: odd"}, 1, 2, nil},
		{"a crash twice", Loader, panics, nil, 2, map[string]string{"": panics}, []string{"its program failed"}, 1, 1, []string{"TestTwo fails", "the tests did not finish"}},
		{"a crash, then a failure", Loader, panics, nil, 2, map[string]string{"": one}, []string{"its program failed"}, 1, 1, []string{"TestTwo/x fails"}},
		{"a test that never ended", Loader, ends("fail", "TestOne run", "TestTwo fail"), nil, 2, map[string]string{"": ends("pass", "TestOne pass", "TestTwo pass")},
			[]string{"its program failed under loader"}, 1, 2, nil},
		{"no test failed", Loader, ends("fail", "TestOne pass"), nil, 2, map[string]string{"": ends("fail", "TestOne pass")},
			[]string{"its program failed"}, 1, 1, []string{"failed, though no test did"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			first, err := ReadTests(strings.NewReader(c.stream))
			if err != nil || len(first) != 1 {
				t.Fatalf("%d packages, %v; want 1", len(first), err)
			}
			left := c.chances
			got, said, err := Again(first[0], c.how, "a", c.known, &left, func(pattern string) (*Tests, error) {
				text, ok := c.second[pattern]
				if !ok {
					return nil, fmt.Errorf("ran %q", pattern)
				}
				second, err := ReadTests(strings.NewReader(text))
				return second[0], err
			})
			if err != nil {
				t.Fatal(err)
			}
			r, wrong := Judge(got, c.how, "a", c.known)
			if !slices.EqualFunc(said, c.said, strings.HasPrefix) || !slices.EqualFunc(wrong, c.wrong, strings.HasPrefix) {
				t.Errorf("said %q, want %q; wrong is %q, want %q", said, c.said, wrong, c.wrong)
			}
			if left != c.left || r.Passed != c.passed {
				t.Errorf("%d chances left and %d passed, want %d and %d", left, r.Passed, c.left, c.passed)
			}
		})
	}
	if Chances(Machine) != 0 || Chances(Loader) != 2 {
		t.Errorf("a machine has %d chances and the loader %d, want 0 and 2", Chances(Machine), Chances(Loader))
	}
	first, err := ReadTests(strings.NewReader(one))
	if err != nil {
		t.Fatal(err)
	}
	chances, broken := 2, errors.New("no go")
	if _, _, err := Again(first[0], Loader, "a", nil, &chances, func(string) (*Tests, error) { return nil, broken }); !errors.Is(err, broken) {
		t.Errorf("a second run that cannot be: %v, want %v", err, broken)
	}
}
