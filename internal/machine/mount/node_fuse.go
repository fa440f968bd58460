//go:build linux || darwin

package mount

import (
	"context"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

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

func (n *node) Create(ctx context.Context, name string, flags, mode uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
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
