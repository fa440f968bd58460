package device

import (
	"strings"
	"testing"
	"time"
)

func TestAsk(t *testing.T) {
	if out, err := ask(t.Context(), time.Minute,
		[]string{"/bin/sh", "-c", "echo answer; echo noise >&2"}); err != nil ||
		string(out) != "answer\n" {
		t.Errorf("answers %q, %v", out, err)
	}
	for want, argv := range map[string][]string{
		"exit status 3: no such disk": {
			"/bin/sh", "-c", "echo half; echo no such disk >&2; exit 3",
		},
		"no such file or directory": {"/nowhere/diskutil", "list"},
	} {
		if out, err := ask(t.Context(), time.Minute, argv); err == nil ||
			!strings.Contains(err.Error(), want) || out != nil {
			t.Errorf("%q: answers %q, %v, want %q", argv, out, err, want)
		}
	}
	// The child that holds the pipe is not waited for.
	began := time.Now()
	if out, err := ask(t.Context(), 20*time.Millisecond,
		[]string{"/bin/sh", "-c", "sleep 60"}); err == nil || err.Error() != "no answer in 20ms" ||
		out != nil {
		t.Errorf("a tool that hangs: answers %q, %v", out, err)
	}
	if waited := time.Since(began); waited > 30*time.Second {
		t.Errorf("waited %v for a tool that hangs", waited)
	}
}
