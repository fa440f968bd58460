//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/tell/recorded"
)

// What the real shells make of what is typed when Tab is pressed.
var tabbed = []struct{ typed, completed string }{
	{"hubbench simul", "hubbench simulate"},
	{"hubbench help saf", "hubbench help safety"},
	{"hubbench run sma", "hubbench run small.yaml"},
	{"hubbench run ~/sma", "hubbench run ~/small.yaml"},
	{"hubbench report ou", "hubbench report out/"},
	{"hubbench report my", `hubbench report my\ runs/`},
	{"hubbench report out --format gob", "hubbench report out --format gobench"},
	{"hubbench report out --format=gob", "hubbench report out --format=gobench"},
}

const bashCompletion = "/usr/share/bash-completion/bash_completion"

// Bash and zsh complete in a terminal, and fish says what it would offer there.
func TestShells(t *testing.T) {
	home := t.TempDir()
	t.Chdir(home)
	t.Setenv("HOME", home)
	write(t, "small.yaml", `version: 1
name: small
hub: {profile: goshen-ridge}
disks: [{name: A, simulate: {profile: A}}]
workload: {files: 20}
phases: [{name: writes, pattern: W}, {name: reads, pattern: R}]
`)
	prints(t, "simulate", "small.yaml", "--out", "out")
	must(t, os.Mkdir("my runs", 0o755))
	need := func(t *testing.T, programs ...string) {
		for _, program := range programs {
			if _, err := exec.LookPath(program); err != nil && !recorded.Exists(program) {
				if os.Getenv("CI") == "true" {
					t.Fatal(err)
				}
				t.Skip("needs ", program)
			}
		}
	}
	t.Run("bash", func(t *testing.T) {
		need(t, "bash", "tmux", bashCompletion)
		typeInto(t, "bash --norc --noprofile", "PS1='$ '; . "+bashCompletion+
			"; . <(hubbench completion bash)")
	})
	t.Run("zsh", func(t *testing.T) {
		need(t, "zsh", "tmux")
		typeInto(t, "zsh -f",
			"PS1='$ '; autoload -U compinit; compinit -u -D; . <(hubbench completion zsh)")
	})
	t.Run("fish", func(t *testing.T) {
		need(t, "fish")
		for _, line := range tabbed {
			out, err := exec.Command("fish", "-N", "-c",
				"hubbench completion fish | source; complete -C '"+line.typed+"'").CombinedOutput()
			got, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\t")
			want := strings.ReplaceAll(line.completed[strings.LastIndexByte(line.typed, ' ')+1:], `\`, "")
			if got != want || err != nil {
				t.Errorf("%s: fish offers %q (%v), want %q alone", line.typed, out, err, want)
			}
		}
	})
}

// typeInto types the lines into a shell in a terminal of its own, with Tab at the end of each.
func typeInto(t *testing.T, shell, setup string) {
	folder, err := os.MkdirTemp("", "tmux") //nolint:usetesting // a socket's path must be short
	must(t, err)
	tmux := func(args ...string) string {
		own := []string{"-S", filepath.Join(folder, "socket"), "-f", os.DevNull}
		out, err := exec.Command("tmux", append(own, args...)...).CombinedOutput()
		if err != nil {
			t.Fatalf("tmux %s: %v: %s", args, err, out)
		}
		return string(out)
	}
	tmux("new-session", "-d", "-x", "150", "-y", "50", shell)
	t.Cleanup(func() {
		tmux("kill-server") // the one of this socket
		must(t, os.RemoveAll(folder))
	})
	// A shell that is slow to answer is waited for.
	await := func(line string) {
		t.Helper()
		var screen string
		for end := time.Now().Add(timeout); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
			screen = strings.TrimSpace(tmux("capture-pane", "-p"))
			if last := screen[strings.LastIndexByte(screen, '\n')+
				1:]; strings.TrimSpace(last) == line {
				return
			}
		}
		t.Fatalf("the terminal does not show %q:\n%s", line, screen)
	}
	tmux("send-keys", setup, "Enter")
	await("$")
	for _, line := range tabbed {
		tmux("send-keys", "-l", line.typed)
		await("$ " + line.typed)
		tmux("send-keys", "Tab")
		await("$ " + line.completed)
		tmux("send-keys", "C-a", "C-k")
		await("$")
	}
}
