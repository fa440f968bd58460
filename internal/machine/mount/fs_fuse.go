//go:build linux || darwin

package mount

import (
	"context"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/hubbench/hubbench/pkg/trace"
)

// disk is one mounted disk.
type disk struct {
	name, dir string
	hub       string // the profile's name
	parts     uint64 // disks that share the space behind
	pacer     *Pacer
	faults    *faults
	quit      <-chan struct{} // closed when it is unmounted
}

// gone is ENODEV once the disk has vanished, or is being unmounted.
func (d *disk) gone() syscall.Errno {
	select {
	case <-d.quit:
		return syscall.ENODEV
	default:
	}
	if _, ok := d.faults.has(Vanish); ok {
		return syscall.ENODEV
	}
	return fs.OK
}

// rest waits for some time. Neither this nor the wait for moved bytes ends by a signal: signals do not cancel a real
// disk's requests, and io_uring would repeat an interrupted one.
func (d *disk) rest(length time.Duration) syscall.Errno {
	if length <= 0 {
		return fs.OK
	}
	timer := time.NewTimer(length)
	defer timer.Stop()
	select {
	case <-timer.C:
		return fs.OK
	case <-d.quit:
		return syscall.ENODEV
	}
}

// pace does a request's own work and returns when the hub has moved its bytes, whichever takes longer.
func (d *disk) pace(op trace.Role, bytes int, do func() syscall.Errno) syscall.Errno {
	if bytes == 0 {
		return do()
	}
	d.faults.moved.Add(int64(bytes))
	if errno := d.rest(d.faults.stalls()); errno != fs.OK {
		return errno
	}
	if errno := d.fails(op); errno != fs.OK {
		return errno
	}
	moved, err := d.pacer.Ask(d.name, op, int64(bytes))
	if err != nil {
		return syscall.EIO
	}
	errno := do()
	select {
	case <-moved:
	case <-d.quit:
		return syscall.ENODEV
	}
	if errno == fs.OK {
		errno = d.gone()
	}
	return errno
}

// fails is the error of a request by a fault.
func (d *disk) fails(op trace.Role) syscall.Errno {
	if errno := d.gone(); errno != fs.OK {
		return errno
	}
	if _, ok := d.faults.has(EIO); ok {
		return syscall.EIO
	}
	if _, ok := d.faults.has(ENOSPC); ok && op == trace.Write {
		return syscall.ENOSPC
	}
	return fs.OK
}

// file is an open file of a disk.
type file struct {
	*fs.LoopbackFile
	*disk
}

// open wraps an open file. Direct requests reach it as they are, several at a time; all others go through the
// kernel's cache, as on any disk.
func (d *disk) open(f fs.FileHandle, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	plain, ok := f.(*fs.LoopbackFile)
	if !ok {
		return nil, 0, syscall.EIO
	}
	if flags&directFlag != 0 {
		return &file{plain, d}, fuse.FOPEN_DIRECT_IO | fuse.FOPEN_PARALLEL_DIRECT_WRITES, fs.OK
	}
	return &file{plain, d}, 0, fs.OK
}

// PassthroughFd: each request is to pass through here.
func (*file) PassthroughFd() (int, bool) { return 0, false }

// Read copies, so that nothing is spliced: the pipes for that are too small for some requests, and wrong bits could
// not be put in.
func (f *file) Read(ctx context.Context, dest []byte, off int64) (result fuse.ReadResult, errno syscall.Errno) {
	var data []byte
	errno = f.pace(trace.Read, len(dest), func() syscall.Errno {
		const sector = 4096
		if _, short := f.faults.has(Short); short && len(dest) > sector { // half, in whole sectors, as of a disk
			dest = dest[:(len(dest)/2+sector-1)/sector*sector]
		}
		plain, errno := f.LoopbackFile.Read(ctx, dest, off)
		if errno != fs.OK {
			return errno
		}
		defer plain.Done()
		var status fuse.Status
		data, status = plain.Bytes(dest)
		return syscall.Errno(status)
	})
	if errno != fs.OK {
		return nil, errno
	}
	if _, ok := f.faults.has(Corrupt); ok && len(data) > 0 {
		data[len(data)/2] ^= 1
	}
	return fuse.ReadResultData(data), fs.OK
}

