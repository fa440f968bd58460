package device

import "golang.org/x/sys/unix"

// systemRoots are folders on the disk that holds the system.
var systemRoots = [...]string{"/"}

func isFAT(st *unix.Statfs_t) bool { return st.Type == unix.MSDOS_SUPER_MAGIC }
