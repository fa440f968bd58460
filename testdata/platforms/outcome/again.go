package outcome

import (
	"fmt"
	"maps"
	"regexp"
	"strings"
)

// Chances is how many failures of one system's tests are run again: an emulator fails at random now and then, and one that
// does so often is broken. A machine does not.
func Chances(how string) int {
	if how == Machine {
		return 0
	}
	return 2
}

// Again runs each test once more that failed and is not known to, alone; or all tests, if their program failed. It returns
// what the tests came to with that, and what to say of the runs. If more failed than there are chances left, it runs nothing.
func Again(t *Tests, how, pkg string, known []Known, chances *int, run func(pattern string) (*Tests, error)) (*Tests, []string, error) {
	failed := unlisted(t.failures(), ofPackage(known, how, pkg))
	whole := t.crashed() || t.Failed && len(t.failures()) == 0
	if whole {
		failed = []string{""}
	}
	if len(failed) == 0 || len(failed) > *chances {
		return t, nil, nil
	}
	*chances -= len(failed)
	if whole {
		_, wrong := Judge(t, how, pkg, known)
		second, err := run("")
		return second, []string{fmt.Sprintf("its program failed under %s, and all of it is run again; the first time:\n%s", how, strings.Join(wrong, "\n"))}, err
	}
	var said []string
	for _, test := range failed {
		second, err := run("^" + strings.ReplaceAll(regexp.QuoteMeta(test), "/", "$/^") + "$")
		if err != nil {
			return nil, said, err
		}
		if second.Failed || second.Ends[test] != "pass" {
			said = append(said, fmt.Sprintf("%s failed under %s, and again alone:\n%s", test, how, strings.Join(second.Output[test], "")))
			continue
		}
		said = append(said, fmt.Sprintf("%s failed once and passed when run again, alone, under %s; the first time:\n%s", test, how, strings.Join(t.Output[test], "")))
		maps.Copy(t.Ends, second.Ends) // its parents' too
	}
	t.Failed = len(t.failures()) > 0
	return t, said, nil
}
