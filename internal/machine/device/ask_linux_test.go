package device

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/test/check"
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
	// The child that holds the pipe is not waited for: it lives until the test ends.
	fifo := filepath.Join(t.TempDir(), "fifo")
	check.Must(t, syscall.Mkfifo(fifo, 0o600))
	file, err := os.OpenFile(fifo, os.O_RDWR, 0)
	check.Must(t, err)
	defer file.Close()
	if out, err := ask(t.Context(), 20*time.Millisecond,
		[]string{"/bin/sh", "-c", "cat " + fifo + "; :"}); err == nil || err.Error() != "no answer in 20ms" ||
		out != nil {
		t.Errorf("a tool that hangs: answers %q, %v", out, err)
	}
}
