//go:build linux || darwin

package mount

import (
	"github.com/hanwen/go-fuse/v2/fuse"
)

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
