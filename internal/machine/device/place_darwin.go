package device

import (
	"errors"

	"golang.org/x/sys/unix"
)

// systemRoots are folders on the disk that holds the system: the sealed volume, and the one that holds
// what users write.
var systemRoots = [...]string{"/", "/System/Volumes/Data"}

func (p *Place) mounted(st *unix.Statfs_t) {
	p.Filesystem = unix.ByteSliceToString(st.Fstypename[:])
	p.Mount = unix.ByteSliceToString(st.Mntonname[:])
	p.Source = unix.ByteSliceToString(st.Mntfromname[:])
}

// consent asks as a program does that lists the folder: if the person has not let this one at removable volumes,
// the system says that the operation is not permitted, whatever the folder's own permissions are.
func consent(path string) error {
	fd, err := unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err == nil {
		return unix.Close(fd)
	}
	if errors.Is(err, unix.EPERM) {
		return err
	}
	return nil
}
