package diskio

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/machine/libsystem"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// darwinFile is a test file on macOS. Direct means F_NOCACHE there: requests go past the cache
// unless the file's pages are in it already, which is why the files to be read are written the same
// way.
type darwinFile struct{ unixFile }

func openTestFile(folder *os.Root, name string, o opening) (testFile, error) {
	f, err := openUnix(folder, name, o, 0)
	if err != nil {
		return nil, err
	}
	if o.direct {
		// Before macOS 14 it is refused. A probe shows what came of it.
		_ = libsystem.WriteSmallDirectly()
		if _, err := unix.FcntlInt(f.fd(), unix.F_NOCACHE, 1); err != nil {
			return nil, errors.Join(err, f.close())
		}
		// Read-ahead would move bytes that nobody asked for.
		if _, err := unix.FcntlInt(f.fd(), unix.F_RDAHEAD, 0); err != nil {
			return nil, errors.Join(err, f.close())
		}
	}
	return &darwinFile{f}, nil
}

// fsyncReaches: fsync(2) hands the bytes to the drive and asks no more of it.
const fsyncReaches = trace.ReachesCache

// flush: fsync hands the bytes to the drive, which may hold them in its own cache; full
// (F_FULLFSYNC) has the drive write that out too. fsync is the default here as elsewhere, since
// that is what the tools that people compare with measure on macOS; fio alone takes F_FULLFSYNC.
// How far it goes is recorded.
func (f *darwinFile) flush(mode string) error {
	switch mode {
	case scenario.FlushNone:
		return nil
	case scenario.FlushFull:
		_, err := unix.FcntlInt(uintptr(f.n), unix.F_FULLFSYNC, 0)
		return err
	default:
		return unix.Fsync(f.n)
	}
}

// reserve allocates the space and then sets the end of the file, as fallocate does on Linux and as
// fio and aria2 do here: F_PREALLOCATE leaves the end where it is, and requests in flight together
// would move it out of order. One stretch is not asked for, as fio does not: the search for it may
// take long.
func (f *darwinFile) reserve(size int64) error {
	store := unix.Fstore_t{Flags: unix.F_ALLOCATEALL, Posmode: unix.F_PEOFPOSMODE, Length: size}
	if err := unix.FcntlFstore(uintptr(f.n), unix.F_PREALLOCATE, &store); err != nil {
		return err
	}
	return unix.Ftruncate(f.n, size)
}

// fileSystem returns what macOS calls the file system that a folder is on. Since macOS 13 those of
// FAT and NTFS are programs, all called lifs, and the address of the volume names them:
// msdos://disk12s1/NAME.
func fileSystem(dir string) string {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil {
		return ""
	}
	kind := unix.ByteSliceToString(s.Fstypename[:])
	if kind == "lifs" {
		kind, _, _ = strings.Cut(unix.ByteSliceToString(s.Mntfromname[:]), "://")
	}
	return kind
}

// settle has nothing to do: with F_NOCACHE the cache holds no stretch of the file.
func (f *darwinFile) settle(int64, int64, trace.Role) error { return nil }

// evict writes the file out and drops its pages by way of a mapping: msync with MS_INVALIDATE is
// how to ask macOS for it.
func (f *darwinFile) evict() error {
	if err := unix.Fsync(f.n); err != nil {
		return err
	}
	info, err := f.file.Stat()
	if err != nil || info.Size() == 0 {
		return err
	}
	p, err := unix.Mmap(f.n, 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return fmt.Errorf("%w (%w)", errNoMapping, err)
	}
	return errors.Join(unix.Msync(p, unix.MS_INVALIDATE), unix.Munmap(p))
}

func (f *darwinFile) cached(size int64) int64 { return f.pagesInCache(size) }

func mincore(p, pages []byte) error { return libsystem.Mincore(p, pages) }

// directAlign: F_NOCACHE takes any request, and reads past the cache in whole sectors.
func directAlign(testFile) int64 { return 4096 }

// cachedBelow: writes are sure to go past the cache in whole pages alone, and no fewer than 16 KiB
// (cluster_write_direct and MIN_DIRECT_WRITE_SIZE in xnu's bsd/vfs/vfs_cluster.c). A page is 16 KiB
// on Apple silicon, also if a program for Intel runs on it and sees 4 KiB; on Intel the smallest
// write is the bound. Smaller ones may, if the system is asked for it: see traits.smallDirect.
const cachedBelow = 16384

func adviseHuge([]byte) {}

// prioDarwinProcess asks getpriority(2) whether the process is in the background:
// PRIO_DARWIN_PROCESS of <sys/resource.h>.
const prioDarwinProcess = 4

// ioPolicies are the names that getiopolicy_np(3) has for what it returns.
var ioPolicies = [...]string{"default", "important", "passive", "throttle", "utility", "standard"}

// Priority says how the system treats the process's requests, and why its numbers are too low if it
// holds them back. A process in the background runs on efficiency cores and waits with its requests
// for everybody else's (setpriority(2)).
func Priority() (name, warning string) {
	background, bgErr := unix.Getpriority(prioDarwinProcess, 0)
	policy, policyErr := libsystem.DiskPolicy()
	return priorityOf(bgErr == nil && background != 0, policyName(policy, policyErr))
}

func policyName(policy int, err error) string {
	switch {
	case err != nil:
		return ""
	case policy < 0 || policy >= len(ioPolicies):
		return fmt.Sprint(policy)
	default:
		return ioPolicies[policy]
	}
}

// Foreground takes this process out of the background that setpriority(2) knows, which it inherits
// from whoever put themselves there, as by taskpolicy -b: its threads may run on any core again,
// and its requests wait for nobody. It is not known whether that lifts what launchd sets for a job
// of its own (ProcessType in launchd.plist(5)): Priority asks what is so then.
func Foreground() error { return unix.Setpriority(prioDarwinProcess, 0, 0) }

func newRing(ioWork) (ioEngine, error) { return nil, errNoRing }
