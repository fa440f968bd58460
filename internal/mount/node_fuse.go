//go:build linux || darwin

package mount

import (
	"context"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// node is a file or folder of a disk: that of the folder behind it, as long as the disk is there.
type node struct {
	*fs.LoopbackNode
	*disk
}

// WrapChild has all in a folder be of the same disk.
func (n *node) WrapChild(_ context.Context, child fs.InodeEmbedder) fs.InodeEmbedder {
	if plain, ok := child.(*fs.LoopbackNode); ok {
		return &node{plain, n.disk}
	}
	return child
}

// Open opens a file. The folder behind need not know direct requests.
func (n *node) Open(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	if errno := n.gone(); errno != fs.OK {
		return nil, 0, errno
	}
	f, _, errno := n.LoopbackNode.Open(ctx, flags&^directFlag)
	if errno != fs.OK {
		return nil, 0, errno
	}
	return n.open(f, flags)
}

// Create creates a file and opens it.
func (n *node) Create(ctx context.Context, name string, flags, mode uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	if errno := n.gone(); errno != fs.OK {
		return nil, nil, 0, errno
	}
	inode, f, _, errno := n.LoopbackNode.Create(ctx, name, flags&^directFlag, mode, out)
	if errno != fs.OK {
		return nil, nil, 0, errno
	}
	f, how, errno := n.open(f, flags)
	return inode, f, how, errno
}

// Lookup finds a file or folder by its name.
func (n *node) Lookup(ctx context.Context, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	if errno := n.gone(); errno != fs.OK {
		return nil, errno
	}
	return n.LoopbackNode.Lookup(ctx, name, out)
}

// Getattr says what it is.
func (n *node) Getattr(ctx context.Context, f fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	if errno := n.gone(); errno != fs.OK {
		return errno
	}
	return n.LoopbackNode.Getattr(ctx, f, out)
}

// Setattr changes what it is.
func (n *node) Setattr(ctx context.Context, f fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	if errno := n.gone(); errno != fs.OK {
		return errno
	}
	return n.LoopbackNode.Setattr(ctx, f, in, out)
}

// Mkdir makes a folder.
func (n *node) Mkdir(ctx context.Context, name string, mode uint32, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	if errno := n.gone(); errno != fs.OK {
		return nil, errno
	}
	return n.LoopbackNode.Mkdir(ctx, name, mode, out)
}

// Unlink removes a file.
func (n *node) Unlink(ctx context.Context, name string) syscall.Errno {
	if errno := n.gone(); errno != fs.OK {
		return errno
	}
	return n.LoopbackNode.Unlink(ctx, name)
}

// Rmdir removes a folder.
func (n *node) Rmdir(ctx context.Context, name string) syscall.Errno {
	if errno := n.gone(); errno != fs.OK {
		return errno
	}
	return n.LoopbackNode.Rmdir(ctx, name)
}

// Rename moves a file or folder.
func (n *node) Rename(ctx context.Context, name string, parent fs.InodeEmbedder, newName string, flags uint32) syscall.Errno {
	if errno := n.gone(); errno != fs.OK {
		return errno
	}
	return n.LoopbackNode.Rename(ctx, name, parent, newName, flags)
}

// OpendirHandle lists a folder.
func (n *node) OpendirHandle(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	if errno := n.gone(); errno != fs.OK {
		return nil, 0, errno
	}
	return n.LoopbackNode.OpendirHandle(ctx, flags)
}

// Statfs says how much space the folder behind has.
func (n *node) Statfs(ctx context.Context, out *fuse.StatfsOut) syscall.Errno {
	if errno := n.gone(); errno != fs.OK {
		return errno
	}
	return n.LoopbackNode.Statfs(ctx, out)
}
