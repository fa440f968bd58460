package main

import (
	"os"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/fusetest"
	"github.com/hubbench/hubbench/internal/testdisk"
	"github.com/hubbench/hubbench/pkg/trace"
)

// A block device that fails, dawdles or stands still under a file system. The device mapper's targets error, flakey, delay
// and suspend do so where the kernel has them. A loop device whose file lies on a file system that does so with each
// request, through FUSE, stands in for them everywhere.

// ailing is a disk that falls ill and gets well again.
type ailing interface {
	fail() error    // every request fails
	flake() error   // some do
	delay() error   // each takes 50 ms longer
	suspend() error // none is done before it is well
	recover()
}

// beneath is what the file behind a loop device lies on.
type beneath struct {
	errno   atomic.Int32  // of requests
	delayNS atomic.Int64  // they take longer
	every   atomic.Int64  // only every so manieth of them; 0: each
	n       atomic.Int64  // requests
	stands  atomic.Bool   // they wait
	gate    chan struct{} // until it is closed
}

func (b *beneath) before(trace.Role, int) syscall.Errno {
	if every := b.every.Load(); every > 0 && b.n.Add(1)%every != 0 {
		return 0
	}
	if b.stands.Load() {
		<-b.gate
	}
	time.Sleep(time.Duration(b.delayNS.Load()))
	return syscall.Errno(b.errno.Load())
}

func (b *beneath) fail() error    { b.errno.Store(int32(syscall.EIO)); return nil }
func (b *beneath) flake() error   { b.every.Store(10); return b.fail() }
func (b *beneath) delay() error   { b.delayNS.Store(50e6); return nil }
func (b *beneath) suspend() error { b.stands.Store(true); return nil }

func (b *beneath) recover() {
	b.errno.Store(0)
	b.delayNS.Store(0)
	b.every.Store(0)
	if b.stands.Swap(false) {
		close(b.gate)
	}
}

// newBeneath makes a volume on a loop device over such a file. It is well again before it is removed.
func newBeneath(t *testing.T, _ string) (ailing, *testdisk.Disk, string) {
	t.Helper()
	if _, err := os.Stat("/dev/fuse"); err != nil && !ci() {
		t.Skip("no FUSE here")
	}
	b := &beneath{gate: make(chan struct{})}
	d, root := newVolume(t, testdisk.Options{Beneath: func(at, behind string) error {
		_, err := fusetest.At(at, behind, b.before) // ends when it is unmounted
		return err
	}}, "")
	t.Cleanup(b.recover)
	return b, d, root
}

// mapped is a disk behind the device mapper.
type mapped struct {
	t *testing.T
	*testdisk.Disk
}

func (m mapped) fail() error    { return m.Map("error") }
func (m mapped) flake() error   { return m.Map("flakey", "0", "1", "1") } // well for a second, ill for the next
func (m mapped) delay() error   { return m.Map("delay", "0", "50") }
func (m mapped) suspend() error { return m.Suspend() }

func (m mapped) recover() {
	if err := m.Map("linear", "0"); err != nil {
		m.t.Error(err)
	}
}

// newMapped makes a volume on such a disk, of a kernel that has the target.
func newMapped(t *testing.T, target string) (ailing, *testdisk.Disk, string) {
	t.Helper()
	if target == "suspend" {
		target = "linear" // each can be
	}
	if os.Geteuid() != 0 && !ci() {
		t.Skip("needs root, for the device mapper")
	}
	if err := testdisk.CanMap(target); err != nil {
		t.Skip(err)
	}
	d := newDisk(t, testdisk.Options{})
	m := mapped{t, d}
	if err := d.Map("linear", "0"); err != nil {
		t.Fatal(err)
	}
	root := format(t, d, "")
	t.Cleanup(m.recover)
	return m, d, root
}

func TestFaultsOfADevice(t *testing.T) {
	ill(faults(t, "a device that fails, is flakey, is slow, hangs: under load"), newBeneath)
}

func TestFaultsOfAMappedDevice(t *testing.T) {
	c := faults(t, "the device mapper's error, flakey, delay and suspend under load")
	if err := testdisk.CanMap("linear"); err != nil {
		c.left = err.Error()
	}
	ill(c, newMapped)
}

// ill tries each illness in each direction.
func ill(c *faultClass, newDisk func(t *testing.T, target string) (ailing, *testdisk.Disk, string)) {
	for _, phase := range []struct{ name, text, step string }{
		{"WW", writing, "(write|flush|make|reserve)"},
		{"RR", reading, "(read|open)"},
	} {
		for _, tc := range []struct {
			target string
			strike func(ailing) error
		}{{"error", ailing.fail}, {"flakey", ailing.flake}} {
			c.try(tc.target+", "+phase.name, func(t *testing.T) {
				t.Parallel()
				a, d, root := newDisk(t, tc.target)
				_, well := newVolume(t, testdisk.Options{}, "")
				r := beginRun(t, endless(root, well, phase.text))
				r.strike(phase.name, func() error { return tc.strike(a) })
				r.ends(exitPartial, `partial run: disk A, phase `+phase.name+`: `+phase.step+` [^\n]*(input/output error|read-only file system)`)
				r.keeps()
				r.leaves(well)
				a.recover()
				r.cleanedLater(d, root)
			})
		}
		// Requests that take longer make a disk slow, and no more.
		c.try("delay, "+phase.name, func(t *testing.T) {
			t.Parallel()
			a, _, root := newDisk(t, "delay")
			_, well := newVolume(t, testdisk.Options{}, "")
			r := beginRun(t, endless(root, well, phase.text), "--stall", "3s")
			r.strike(phase.name, a.delay)
			r.goesOn(phase.name, "A")
			r.interrupt()
			r.ends(exitInterrupted, `interrupted; continue with`)
			r.keeps()
			r.leaves(root, well)
		})
		// Nothing can end a process that waits for a disk: the run ends without it, and the files go when the disk is back.
		c.try("suspend, "+phase.name, func(t *testing.T) {
			t.Parallel()
			a, _, root := newDisk(t, "suspend")
			_, well := newVolume(t, testdisk.Options{}, "")
			r := beginRun(t, endless(root, well, phase.text), "--stall", "2s")
			r.strike(phase.name, a.suspend)
			r.ends(exitPartial, `partial run: disk A, phase `+phase.name+`: its worker was killed \(nothing moved for [23]s[^\n]*: the disk hangs`)
			r.keeps()
			r.leaves(well)
			a.recover()
			r.leaves(root)
		})
	}
}
