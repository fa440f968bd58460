// Package fusetest mounts a file system for tests that keeps its files in memory and lets a test hold up single
// requests: a device that is slow, or stands still, when the test says so. It needs Linux and FUSE. For a whole hub
// see internal/machine/mount.
package fusetest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/hubbench/hubbench/pkg/trace"
)

// Before is called before a request is done, from many goroutines, and holds it up until it returns. What it returns
// is the request's error; fs.OK lets it be done.
type Before func(op trace.Role, bytes int) syscall.Errno

// The ops that Before gets beside reads and writes.
const (
	Sync   trace.Role = "sync"   // a flush
	Direct trace.Role = "direct" // a file is opened past the cache
)

// node passes everything on to a folder.
type node struct {
	*fs.LoopbackNode
	before Before
}

// file has every request pass through here.
type file struct {
	*fs.LoopbackFile
	before Before
}

func (n *node) WrapChild(_ context.Context, child fs.InodeEmbedder) fs.InodeEmbedder {
	plain, _ := child.(*fs.LoopbackNode) // as all of a loopback root's are
	return &node{plain, n.before}
}

// open has the requests of a file that a function opens pass through here, past the cache.
func (n *node) open(flags uint32, open func(flags uint32) (fs.FileHandle, syscall.Errno)) (fs.FileHandle, uint32, syscall.Errno) {
	if flags&syscall.O_DIRECT != 0 {
		if errno := n.before(Direct, 0); errno != fs.OK {
			return nil, 0, errno
		}
	}
	f, errno := open(flags &^ syscall.O_DIRECT)
	if errno != fs.OK {
		return nil, 0, errno
	}
	plain, _ := f.(*fs.LoopbackFile) // as all of a loopback node's are
	return file{plain, n.before}, fuse.FOPEN_DIRECT_IO, fs.OK
}

func (n *node) Open(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	return n.open(flags, func(flags uint32) (fs.FileHandle, syscall.Errno) {
		f, _, errno := n.LoopbackNode.Open(ctx, flags)
		return f, errno
	})
}

func (n *node) Create(ctx context.Context, name string, flags, mode uint32, out *fuse.EntryOut) (
	inode *fs.Inode, f fs.FileHandle, how uint32, errno syscall.Errno,
) {
	f, how, errno = n.open(flags, func(flags uint32) (f fs.FileHandle, errno syscall.Errno) {
		inode, f, _, errno = n.LoopbackNode.Create(ctx, name, flags, mode, out)
		return f, errno
	})
	return inode, f, how, errno
}

func (file) PassthroughFd() (int, bool) { return 0, false }

func (f file) Read(ctx context.Context, p []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	if errno := f.before(trace.Read, len(p)); errno != fs.OK {
		return nil, errno
	}
	return f.LoopbackFile.Read(ctx, p, off)
}

func (f file) Write(ctx context.Context, p []byte, off int64) (uint32, syscall.Errno) {
	if errno := f.before(trace.Write, len(p)); errno != fs.OK {
		return 0, errno
	}
	return f.LoopbackFile.Write(ctx, p, off)
}

func (f file) Fsync(ctx context.Context, flags uint32) syscall.Errno {
	if errno := f.before(Sync, 0); errno != fs.OK {
		return errno
	}
	return f.LoopbackFile.Fsync(ctx, flags)
}

// Mount mounts such a file system until the test ends, or skips the test, and returns its folder.
func Mount(t *testing.T, before Before) string {
	t.Helper()
	if _, err := os.Stat("/dev/fuse"); err != nil {
		t.Skip("no FUSE here")
	}
	behind, err := os.MkdirTemp("/dev/shm", "hubbench-fuse-") // a disk would have delays of its own
	if err != nil {
		t.Skipf("no memory to keep files in: %v", err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(behind) })
	dir := filepath.Join(t.TempDir(), "disk")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	server, err := At(dir, behind, before)
	if err != nil {
		t.Skipf("FUSE cannot be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := server.Unmount(); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// At mounts such a file system at dir, which keeps its files in behind. Whoever made the folders unmounts it.
func At(dir, behind string, before Before) (*fuse.Server, error) {
	plain, err := fs.NewLoopbackRoot(behind)
	if err != nil {
		return nil, err
	}
	loopback, ok := plain.(*fs.LoopbackNode)
	if !ok {
		return nil, fmt.Errorf("the root is a %T", plain)
	}
	root := &node{loopback, before}
	root.RootData.RootNode = root
	return fs.Mount(dir, root, &fs.Options{MountOptions: fuse.MountOptions{MaxWrite: 1 << 20, DirectMount: true}})
}
