package diskio

import (
	"errors"
	"os"

	"github.com/hubbench/hubbench/pkg/trace"
)

// testFile is an open test file. A lane is one request in flight: systems whose handles take one
// request at a time open the file once for each.
type testFile interface {
	readAt(lane int, p []byte, off int64) (int, error)
	writeAt(lane int, p []byte, off int64) (int, error)
	// readList and writeList move all the pieces in one call if the system has one for it.
	readList(list [][]byte, off int64) (int64, error)
	writeList(list [][]byte, off int64) (int64, error)
	// flush brings what was written to the medium, as the flush mode asks.
	flush(mode string) error
	// reserve allocates the space of a file and sets its end, without writing it if the file system
	// can.
	reserve(size int64) error
	// declare has reserved space treated as written, where it must otherwise be written from front
	// to back.
	declare(size int64) error
	// takesOdd reports whether a file opened for direct requests takes others as well: it was
	// opened like any other.
	takesOdd() bool
	// settle waits for the written bytes of the stretch to be on the disk and drops them from the
	// cache, so that neither reads nor writes are served from memory if direct requests are not
	// available.
	settle(off, n int64, op trace.Role) error
	// evict drops the whole file from the cache, as far as the system lets us: errNoMapping if the
	// file system does not.
	evict() error
	// cached is how many bytes of the file the cache holds; -1 if the system does not say.
	cached(size int64) int64
	fd() uintptr
	close() error
}

// errNoMapping marks file systems that map no files into memory, which is how macOS is asked to
// drop them from its cache: those of some drivers for NTFS, and of FUSE with direct_io.
var errNoMapping = errors.New("the file system maps no files into memory")

// opening says how to open a test file.
type opening struct {
	op     trace.Role
	again  bool // the file exists already and is overwritten
	direct bool
	lanes  int
}

// flags returns those that every system has.
func (o opening) flags() int {
	switch {
	case o.op != trace.Write:
		return os.O_RDONLY
	case o.again:
		return os.O_RDWR
	}
	return os.O_RDWR | os.O_CREATE | os.O_EXCL
}

// opener opens the file name of the folder: as it is for reading, created for writing unless again.
type opener func(folder *os.Root, name string, o opening) (testFile, error)
