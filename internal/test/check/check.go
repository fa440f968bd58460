// Package check is the conditions that most tests end in. It is for tests.
package check

import (
	"errors"
	"io/fs"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// Must ends the test if a step of it failed.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Within waits up to limit for a condition, and reports whether it was met.
func Within(limit time.Duration, met func() bool) bool {
	for deadline := time.Now().Add(limit); !met(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			return false
		}
	}
	return true
}

// Same fails the test if what it got is not what it wants, and shows how they differ.
func Same(t testing.TB, what string, want, got any, opts ...cmp.Option) {
	t.Helper()
	if diff := cmp.Diff(want, got, opts...); diff != "" {
		t.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// Near fails the test unless got is within allowed of want, or both are NaN.
func Near(t testing.TB, what string, want, got, allowed float64) {
	t.Helper()
	if !(math.Abs(got-want) <= allowed) && !(math.IsNaN(got) && math.IsNaN(want)) {
		t.Errorf("%s: got %.6g, want %.6g within %.3g", what, got, want, allowed)
	}
}

// Refused fails the test unless there is an error that says what it is to.
func Refused(t testing.TB, what string, err error, want string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%s: got error %v, want one with %q", what, err, want)
	}
}

// Names lists a folder except for what macOS alone needs there, and is nil if there is no folder.
func Names(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	var list []string
	for _, entry := range entries {
		if entry.Name() != ".metadata_never_index" {
			list = append(list, entry.Name())
		}
	}
	return list
}

// Empty fails if anything is in a folder.
func Empty(t testing.TB, dir string) {
	t.Helper()
	if got := Names(t, dir); got != nil {
		t.Errorf("left: %q", got)
	}
}
