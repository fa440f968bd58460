//go:build unix

package device

import (
	"golang.org/x/sys/unix"
)

func (p *Place) query() error {
	var st unix.Statfs_t
	if err := unix.Statfs(p.Path, &st); err != nil {
		return err
	}
	p.mounted(&st)
	id, err := deviceID(p.Path)
	if err != nil {
		return err
	}
	p.ID = id
	for _, root := range systemRoots {
		if other, err := deviceID(root); err == nil && other == id {
			p.System = true
		}
	}
	p.Writable = unix.Access(p.Path, unix.W_OK|unix.X_OK)
	return nil
}

// systemRoots are folders on the disk that holds the system: of macOS the sealed volume, and the
// one that holds what users write.
var systemRoots = [...]string{"/", "/System/Volumes/Data"}

func deviceID(path string) (uint64, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return 0, err
	}
	return uint64(st.Dev), nil
}
