package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// memory is what a command that reads a file without an end gets, in KiB of addresses: Go's own
// take most of it.
const memory = 4 << 20

// Whatever is read has a bound: a file without an end, or one that is nothing but a hole, is
// refused in a line.
func TestInputsAreBounded(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	in := func(name string) string { return filepath.Join(dir, name) }
	hole := func(name string) string {
		path := write(t, in(name), "")
		must(t, os.Truncate(path, 3<<30))
		return path
	}
	hubbench(t, "init", "--demo", "--out", in("demo.yaml"))
	hubbench(t, "simulate", in("demo.yaml"), "--out", in("run"), "--no-page")
	write(t, in("big/events.jsonl"), read(t, in("run/events.jsonl")))
	hole("big/run.json")
	write(t, in("own/events.jsonl"), read(t, in("run/events.jsonl")))
	hole("own/scenario.yaml")
	hole("none/events.jsonl")
	const endless = "/dev/zero"
	must(t, os.Symlink(endless, in("endless.html")))
	for _, args := range [][]string{
		{"check", in("run"), "--limits", endless},
		{"check", in("run"), "--limits", hole("limits.yaml")},
		{"check", in("own")},
		{"import", endless},
		{"import", hole("a_bw.1.log")},
		{"analyze", endless},
		{"analyze", hole("alone.jsonl")},
		{"analyze", in("none")},
		{"analyze", in("big")},
		{"analyze", hole("page.html")},
		{"analyze", in("endless.html")},
		{"plan", endless},
		{"plan", hole("scenario.yaml")},
		{"predict", endless},
		{"simulate", in("demo.yaml"), "--profile", hole("hub.yaml")},
		{"run", "--resume", in("big")},
	} {
		limited := fmt.Sprintf(`ulimit -v %d; exec hubbench "$@"`, memory)
		cmd := exec.Command("sh", append([]string{"-c", limited, "sh"}, args...)...)
		out, _ := cmd.CombinedOutput() // its exit code is each command's own
		said := string(out)
		if strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, "hubbench: ") {
			t.Errorf("hubbench %s: %.300q", strings.Join(args, " "), said)
		}
	}
}
