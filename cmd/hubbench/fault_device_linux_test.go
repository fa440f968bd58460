package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/internal/test/fusetest"
	"github.com/hubbench/hubbench/internal/test/testdisk"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Disks that fail, dawdle or stand still: a file system that does so with each request, through
// FUSE, and a loop device whose file lies on one.

// beneath is what the file behind a loop device, or a test folder, lies on: a file system that a
// process of its own serves. Were it the test's, a fork of that could wait for a request that only
// the test can serve.
type beneath struct {
	t      testing.TB
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	said   *bufio.Scanner
	behind string // the folder that holds its files
}

// beneathProgram is the name under which this test binary serves one.
const beneathProgram = "hubbench-beneath"

// programs are what this test binary can be besides hubbench.
var programs = map[string]func(){beneathProgram: serveBeneath}

// illness is what a file system is told to suffer from, beginning when more than so many bytes were
// requested of it.
type illness struct {
	name       string
	afterBytes int64
}

// patient is a file system that suffers from what it is told to.
type patient struct {
	illness              atomic.Pointer[illness]
	requested            atomic.Int64 // bytes
	requests, stallEndNS atomic.Int64
	wellAgain            chan struct{} // ends a suspension
}

// suffers is the name of its illness once that has begun.
func (p *patient) suffers() string {
	if i := p.illness.Load(); i != nil && p.requested.Load() > i.afterBytes {
		return i.name
	}
	return ""
}

func (p *patient) before(op trace.Role, bytes int) syscall.Errno {
	p.requested.Add(int64(bytes))
	switch name := p.suffers(); {
	case name == "vanish":
		return syscall.ENODEV
	case op == fusetest.Name:
	case name == "fail", name == "flake" && p.requests.Add(1)%10 == 0:
		return syscall.EIO
	case name == "fill" && op == trace.Write:
		return syscall.ENOSPC
	case name == "delay":
		time.Sleep(50 * time.Millisecond)
	case name == "delay flushes" && op == fusetest.Sync:
		time.Sleep(500 * time.Millisecond)
	case name == "stall":
		p.stallEndNS.CompareAndSwap(0, clock.Now()+5e9)
		clock.SleepUntil(p.stallEndNS.Load())
	case name == "suspend":
		<-p.wellAgain
	}
	return 0
}

// changed puts a wrong bit into what is read, or leaves half of it out, in whole sectors, as a disk
// would.
func (p *patient) changed(data []byte) []byte {
	const sector = 4096
	switch name := p.suffers(); {
	case name == "corrupt" && len(data) > 0:
		data[len(data)/2] ^= 1
	case name == "shorten" && len(data) > sector:
		return data[:(len(data)/2+sector-1)/sector*sector]
	}
	return data
}

// serveBeneath serves a file system at one folder, with its files in another, and does what it is
// told on stdin until that ends.
func serveBeneath() {
	p := &patient{wellAgain: make(chan struct{})}
	_, err := fusetest.At(os.Args[1], os.Args[2],
		&fusetest.Device{Before: p.before, Changed: p.changed})
	fmt.Println("mounted", err)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); fmt.Println(lines.Text()) {
		name, after, later := strings.Cut(lines.Text(), " after ")
		now := &illness{name, -1}
		if later {
			now.afterBytes, _ = strconv.ParseInt(after, 10, 64)
		}
		if before := p.illness.Swap(now); before != nil && before.name == "suspend" {
			close(p.wellAgain)
		}
	}
}

func (b *beneath) serve(at, behind string) (err error) {
	b.behind = behind
	b.cmd = exec.Command(beneathProgram, at, behind)
	if b.stdin, err = b.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := b.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	b.said = bufio.NewScanner(out)
	if err := b.cmd.Start(); err != nil {
		return err
	}
	return b.answers("mounted <nil>")
}

func (b *beneath) answers(want string) error {
	if !b.said.Scan() || b.said.Text() != want {
		return fmt.Errorf("it answers %q, want %q", b.said.Text(), want)
	}
	return nil
}

// tell has it suffer from an illness of patient's until it is to recover: all requests fail, or one
// in ten (flake), or each takes 50 ms longer (delay), or none is done (suspend), and so on.
func (b *beneath) tell(what string) error {
	if _, err := fmt.Fprintln(b.stdin, what); err != nil {
		return err
	}
	return b.answers(what)
}

func (b *beneath) does(what string) func() error { return func() error { return b.tell(what) } }

func (b *beneath) recover() {
	if b.cmd == nil {
		return // it was killed
	}
	if err := b.tell("recover"); err != nil {
		b.t.Error(err)
	}
}

// end ends it, after all that lies on it.
func (b *beneath) end() {
	if b.cmd != nil && b.cmd.Process != nil {
		_ = b.stdin.Close()
		_ = b.cmd.Wait() // how it ends says nothing
	}
}

// newBeneath makes a volume on a loop device over such a file. It is well again before it is
// removed.
func newBeneath(t *testing.T) (*beneath, *testdisk.Disk, string) {
	t.Helper()
	if _, err := os.Stat("/dev/fuse"); err != nil && !ci() {
		t.Skip("no FUSE here")
	}
	b := &beneath{t: t}
	t.Cleanup(b.end)
	d, root := newVolume(t, testdisk.Options{Beneath: b.serve}, "")
	t.Cleanup(b.recover)
	return b, d, root
}

