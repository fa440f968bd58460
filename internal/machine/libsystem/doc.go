// Package libsystem calls those functions of macOS's own library that golang.org/x/sys/unix has no name for, in the way
// it does, without cgo: the library is the only interface that Apple keeps stable, its system call numbers are not. On
// other systems the package is empty. Start at Mincore.
package libsystem
