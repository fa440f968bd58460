//go:build unix

package volume

import (
	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/pkg/scenario"
)

func query(folder string) (v scenario.Volume, err error) {
	var st unix.Statfs_t
	if err := unix.Statfs(folder, &st); err != nil {
		return v, err
	}
	block := int64(st.Bsize)
	v.Free = int64(st.Bavail) * block
	v.Size = int64(st.Blocks) * block
	v.Used = v.Size - int64(st.Bfree)*block
	return v, nil
}
