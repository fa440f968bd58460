package testdisk

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/test/check"
)

// child tells this test binary that it is to make a disk and be killed.
const child = "HUBBENCH_TESTDISK_CHILD"

func TestMain(m *testing.M) {
	if os.Getenv(child) != "" {
		if err := haveDisk(); err != nil {
			fmt.Println("error:", err)
		}
		return
	}
	m.Run()
}

// haveDisk makes a disk with all that one can have, says where it is, and waits to be killed.
func haveDisk() error {
	d, err := New(Options{Bytes: 128 << 20, Partitions: 2})
	if err != nil {
		return err
	}
	for part := range 2 {
		if err := d.Format(part+1, "mkfs.ext4", "-q"); err != nil {
			return err
		}
		if _, err := d.Mount(part+1, ""); err != nil {
			return err
		}
	}
	if err := d.Limit(1e6, 1e6); err != nil {
		return err
	}
	// It outlives its parent, and keeps a file on the disk open.
	sleep := d.Command(context.Background(), "sh", "-c", `exec 3>"$0/open"; echo "$1"; exec sleep 1000`, filepath.Join(d.Dir, "at-1"), d.Dir)
	sleep.Stdout = os.Stdout
	if err := sleep.Start(); err != nil {
		return err
	}
	return sleep.Wait()
}

func ci() bool { return os.Getenv("CI") == "true" }

func root(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 && !ci() {
		t.Skip("needs root, to make a block device")
	}
}

func TestLimitOfPartitions(t *testing.T) {
	d := Make(t, Options{Bytes: 96 << 20, Partitions: 3}, ci())
	check.Must(t, d.Limit(0, 20e6))
	// Together they write 18 MB, of which the limit allows 20 in a second.
	began := time.Now()
	var all []*exec.Cmd
	for part := 1; part <= 3; part++ {
		cmd := d.Command(t.Context(), "dd", "if=/dev/zero", "of="+d.Part(part), "bs=1000KiB",
			"count=6", "oflag=direct")
		check.Must(t, cmd.Start())
		all = append(all, cmd)
	}
	for _, cmd := range all {
		check.Must(t, cmd.Wait())
	}
	if took := time.Since(began); took < 700*time.Millisecond {
		t.Errorf("18 MB took %s at 20 MB/s", took)
	}
	check.Must(t, d.Format(2, "mkfs.ext4", "-q"))
	root, err := d.Mount(2, "noatime")
	check.Must(t, err)
	var st unix.Statfs_t
	if err := unix.Statfs(root, &st); err != nil || st.Type != unix.EXT4_SUPER_MAGIC ||
		st.Blocks*uint64(st.Bsize) > 32<<20 {
		t.Errorf("mounted is %#x of %d bytes (%v)", st.Type, st.Blocks*uint64(st.Bsize), err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if found := Left(d.Dir); len(found) > 0 {
		t.Errorf("left: %q", found)
	}
}

func TestSweepAfterKill(t *testing.T) {
	root(t)
	self, err := os.Executable()
	check.Must(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), child+"=1")
	out, err := cmd.StdoutPipe()
	check.Must(t, err)
	check.Must(t, cmd.Start())
	dir, err := bufio.NewReader(out).ReadString('\n')
	if dir = strings.TrimSpace(dir); err != nil || !strings.HasPrefix(dir, Memory+"/"+prefix) {
		t.Fatalf("%q, %v", dir, err)
	}
	whole := Left(dir)
	if len(whole) != 5 {
		t.Errorf("a disk has %q, want 2 mounts, a device, a folder, a control group", whole)
	}
	if err := Sweep(); err != nil {
		t.Error(err)
	}
	if now := Left(dir); len(now) != len(whole) {
		t.Errorf("of a disk in use %q stay of %q", now, whole)
	}
	check.Must(t, cmd.Process.Kill())
	_, _ = cmd.Process.Wait() // not Wait: what outlives it holds its output
	swept := func() bool {    // one Sweep may leave to the next what is still in use
		if err := Sweep(); err != nil {
			t.Error(err)
		}
		return len(Left(dir)) == 0
	}
	if !await(swept) {
		t.Errorf("left: %q", Left(dir))
	}
}

// A disk that somebody uses, and that for long cannot be removed, keeps nobody from making another
// one meanwhile.
func TestSweepKeepsNobodyWaiting(t *testing.T) {
	root(t)
	orphan, err := New(Options{Bytes: 16 << 20})
	check.Must(t, err)
	check.Must(t, orphan.lock.Close())
	swept := make(chan error, 1)
	go func() { swept <- Sweep() }()
	isTaken := func() bool {
		f, err := lock(orphan.Dir, unix.LOCK_EX|unix.LOCK_NB)
		if err == nil {
			_ = f.Close() // it was only asked for
		}
		return errors.Is(err, unix.EWOULDBLOCK)
	}
	if !await(isTaken) {
		t.Fatal("nobody removes it")
	}
	d, err := New(Options{Bytes: 16 << 20})
	check.Must(t, err)
	if !isTaken() {
		t.Error("a disk was made only after the other one had been given up")
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	check.Must(t, orphan.device.Close())
	if err := <-swept; err != nil {
		t.Error(err)
	}
	if !await(func() bool { return Sweep() == nil && len(Left(orphan.Dir)) == 0 }) {
		t.Errorf("left: %q", Left(orphan.Dir))
	}
}

// A disk is gone once its owner has removed it, though a lab has begun meanwhile.
func TestLabKeepsNoDiskOfOthers(t *testing.T) {
	root(t)
	if !inLab() {
		d := Make(t, Options{Bytes: 16 << 20}, ci())
		check.Must(t, d.Format(0, "mkfs.ext4", "-q"))
		_, err := d.Mount(0, "")
		check.Must(t, err)
	}
	InLab(t, func(l Lab) {
		for _, mount := range MountsIn(Memory) {
			if strings.HasPrefix(mount, filepath.Join(Memory, prefix)) {
				l.Errorf("the lab keeps %s", mount)
			}
		}
	})
}