func (f *file) Write(ctx context.Context, data []byte, off int64) (written uint32, errno syscall.Errno) {
	errno = f.pace(trace.Write, len(data), func() (errno syscall.Errno) {
		written, errno = f.LoopbackFile.Write(ctx, data, off)
		return errno
	})
	if errno != fs.OK {
		return 0, errno
	}
	return written, fs.OK
}

// Fsync takes no time of its own: what was written has been moved by the model already. The folder behind is not
// measured, so its own flush would only add to the time.
func (f *file) Fsync(context.Context, uint32) syscall.Errno {
	if errno := f.gone(); errno != fs.OK {
		return errno
	}
	slow, _ := f.faults.has(SlowSync)
	return f.rest(max(slow, f.faults.stalls()))
}

// Allocate reserves space.
func (f *file) Allocate(ctx context.Context, off, size uint64, mode uint32) syscall.Errno {
	if errno := f.fails(trace.Write); errno != fs.OK {
		return errno
	}
	return f.LoopbackFile.Allocate(ctx, off, size, mode)
}

// node is a file or folder of a disk: that of the folder behind it.
type node struct {
	*fs.LoopbackNode
	*disk
}

// WrapChild makes everything in a folder belong to the same disk.
func (n *node) WrapChild(_ context.Context, child fs.InodeEmbedder) fs.InodeEmbedder {
	if plain, ok := child.(*fs.LoopbackNode); ok {
		return &node{plain, n.disk}
	}
	return child
}

// Open opens a file. The folder behind need not support direct requests.
func (n *node) Open(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	f, _, errno := n.LoopbackNode.Open(ctx, flags&^directFlag)
	if errno != fs.OK {
		return nil, 0, errno
	}
	return n.open(f, flags)
}

func (n *node) Create(ctx context.Context, name string, flags, mode uint32, out *fuse.EntryOut) (
	*fs.Inode, fs.FileHandle, uint32, syscall.Errno,
) {
	inode, f, _, errno := n.LoopbackNode.Create(ctx, name, flags&^directFlag, mode, out)
	if errno != fs.OK {
		return nil, nil, 0, errno
	}
	f, how, errno := n.open(f, flags)
	return inode, f, how, errno
}

// Statfs gives each disk an equal part of the space behind.
func (n *node) Statfs(ctx context.Context, out *fuse.StatfsOut) syscall.Errno {
	errno := n.LoopbackNode.Statfs(ctx, out)
	out.Blocks, out.Bfree, out.Bavail = out.Blocks/n.parts, out.Bfree/n.parts, out.Bavail/n.parts
	return errno
}

// maxAtOnce limits the requests of a disk in flight: each may block a thread while the folder behind does not answer,
// and a process has a limited number.
const maxAtOnce = 64

// gate is passed by every request to a disk: it fails when the disk is gone, and waits while too many are in flight.
// Closing or forgetting a file never fails.
type gate struct {
	fuse.RawFileSystem
	*disk
	slots chan struct{}
}

func (g *gate) pass(do func() fuse.Status) fuse.Status {
	if errno := g.gone(); errno != 0 {
		return fuse.Status(errno)
	}
	select {
	case g.slots <- struct{}{}:
	case <-g.quit:
		return fuse.ENODEV
	}
	defer func() { <-g.slots }()
	return do()
}

// counted is pass for calls that also return a number or data.
func counted[T any](g *gate, do func() (T, fuse.Status)) (result T, status fuse.Status) {
	status = g.pass(func() (status fuse.Status) {
		result, status = do()
		return status
	})
	return result, status
}

func (g *gate) Lookup(cancel <-chan struct{}, header *fuse.InHeader, name string, out *fuse.EntryOut) fuse.Status {
	return g.pass(func() fuse.Status { return g.RawFileSystem.Lookup(cancel, header, name, out) })
}

