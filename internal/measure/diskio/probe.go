package diskio

import (
	"errors"
	"fmt"
	"os"

	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/internal/measure/testfolder"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

const (
	// probeSector is a multiple of every sector size in use.
	probeSector = 4096
	// probeReserve is enough for a page of any system.
	probeReserve = 1 << 20
)

// traits are what the file system of a folder can do, found out by trying: what it accepts is no
// proof, as some take direct requests and pass them through their cache.
type traits struct {
	direct    bool
	directErr string // why direct requests are not available
	sector    int64  // sizes and offsets of requests are multiples of it
	// smallDirect: a direct write of one sector, below the size that the system is sure to write
	// so, left nothing in the cache.
	smallDirect  bool
	reserveErr   error // why it takes no preallocation; nil: it does
	zeroFills    bool  // fills what it reserves with zeros
	declareErr   error // why what is reserved must be written from front to back; nil: it need not
	fullFlushErr error // why files cannot be flushed to the medium; nil: they can
	// fileSystem is the kind of file system where that matters: on macOS.
	fileSystem string
}

// fills reports whether the file system writes zeros wherever a file grows past what was written:
// Apple's driver for FAT does (deextend in msdosfs_denode.c of msdosfs 788), also where it accepts
// a preallocation. Then files that are reserved are written twice, and so are gaps before requests
// that overtake others.
func (tr *traits) fills() bool { return tr.fileSystem == "exfat" || tr.fileSystem == "msdos" }

// probe writes a small file in the folder and observes the effects. Direct writes below a size may
// go through the cache if cachedBelow is not 0.
func probe(open opener, folder *os.Root, direct bool, cachedBelow int64) (traits, error) {
	tr := traits{sector: smallUnit}
	if direct {
		reason, err := tr.tryDirect(open, folder, cachedBelow)
		if err != nil {
			return tr, err
		}
		if tr.direct = reason == ""; !tr.direct {
			tr.directErr = reason
			tr.sector = smallUnit
		}
	}
	f, err := makeProbe(open, folder, false)
	if err != nil {
		return tr, err
	}
	tr.reserveErr = f.reserve(probeReserve)
	// A file system without holes writes zeros up to the new end, and does so through the cache
	// (cluster_write_copy in xnu's vfs_cluster.c). What only moves the end leaves no page behind.
	if tr.reserveErr == nil {
		tr.zeroFills, tr.declareErr = f.cached(probeReserve) > 0, f.declare(probeReserve)
	}
	if err := f.flush(scenario.FlushFull); filesystem.Unsupported(err) {
		tr.fullFlushErr = err
	}
	return tr, errors.Join(f.close(), folder.Remove(testfolder.ProbeName))
}

func makeProbe(open opener, folder *os.Root, direct bool) (testFile, error) {
	// An earlier process may have died between making its probe and removing it.
	_ = folder.Remove(testfolder.ProbeName)
	return open(folder, testfolder.ProbeName, opening{op: trace.Write, direct: direct, lanes: 1})
}

// tryDirect writes one sector past the cache, and returns why it could not. If that is not sure of
// a sector, it writes as much as is first, and then a sector within it, as jobs with small blocks
// do.
func (tr *traits) tryDirect(
	open opener, folder *os.Root, cachedBelow int64,
) (reason string, err error) {
	f, err := makeProbe(open, folder, true)
	if err != nil {
		return fmt.Sprintf("opening a file for it failed: %v", err), nil
	}
	defer func() {
		err = errors.Join(err, f.close(), folder.Remove(testfolder.ProbeName))
	}()
	buf, err := newBuffer(max(probeSector, cachedBelow))
	if err != nil {
		return "", err
	}
	defer freeBuffer(buf)
	noise(buf, 0, 0)
	tr.sector = max(directAlign(f), smallUnit)
	if tr.sector > probeSector {
		return fmt.Sprintf("it needs multiples of %d bytes", tr.sector), nil
	}
	if _, err := f.writeAt(0, buf, 0); err != nil {
		if isFull(err) {
			return "", err
		}
		return fmt.Sprintf("a direct write failed: %v", err), nil
	}
	if f.takesOdd() || cachedBelow == 0 && f.cached(probeSector) > 0 {
		return "the file system passes direct requests through its cache", nil
	}
	if cachedBelow == 0 {
		return "", nil
	}
	// On macOS there is nothing better than F_NOCACHE to fall back on: what it does to large
	// requests is seen when the job has ended (see Cached).
	if _, err := f.writeAt(0, buf[:probeSector], probeSector); err != nil {
		return "", fmt.Errorf("write one sector: %w", err)
	}
	tr.smallDirect = f.cached(cachedBelow) == 0
	return "", nil
}

// fullest returns the most thorough flush that the file system supports.
func (tr *traits) fullest() string {
	if tr.fullFlushErr != nil {
		return scenario.FlushFsync
	}
	return scenario.FlushFull
}

// priorityOf judges what macOS says of a process: whether it is in the background, and its policy
// for disk requests.
func priorityOf(background bool, policy string) (name, warning string) {
	const try = "run hubbench from a terminal window, not by taskpolicy or as a background job"
	switch {
	case background:
		return "background",
			"macOS runs hubbench in the background: on efficiency cores, and with its disk " +
				"requests held back; " + try
	case policy == "throttle" || policy == "utility":
		return policy, fmt.Sprintf("macOS holds back hubbench's disk requests (I/O policy %s); %s",
			policy, try)
	default:
		return policy, ""
	}
}
