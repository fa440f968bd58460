// Package fusetest mounts file systems for tests whose requests a test can hold up, fail or change:
// a device that is slow, stalls, or breaks when the test says so. It needs Linux and FUSE.
// Start at Mount; Hub mounts the disks of a hub.
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

// Device is what a file system does beyond keeping files. Its functions are called from many
// goroutines.
type Device struct {
	// Before is called before a request is done, and holds it up until it returns. What it returns
	// is the request's error; fs.OK lets it be done.
	Before func(op trace.Role, bytes int) syscall.Errno
	// Changed, if it is there, returns what a read gives in place of the data of the file.
	Changed func(data []byte) []byte
}

// The ops that Before gets apart from reads and writes. To reserve space is a write of no bytes.
const (
	Sync   trace.Role = "sync"   // a flush
	Direct trace.Role = "direct" // a file is opened past the cache
	Name   trace.Role = "name"   // a file or folder is looked up, made or removed
)

// node passes everything on to a folder.
type node struct {
	*fs.LoopbackNode
	*Device
}

// file has every request pass through here.
type file struct {
	*fs.LoopbackFile
	*Device
}

func (n *node) WrapChild(_ context.Context, child fs.InodeEmbedder) fs.InodeEmbedder {
	plain, _ := child.(*fs.LoopbackNode) // as all of a loopback root's are
	return &node{plain, n.Device}
}

func (n *node) Lookup(ctx context.Context, name string, out *fuse.EntryOut) (
	*fs.Inode, syscall.Errno,
) {
	if errno := n.Before(Name, 0); errno != fs.OK {
		return nil, errno
	}
	return n.LoopbackNode.Lookup(ctx, name, out)
}

func (n *node) Mkdir(ctx context.Context, name string, mode uint32, out *fuse.EntryOut) (
	*fs.Inode, syscall.Errno,
) {
	if errno := n.Before(Name, 0); errno != fs.OK {
		return nil, errno
	}
	return n.LoopbackNode.Mkdir(ctx, name, mode, out)
}

func (n *node) Unlink(ctx context.Context, name string) syscall.Errno {
	if errno := n.Before(Name, 0); errno != fs.OK {
		return errno
	}
	return n.LoopbackNode.Unlink(ctx, name)
}

func (n *node) Rmdir(ctx context.Context, name string) syscall.Errno {
	if errno := n.Before(Name, 0); errno != fs.OK {
		return errno
	}
	return n.LoopbackNode.Rmdir(ctx, name)
}

// open has the requests of a file that a function opens pass through here, past the cache.
func (n *node) open(flags uint32, open func(flags uint32) (fs.FileHandle, syscall.Errno)) (
	fs.FileHandle, uint32, syscall.Errno,
) {
	op := Name
	if flags&syscall.O_DIRECT != 0 {
		op = Direct
	}
	if errno := n.Before(op, 0); errno != fs.OK {
		return nil, 0, errno
	}
	f, errno := open(flags &^ syscall.O_DIRECT)
	if errno != fs.OK {
		return nil, 0, errno
	}
	plain, _ := f.(*fs.LoopbackFile) // as all of a loopback node's are
	return file{plain, n.Device}, fuse.FOPEN_DIRECT_IO | fuse.FOPEN_PARALLEL_DIRECT_WRITES, fs.OK
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
	if errno := f.Before(trace.Read, len(p)); errno != fs.OK {
		return nil, errno
	}
	plain, errno := f.LoopbackFile.Read(ctx, p, off)
	if f.Changed == nil || errno != fs.OK {
		return plain, errno
	}
	defer plain.Done()
	data, status := plain.Bytes(p)
	return fuse.ReadResultData(f.Changed(data)), syscall.Errno(status)
}

func (f file) Write(ctx context.Context, p []byte, off int64) (uint32, syscall.Errno) {
	if errno := f.Before(trace.Write, len(p)); errno != fs.OK {
		return 0, errno
	}
	return f.LoopbackFile.Write(ctx, p, off)
}

func (f file) Fsync(ctx context.Context, flags uint32) syscall.Errno {
	if errno := f.Before(Sync, 0); errno != fs.OK {
		return errno
	}
	return f.LoopbackFile.Fsync(ctx, flags)
}

// Allocate reserves space.
func (f file) Allocate(ctx context.Context, off, size uint64, mode uint32) syscall.Errno {
	if errno := f.Before(trace.Write, 0); errno != fs.OK {
		return errno
	}
	return f.LoopbackFile.Allocate(ctx, off, size, mode)
}

// Mount mounts such a file system until the test ends, or skips the test, and returns its folder.
func Mount(t *testing.T, d *Device) string {
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
	server, err := At(dir, behind, d)
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

// At mounts such a file system at dir, which keeps its files in behind. Whoever made the folders
// unmounts it.
func At(dir, behind string, d *Device) (*fuse.Server, error) {
	plain, err := fs.NewLoopbackRoot(behind)
	if err != nil {
		return nil, err
	}
	loopback, ok := plain.(*fs.LoopbackNode)
	if !ok {
		return nil, fmt.Errorf("the root is a %T", plain)
	}
	root := &node{loopback, d}
	root.RootData.RootNode = root
	opts := fs.Options{MountOptions: fuse.MountOptions{
		MaxWrite: 1 << 20, DirectMount: true,
		DisableSplice: true, // the pipes for that are too small for some requests
	}}
	return fs.Mount(dir, root, &opts)
}
