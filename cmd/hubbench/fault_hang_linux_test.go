package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Disks that hang: a request to them does not return, and nothing ends a process that waits for one. Whatever hangs is named
// soon, a run answers each interrupt and ends soon after the second, and nobody waits for what cannot be ended.

// soon is what a person is promised; a machine that tests many things at once gets more.
const soon = 30 * time.Second

// newHanging makes a folder of a file system that hangs when it is told to suspend.
func newHanging(t *testing.T) (b *beneath, root string) {
	t.Helper()
	if _, err := os.Stat("/dev/fuse"); err != nil && !ci() {
		t.Skip("no FUSE here")
	}
	root, behind := filepath.Join(t.TempDir(), "disk"), inMemory(t)
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	b = &beneath{t: t}
	t.Cleanup(func() {
		b.recover()
		for deadline := time.Now().Add(soon); unix.Unmount(root, 0) != nil && time.Now().Before(deadline); {
			time.Sleep(10 * time.Millisecond)
		}
		b.end()
	})
	if err := b.serve(root, behind); err != nil {
		t.Fatal(err)
	}
	return b, root
}

// endsSoon is ends, within what is promised after the last interrupt.
func (r *faultRun) endsSoon(code int, says string) {
	r.t.Helper()
	began := time.Now()
	r.ends(code, says)
	if took := time.Since(began); took > soon {
		r.t.Errorf("it took %s", took)
	}
}

func TestFaultsOfResultsThatHang(t *testing.T) {
	c := faults(t, "a results disk that hangs: given up, and interrupted twice")
	const hangs = `results folder [^\n]*/out: nothing written for \d+s: the disk hangs`
	for _, tc := range []struct {
		name  string
		stall string
		act   func(r *faultRun)
		code  int
	}{
		{"given up", "3s", func(*faultRun) {}, exitFailed},
		{"interrupted twice", "1m", func(r *faultRun) {
			r.interrupt()
			r.until("no answer", func() bool { return strings.Contains(r.said.String(), "stopping; Ctrl-C again ends at once") })
			r.interrupt()
		}, exitInterrupted},
	} {
		c.try(tc.name, func(t *testing.T) {
			t.Parallel()
			results, root := newHanging(t)
			a, b := inMemory(t), inMemory(t)
			r := beginRun(t, endless(a, b, writing), "--out", filepath.Join(root, "out"), "--stall", tc.stall)
			r.inject("WW", results.suspend)
			tc.act(r)
			r.endsSoon(tc.code, hangs+`; it holds what was recorded before; when it is back, continue with: hubbench run --resume `)
			r.leaves(a, b)
			if strings.Contains(r.said.String(), "worker was killed") || strings.Contains(r.said.String(), "nothing has moved") {
				t.Errorf("a disk that is well is blamed:\n%s", r.said)
			}
			results.recover()
			r.keeps()
		})
	}
}

// A disk that hangs while doctor looks at it fails, and doctor ends: by itself, or at an interrupt.
func TestFaultsOfCheckedDisksThatHang(t *testing.T) {
	t.Setenv("XDG_CONFIG_HOME", t.TempDir()) // where doctor keeps its result
	c := faults(t, "a disk that hangs while doctor checks it: given up, and interrupted")
	for name, tc := range map[string]struct {
		act  func(r *faultRun)
		code int
		says string
	}{
		"given up":    {func(*faultRun) {}, exitThreshold, `nothing has moved for 8s: the disk hangs(?s).*test files may be left in .*hubbench clean .*The disk hangs`},
		"interrupted": {(*faultRun).interrupt, exitInterrupted, `interrupted`},
	} {
		c.try(name, func(t *testing.T) {
			disk, root := newHanging(t)
			if err := disk.suspend(); err != nil {
				t.Fatal(err)
			}
			r := &faultRun{t: t, said: &said{}}
			r.begin("doctor", root)
			r.until("not that far", func() bool { return strings.Contains(r.said.String(), "checking "+root) })
			tc.act(r)
			r.endsSoon(tc.code, tc.says)
		})
	}
}
