package volume

import (
	"golang.org/x/sys/windows"

	"github.com/hubbench/hubbench/pkg/scenario"
)

func query(folder string) (v scenario.Volume, err error) {
	path, err := windows.UTF16PtrFromString(folder)
	if err != nil {
		return v, err
	}
	var free, size, unused uint64
	if err := windows.GetDiskFreeSpaceEx(path, &free, &size, &unused); err != nil {
		return v, err
	}
	return scenario.Volume{Size: int64(size), Used: int64(size - unused), Free: int64(free)}, nil
}
