package device

import "golang.org/x/sys/unix"

// systemRoots are folders on the disk that holds the system: the sealed volume, and the one that holds
// what users write.
var systemRoots = [...]string{"/", "/System/Volumes/Data"}

func isFAT(st *unix.Statfs_t) bool { return unix.ByteSliceToString(st.Fstypename[:]) == "msdos" }
