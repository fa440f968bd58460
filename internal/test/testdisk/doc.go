// Package testdisk makes disks for tests: a block device in memory, its partitions, file systems on them, and a control
// group that the kernel holds to a rate. It needs Linux and root's rights.
//
// A disk is gone when it is closed, or when the next one is made after the process that had it was killed: everything of
// it lies in a folder that its owner keeps locked, and what a folder without an owner had is removed. Start at Make in a
// test, at New elsewhere.
package testdisk
