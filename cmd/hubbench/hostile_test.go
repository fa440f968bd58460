package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/report/export"
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

func TestJSONHoldsNoControls(t *testing.T) {
	const hostile = "a\x1b\u007f\u009b31m\u0085é\u202e"
	var out bytes.Buffer
	if err := export.JSON(&out, map[string]string{"name": hostile}); err != nil {
		t.Fatal(err)
	}
	if strings.ContainsAny(out.String(), "\x1b\u007f\u009b\u0085\u202e") {
		t.Errorf("got %q", out.String())
	}
	var back map[string]string
	if err := json.Unmarshal(out.Bytes(), &back); err != nil || back["name"] != hostile {
		t.Errorf("read back %q, %v", back["name"], err)
	}
}
