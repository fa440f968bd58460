package device

import "strings"

// What Windows says of a drive that is none of this machine's disks; it has no file system of that name.
const (
	networkDrive = "network drive"
	memoryDrive  = "memory drive"
)

// fatFileMax is the largest file on FAT, in bytes: its sizes have 32 bits. exFAT's have 64.
const fatFileMax = 1<<32 - 1

// fileMax is the largest file that a kind of file system takes; 0: no limit worth a word.
func fileMax(kind string) int64 {
	switch strings.ToLower(kind) {
	case "vfat", "msdos", "fat", "fat12", "fat16", "fat32":
		return fatFileMax
	}
	return 0
}

// notDisk says where the files of a kind of file system lie, if not on a disk of this machine; empty for the others.
func notDisk(kind string) string {
	switch kind {
	case "tmpfs", "ramfs", "devtmpfs", memoryDrive:
		return "in memory"
	case "nfs", "nfs4", "cifs", "smb3", "smbfs", "afpfs", "webdav", "9p", "virtiofs", "ceph", "glusterfs", "lustre", "fuse.sshfs", "fuse.rclone",
		"fuse.glusterfs", "vboxsf", "fuse.vmhgfs-fuse", "prl_fs", networkDrive:
		return "on another machine, or the host of this one"
	case "overlay", "aufs", "fuse.mergerfs", "fuse.overlayfs", "unionfs":
		return "on whatever lies beneath, which need not be one disk"
	}
	return ""
}

// noDirect says why a kind of file system on a disk does not pass requests by the operating system's cache, and what to
// try; empty if it does, or may. The worker tries it and records what it got; this is to know it before.
func noDirect(kind string) (why, try string) {
	switch kind {
	case "fuseblk":
		return "it is served by a program (FUSE), and that reads and writes the disk through the cache", "Mount it with the system's own driver (ntfs3, exfat)"
	case "ecryptfs", "vboxsf", "aufs":
		return "it knows no direct requests", "Format the disk as APFS, NTFS, exFAT or ext4"
	}
	return "", ""
}
