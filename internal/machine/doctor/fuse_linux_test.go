package doctor

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/pkg/trace"
)

// memoryFS is a file system in user space, in this process' memory: as much of the protocol
// (https://man7.org/linux/man-pages/man4/fuse.4.html, include/uapi/linux/fuse.h) as test files need. It takes flushes and
// does nothing about them, and refuses direct requests if it is told to.
type memoryFS struct {
	refuse bool // direct requests
	nodes  map[uint64]*node
	next   uint64
}

type node struct {
	folder map[string]uint64 // nil for a file
	data   []byte
}

const (
	fuseRoot  = 1
	fuseWrite = 1 << 20 // the most of a request
	directory = unix.S_IFDIR | 0o755
	regular   = unix.S_IFREG | 0o600
)

// userSpace mounts such a file system. A process of its own serves it: requests of this one wait for the answers in the
// kernel, in which Go cannot let somebody else go on.
func userSpace(t *testing.T, refuse bool) string {
	t.Helper()
	if _, err := os.Stat("/dev/fuse"); err != nil {
		t.Skip("no FUSE here: ", err)
	}
	dir := t.TempDir()
	cmd := options(t).Command("fuse", dir, fmt.Sprint(refuse))
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // and the mount fails every request from then on
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = unix.Unmount(dir, unix.MNT_DETACH)
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		t.Fatal("the file system was not mounted: ", err)
	}
	return dir
}

// serveMemory mounts the file system, says so, and answers until it is unmounted.
func serveMemory(dir string, refuse bool) error {
	fs := &memoryFS{refuse: refuse, nodes: map[uint64]*node{fuseRoot: {folder: map[string]uint64{}}}, next: fuseRoot + 1}
	fd, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	how := fmt.Sprintf("fd=%d,rootmode=40755,user_id=0,group_id=0", fd)
	if err := unix.Mount("hubbench-test", dir, "fuse", unix.MS_NODEV|unix.MS_NOSUID, how); err != nil {
		return err
	}
	fmt.Println("mounted")
	for buf := make([]byte, fuseWrite+4096); ; {
		n, err := unix.Read(fd, buf)
		switch {
		case errors.Is(err, unix.EINTR) || errors.Is(err, unix.ENOENT): // a request that was taken back
		case err != nil: // unmounted
			return nil //nolint:nilerr // which is its end
		default:
			fs.answer(fd, buf[:n])
		}
	}
}

// answer answers one request; forgetting is not answered.
func (fs *memoryFS) answer(fd int, in []byte) {
	le := binary.LittleEndian
	op, unique, id := le.Uint32(in[4:]), le.Uint64(in[8:]), le.Uint64(in[16:])
	if op == 2 || op == 42 || op == 36 { // forget, several of them, interrupt
		return
	}
	out, errno := fs.do(op, id, in[40:])
	head := le.AppendUint32(nil, uint32(16+len(out)))
	head = le.AppendUint32(head, uint32(-int32(errno)))
	head = le.AppendUint64(head, unique)
	_, _ = unix.Write(fd, append(head, out...))
}

