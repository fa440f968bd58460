//go:build unix

package testfolder

import (
	"io/fs"
	"os"
	"syscall"
)

func identityIn(_ *os.Root, _ string, info fs.FileInfo) (identity, error) {
	return identityOf(nil, info)
}

func identityOf(_ *os.File, info fs.FileInfo) (identity, error) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return identity{owner: nobody}, nil
	}
	return identity{links: uint64(stat.Nlink), owner: int64(stat.Uid)}, nil
}