func TestFaultsOfADevice(t *testing.T) {
	t.Parallel()
	c := faults(t, "a device that fails, is flakey, is slow, hangs: under load")
	for _, phase := range []struct{ name, text, step string }{
		{"WW", writing, "(write|flush|make|reserve)"},
		{"RR", reading, "(read|open)"},
	} {
		fails := phase.step + ` [^\n]*(input/output error|read-only file system)`
		for _, tc := range []struct {
			name, illness, stall string
			code                 int
			says                 string
		}{
			{"error", "fail", "1m", exit.Partial, fails},
			{"flakey", "flake", "1m", exit.Partial, fails},
			// Requests that take longer make a disk slow, and no more.
			{"delay", "delay", "20s", exit.Interrupted, ""},
			// Nothing can end a process that waits for a disk: the run ends without it, and the
			// files go when the disk is back.
			{"suspend", "suspend", "2s", exit.Partial,
				`its worker was killed \(nothing moved for \d+s[^\n]*: the disk hangs`},
		} {
			c.try(tc.name+", "+phase.name, func(t *testing.T) {
				b, d, root := newBeneath(t)
				_, well := newVolume(t, testdisk.Options{}, "")
				// The results lie in memory: a busy system disk may take as long as the stall.
				r := beginRun(t, endless(root, well, phase.text), "--stall", tc.stall,
					"--out", filepath.Join(inMemory(t), "out"))
				r.inject(phase.name, b.does(tc.illness))
				if tc.code == exit.Interrupted {
					r.goesOn(phase.name, "A")
					r.interrupt()
					r.holds(tc.code, `interrupted; continue with`, root, well)
					return
				}
				r.holds(tc.code, `partial run: disk A, phase `+phase.name+`: `+tc.says, well)
				must(t, b.tell("recover"))
				if tc.illness == "suspend" {
					r.leaves(root)
					return
				}
				r.cleanedLater(d, root)
			})
		}
	}
}

// Bit rot: a bit of the medium turns between the phase that writes a file and the one that reads
// it.

const rotten = 1

// rot flips a bit of a page of the file, at a byte of that page, behind the file system's back.
func rot(d *testdisk.Disk, root string, page, at int64) error {
	found, err := filepath.Glob(filepath.Join(root, ".hubbench-*",
		fmt.Sprintf("data-%06d.bin", rotten)))
	if err != nil || len(found) != 1 {
		return fmt.Errorf("found %q of the file (%w)", found, err)
	}
	file, err := os.Open(found[0])
	if err != nil {
		return err
	}
	defer file.Close()
	content := make([]byte, 4096)
	if _, err := file.ReadAt(content, page*4096); err != nil {
		return err
	}
	image, err := os.OpenFile(d.Image, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer image.Close()
	medium, err := os.ReadFile(d.Image)
	if err != nil {
		return err
	}
	place := bytes.Index(medium, content)
	if place < 0 || bytes.Contains(medium[place+1:], content) {
		return errors.New("the page is not on the medium, or twice")
	}
	_, err = image.WriteAt([]byte{content[at] ^ 0x10}, int64(place)+at)
	return err
}

func TestFaultsOfTheMedium(t *testing.T) {
	t.Parallel()
	const inStamp, inData = 9, 1000
	for _, tc := range []struct {
		verify      string
		stamp, data bool // found, in the stamp of a page and in its data
	}{{"off", false, false}, {"stamps", true, false}, {"full", true, true}} {
		c := faults(t, "bit rot, verify: "+tc.verify)
		for _, place := range []struct {
			name  string
			at    int64
			found bool
		}{{"a stamp", inStamp, tc.stamp}, {"data", inData, tc.data}} {
			c.try(tc.verify+", "+place.name, func(t *testing.T) {
				const page = 130 // in the third block
				d, root, well := twoVolumes(t, "")
				r := beginRun(t, fmt.Sprintf(`version: 1
name: rot
disks: [{name: A, path: %s}, {name: B, path: %s}]
workload: {sizes: [2 MB], files: 3, block: 256 KiB, verify: %s}
phases: [{name: written, pattern: WW}, {name: read, pattern: RR, cooldown: 3 s}]
`, root, well, tc.verify))
				r.injectAt(func() error { return rot(d, root, page, place.at) }, ended("written"))
				if !place.found {
					r.holds(exit.OK, `report: `, root, well)
					return
				}
				where := page * 4096
				if place.at == inData {
					where += inData
				}
				r.holds(exit.Partial, fmt.Sprintf(`partial run: disk A, phase read: [^\n]*`+
					`the disk returned different data than was written, `+
					`in test file %d at byte %d: wrote [^\n]*; `+
					`the file is kept as %s/\.hubbench-[^\n]*/evidence-`, rotten, where, root), well)
				if kept, _ := filepath.Glob(filepath.Join(root, ".hubbench-*",
					"evidence-*")); len(kept) != 1 {
					t.Errorf("kept %q, want the file that is wrong", kept)
				}
				hubbench(t, "clean", root)
				r.leaves(root)
			})
		}
	}
}
