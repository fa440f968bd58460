package device

import (
	"strings"

	"golang.org/x/sys/windows"
)

func (p *Place) query() error {
	path, err := windows.UTF16PtrFromString(p.Path)
	if err != nil {
		return err
	}
	root, err := volumeRoot(path)
	if err != nil {
		return err
	}
	var serial, flags uint32
	kind := make([]uint16, windows.MAX_PATH)
	if err := windows.GetVolumeInformation(&root[0], nil, 0, &serial, nil, &flags, &kind[0], uint32(len(kind))); err != nil {
		return err
	}
	p.ID = uint64(serial)
	p.Mount = windows.UTF16ToString(root)
	p.Filesystem = windows.UTF16ToString(kind)
	switch windows.GetDriveType(&root[0]) {
	case windows.DRIVE_REMOTE:
		p.Filesystem = networkDrive // whatever the server's own is
	case windows.DRIVE_RAMDISK:
		p.Filesystem = memoryDrive
	}
	if flags&windows.FILE_READ_ONLY_VOLUME != 0 {
		p.Writable = windows.ERROR_WRITE_PROTECT
	}
	system, err := windows.GetSystemWindowsDirectory()
	if err != nil {
		return err
	}
	p.System = len(system) >= 3 && strings.EqualFold(p.Mount, system[:3])
	return nil
}

// volumeRoot is where the path's volume is mounted, as in C:\.
func volumeRoot(path *uint16) ([]uint16, error) {
	root := make([]uint16, windows.MAX_PATH)
	if err := windows.GetVolumePathName(path, &root[0], uint32(len(root))); err != nil {
		return nil, err
	}
	return root, nil
}
