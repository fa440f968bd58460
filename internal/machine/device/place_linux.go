package device

import (
	"os"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/machine/device/linux"
)

// systemRoots are folders on the disk that holds the system.
var systemRoots = [...]string{"/"}

// mounted finds the mount that the folder is in. Its number shows it: a mount may lie over another one, and the device
// number that stat gives is btrfs's own.
func (p *Place) mounted(*unix.Statfs_t) {
	var st unix.Statx_t
	if unix.Statx(unix.AT_FDCWD, p.Path, 0, unix.STATX_MNT_ID, &st) != nil || st.Mask&unix.STATX_MNT_ID == 0 {
		return // before Linux 5.8
	}
	data, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return
	}
	if m, ok := linux.FindMount(data, st.Mnt_id); ok {
		p.Mount, p.Filesystem, p.Source = m.Point, m.Filesystem, m.Source
	}
}

// consent: Linux has no such consent; what permissions forbid, Writable says.
func consent(string) error { return nil }