func (g *gate) GetAttr(cancel <-chan struct{}, input *fuse.GetAttrIn, out *fuse.AttrOut) fuse.Status {
	return g.pass(func() fuse.Status { return g.RawFileSystem.GetAttr(cancel, input, out) })
}

func (g *gate) SetAttr(cancel <-chan struct{}, input *fuse.SetAttrIn, out *fuse.AttrOut) fuse.Status {
	return g.pass(func() fuse.Status { return g.RawFileSystem.SetAttr(cancel, input, out) })
}

func (g *gate) Statx(cancel <-chan struct{}, input *fuse.StatxIn, out *fuse.StatxOut) fuse.Status {
	return g.pass(func() fuse.Status { return g.RawFileSystem.Statx(cancel, input, out) })
}

func (g *gate) StatFs(cancel <-chan struct{}, header *fuse.InHeader, out *fuse.StatfsOut) fuse.Status {
	return g.pass(func() fuse.Status { return g.RawFileSystem.StatFs(cancel, header, out) })
}

func (g *gate) Access(cancel <-chan struct{}, input *fuse.AccessIn) fuse.Status {
	return g.pass(func() fuse.Status { return g.RawFileSystem.Access(cancel, input) })
}

func (g *gate) Mknod(cancel <-chan struct{}, input *fuse.MknodIn, name string, out *fuse.EntryOut) fuse.Status {
	return g.pass(func() fuse.Status { return g.RawFileSystem.Mknod(cancel, input, name, out) })
}

func (g *gate) Mkdir(cancel <-chan struct{}, input *fuse.MkdirIn, name string, out *fuse.EntryOut) fuse.Status {
	return g.pass(func() fuse.Status { return g.RawFileSystem.Mkdir(cancel, input, name, out) })
}

func (g *gate) Unlink(cancel <-chan struct{}, header *fuse.InHeader, name string) fuse.Status {
	return g.pass(func() fuse.Status { return g.RawFileSystem.Unlink(cancel, header, name) })
}

func (g *gate) Rmdir(cancel <-chan struct{}, header *fuse.InHeader, name string) fuse.Status {
	return g.pass(func() fuse.Status { return g.RawFileSystem.Rmdir(cancel, header, name) })
}

func (g *gate) Rename(cancel <-chan struct{}, input *fuse.RenameIn, name, newName string) fuse.Status {
	return g.pass(func() fuse.Status { return g.RawFileSystem.Rename(cancel, input, name, newName) })
}

func (g *gate) Link(cancel <-chan struct{}, input *fuse.LinkIn, name string, out *fuse.EntryOut) fuse.Status {
	return g.pass(func() fuse.Status { return g.RawFileSystem.Link(cancel, input, name, out) })
}

func (g *gate) Symlink(cancel <-chan struct{}, header *fuse.InHeader, target, name string, out *fuse.EntryOut) fuse.Status {
	return g.pass(func() fuse.Status { return g.RawFileSystem.Symlink(cancel, header, target, name, out) })
}

func (g *gate) Readlink(cancel <-chan struct{}, header *fuse.InHeader) ([]byte, fuse.Status) {
	return counted(g, func() ([]byte, fuse.Status) { return g.RawFileSystem.Readlink(cancel, header) })
}

func (g *gate) GetXAttr(cancel <-chan struct{}, header *fuse.InHeader, name string, dest []byte) (uint32, fuse.Status) {
	return counted(g, func() (uint32, fuse.Status) { return g.RawFileSystem.GetXAttr(cancel, header, name, dest) })
}

func (g *gate) ListXAttr(cancel <-chan struct{}, header *fuse.InHeader, dest []byte) (uint32, fuse.Status) {
	return counted(g, func() (uint32, fuse.Status) { return g.RawFileSystem.ListXAttr(cancel, header, dest) })
}

