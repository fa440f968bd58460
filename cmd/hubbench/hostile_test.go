package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
)

// Nothing that a name holds acts on the terminal.
func TestSayfShowsWhatItNames(t *testing.T) {
	const hostile = "a\x1b]0;owned\a\u009b31m\u202e\r\nhubbench: all is well"
	for _, arg := range []any{hostile, errors.New(hostile)} {
		var out bytes.Buffer
		sayf(&out, "kept %s\n", arg)
		line := strings.TrimSuffix(out.String(), "\n")
		if strings.ContainsAny(line, "\x1b\a\u009b\u202e\r\n") {
			t.Errorf("got %q", line)
		}
	}
}