func (fs *memoryFS) do(op uint32, id uint64, in []byte) ([]byte, unix.Errno) {
	le := binary.LittleEndian
	n := fs.nodes[id]
	name := func(at int) string { return strings.TrimRight(string(in[at:]), "\x00") }
	switch op {
	case 26: // init
		out := make([]byte, 64)
		le.PutUint32(out, 7)
		le.PutUint32(out[4:], 31)
		le.PutUint32(out[12:], 1<<5|1<<22) // big writes, and as many pages as said
		le.PutUint32(out[20:], fuseWrite)
		le.PutUint32(out[24:], 1)
		le.PutUint16(out[28:], fuseWrite/4096)
		return out, 0
	case 1: // lookup
		child, ok := n.folder[name(0)]
		if !ok {
			return nil, unix.ENOENT
		}
		return fs.entry(child), 0
	case 3: // getattr
		return append(make([]byte, 16), fs.attr(id)...), 0
	case 4: // setattr
		if le.Uint32(in)&8 != 0 {
			n.resize(int(le.Uint64(in[16:])))
		}
		return append(make([]byte, 16), fs.attr(id)...), 0
	case 9: // mkdir
		return fs.entry(fs.add(n, name(8), &node{folder: map[string]uint64{}})), 0
	case 10, 11: // unlink, rmdir
		delete(n.folder, name(0))
		return nil, 0
	case 14, 35: // open, create
		if fs.refuse && le.Uint32(in)&unix.O_DIRECT != 0 {
			return nil, unix.EINVAL
		}
		opened := make([]byte, 16)
		if op == 14 {
			return opened, 0
		}
		return append(fs.entry(fs.add(n, name(16), &node{})), opened...), 0
	case 15: // read
		from, size := min(int(le.Uint64(in[8:])), len(n.data)), int(le.Uint32(in[16:]))
		return n.data[from:min(from+size, len(n.data))], 0
	case 16: // write
		at, size := int(le.Uint64(in[8:])), int(le.Uint32(in[16:]))
		n.resize(max(len(n.data), at+size))
		copy(n.data[at:], in[40:40+size])
		return le.AppendUint64(nil, uint64(size)), 0
	case 17: // statfs
		return make([]byte, 80), 0
	case 27: // opendir
		return make([]byte, 16), 0
	case 28: // readdir
		return n.list(int(le.Uint64(in[8:]))), 0
	case 18, 20, 25, 29, 30, 34, 38: // release, fsync, flush, and those of folders, access, destroy
		return nil, 0
	}
	return nil, unix.ENOSYS
}

func (fs *memoryFS) add(n *node, name string, child *node) uint64 {
	id := fs.next
	fs.next++
	fs.nodes[id], n.folder[name] = child, id
	return id
}

func (fs *memoryFS) entry(id uint64) []byte {
	out := binary.LittleEndian.AppendUint64(nil, id)
	return append(append(out, make([]byte, 32)...), fs.attr(id)...)
}

func (fs *memoryFS) attr(id uint64) []byte {
	le, n := binary.LittleEndian, fs.nodes[id]
	out := make([]byte, 88)
	le.PutUint64(out, id)
	le.PutUint64(out[8:], uint64(len(n.data)))
	mode := uint32(regular)
	if n.folder != nil {
		mode = directory
	}
	le.PutUint32(out[60:], mode)
	le.PutUint32(out[64:], 1)
	le.PutUint32(out[80:], 4096)
	return out
}

func (n *node) resize(size int) {
	if size <= cap(n.data) {
		n.data = n.data[:size]
		return
	}
	grown := make([]byte, size, max(2*cap(n.data), size))
	copy(grown, n.data)
	n.data = grown
}

// list is all of a folder at once: a second request gets nothing.
func (n *node) list(from int) (out []byte) {
	if from > 0 {
		return nil
	}
	le := binary.LittleEndian
	for name, id := range n.folder {
		out = le.AppendUint64(out, id)
		out = le.AppendUint64(out, 1)
		out = le.AppendUint32(out, uint32(len(name)))
		out = le.AppendUint32(out, 0)
		out = append(out, name...)
		out = append(out, make([]byte, (8-len(name)%8)%8)...)
	}
	return out
}

// A file system in user space that knows no direct requests is named as that, and one whose flushes go nowhere.
func TestUserSpace(t *testing.T) {
	root(t)
	if os.Getpagesize() != 4096 {
		t.Skip("the protocol's pages are taken to be 4 KiB here")
	}
	t.Run("without direct", func(t *testing.T) {
		found := diagnose(t, userSpace(t, true))
		hold(t, found, "folder", trace.Pass)
		hold(t, found, "direct", trace.Fail, "direct I/O is not available here", "invalid argument")
		hold(t, found, "direct_4k", trace.Fail, "direct I/O is not available here")
		hold(t, found, "counters", trace.Skip, "nothing counts")
	})
	t.Run("whose flushes go nowhere", func(t *testing.T) {
		found := diagnose(t, userSpace(t, false))
		hold(t, found, "direct", trace.Pass)
		if v := found["flush"].Verdict; v != trace.Warn && v != trace.Fail { // how soon, is the machine's matter
			t.Errorf("flush: %s: %s", v, found["flush"].Measured)
		}
		if text := found["flush"].Text; !strings.Contains(text, "ignores flushes") {
			t.Errorf("flush: got %q", text)
		}
	})
}
