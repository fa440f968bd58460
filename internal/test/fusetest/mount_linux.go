// Package fusetest mounts a file system for tests that keeps its files in memory and lets a test hold up single requests: a
// device that is slow, or stands still, when the test says so. It needs Linux and FUSE. For a whole hub see internal/machine/mount.
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

// Before is called before a request is done, from many goroutines, and holds it up until it returns. What it returns is the
// request's error; fs.OK lets it be done.
type Before func(op trace.Role, bytes int) syscall.Errno

// Sync is the op that Before gets for a flush, which is neither read nor written.
const Sync trace.Role = "sync"

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

// open has the requests of an open file pass through here, past the cache.
func (n *node) open(f fs.FileHandle) (fs.FileHandle, uint32, syscall.Errno) {
	plain, ok := f.(*fs.LoopbackFile)
	if !ok {
		return nil, 0, syscall.EIO
	}
	return file{plain, n.before}, fuse.FOPEN_DIRECT_IO, fs.OK
}

func (n *node) Open(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	f, _, errno := n.LoopbackNode.Open(ctx, flags&^syscall.O_DIRECT)
	if errno != fs.OK {
		return nil, 0, errno
	}
	return n.open(f)
}

func (n *node) Create(ctx context.Context, name string, flags, mode uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	inode, f, _, errno := n.LoopbackNode.Create(ctx, name, flags&^syscall.O_DIRECT, mode, out)
	if errno != fs.OK {
		return nil, nil, 0, errno
	}
	opened, how, errno := n.open(f)
	return inode, opened, how, errno
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
