package diskio

import (
	"errors"
	"fmt"
	"os"

	"github.com/hubbench/hubbench/pkg/trace"
)

const (
	probeName = "probe.bin"
	// probeSector is a multiple of every sector size in use.
	probeSector = 4096
)

// traits are what the file system of a folder can do, found out by trying: what it accepts is no proof, as
// some take direct requests and pass them through their cache.
type traits struct {
	direct    bool
	whyNot    string // why direct requests cannot be had
	sector    int64  // sizes and offsets of requests are multiples of it
	reserves  bool   // takes preallocation
	reserveNo error
}

// probe writes a small file in the folder and looks at what becomes of it.
func probe(open opener, folder *os.Root, direct bool) (traits, error) {
	tr := traits{sector: smallUnit}
	if direct {
		reason, err := tr.tryDirect(open, folder)
		if err != nil {
			return tr, err
		}
		if tr.direct = reason == ""; !tr.direct {
			tr.whyNot, tr.sector = reason, smallUnit
		}
	}
	f, err := makeProbe(open, folder, false)
	if err != nil {
		return tr, err
	}
	tr.reserveNo = f.reserve(1 << 20)
	tr.reserves = tr.reserveNo == nil
	return tr, errors.Join(f.close(), folder.Remove(probeName))
}

func makeProbe(open opener, folder *os.Root, direct bool) (testFile, error) {
	// An earlier process may have died between making its probe and removing it.
	_ = folder.Remove(probeName)
	return open(folder, probeName, opening{op: trace.Write, direct: direct, lanes: 1})
}

// tryDirect writes one sector past the cache, and returns why it could not.
func (tr *traits) tryDirect(open opener, folder *os.Root) (reason string, err error) {
	f, err := makeProbe(open, folder, true)
	if err != nil {
		return fmt.Sprintf("opening a file for it failed: %v", err), nil
	}
	defer func() {
		err = errors.Join(err, f.close(), folder.Remove(probeName))
	}()
	buf, err := newBuffer(probeSector)
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
	if f.cached(probeSector) > 0 {
		return "the file system passes direct requests through its cache", nil
	}
	return "", nil
}