func (g *gate) SetXAttr(cancel <-chan struct{}, input *fuse.SetXAttrIn, name string, data []byte) fuse.Status {
	return g.pass(func() fuse.Status { return g.RawFileSystem.SetXAttr(cancel, input, name, data) })
}

func (g *gate) RemoveXAttr(cancel <-chan struct{}, header *fuse.InHeader, name string) fuse.Status {
	return g.pass(func() fuse.Status { return g.RawFileSystem.RemoveXAttr(cancel, header, name) })
}

func (g *gate) Create(cancel <-chan struct{}, input *fuse.CreateIn, name string, out *fuse.CreateOut) fuse.Status {
	return g.pass(func() fuse.Status { return g.RawFileSystem.Create(cancel, input, name, out) })
}

func (g *gate) Tmpfile(cancel <-chan struct{}, input *fuse.CreateIn, out *fuse.CreateOut) fuse.Status {
	return g.pass(func() fuse.Status { return g.RawFileSystem.Tmpfile(cancel, input, out) })
}

func (g *gate) Open(cancel <-chan struct{}, input *fuse.OpenIn, out *fuse.OpenOut) fuse.Status {
	return g.pass(func() fuse.Status { return g.RawFileSystem.Open(cancel, input, out) })
}

func (g *gate) Read(cancel <-chan struct{}, input *fuse.ReadIn, dest []byte) (fuse.ReadResult, fuse.Status) {
	return counted(g, func() (fuse.ReadResult, fuse.Status) { return g.RawFileSystem.Read(cancel, input, dest) })
}

func (g *gate) Write(cancel <-chan struct{}, input *fuse.WriteIn, data []byte) (uint32, fuse.Status) {
	return counted(g, func() (uint32, fuse.Status) { return g.RawFileSystem.Write(cancel, input, data) })
}

func (g *gate) Lseek(cancel <-chan struct{}, input *fuse.LseekIn, out *fuse.LseekOut) fuse.Status {
	return g.pass(func() fuse.Status { return g.RawFileSystem.Lseek(cancel, input, out) })
}

func (g *gate) CopyFileRange(cancel <-chan struct{}, input *fuse.CopyFileRangeIn) (uint32, fuse.Status) {
	return counted(g, func() (uint32, fuse.Status) { return g.RawFileSystem.CopyFileRange(cancel, input) })
}

func (g *gate) Ioctl(cancel <-chan struct{}, input *fuse.IoctlIn, in []byte, output *fuse.IoctlOut, out []byte) fuse.Status {
	return g.pass(func() fuse.Status { return g.RawFileSystem.Ioctl(cancel, input, in, output, out) })
}

func (g *gate) Fsync(cancel <-chan struct{}, input *fuse.FsyncIn) fuse.Status {
	return g.pass(func() fuse.Status { return g.RawFileSystem.Fsync(cancel, input) })
}

func (g *gate) Fallocate(cancel <-chan struct{}, input *fuse.FallocateIn) fuse.Status {
	return g.pass(func() fuse.Status { return g.RawFileSystem.Fallocate(cancel, input) })
}

func (g *gate) OpenDir(cancel <-chan struct{}, input *fuse.OpenIn, out *fuse.OpenOut) fuse.Status {
	return g.pass(func() fuse.Status { return g.RawFileSystem.OpenDir(cancel, input, out) })
}

func (g *gate) ReadDir(cancel <-chan struct{}, input *fuse.ReadIn, out *fuse.DirEntryList) fuse.Status {
	return g.pass(func() fuse.Status { return g.RawFileSystem.ReadDir(cancel, input, out) })
}

func (g *gate) ReadDirPlus(cancel <-chan struct{}, input *fuse.ReadIn, out *fuse.DirEntryList) fuse.Status {
	return g.pass(func() fuse.Status { return g.RawFileSystem.ReadDirPlus(cancel, input, out) })
}

func (g *gate) FsyncDir(cancel <-chan struct{}, input *fuse.FsyncIn) fuse.Status {
	return g.pass(func() fuse.Status { return g.RawFileSystem.FsyncDir(cancel, input) })
}
