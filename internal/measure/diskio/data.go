package diskio

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/fnv"

	"github.com/hubbench/hubbench/pkg/trace"
)

// What test files hold. It must be incompressible, no block may equal another (file systems and
// controllers that deduplicate would otherwise be measured at speeds that no user data reaches),
// and it must cost next to nothing to generate: so the buffers are filled with noise once, and each
// unit of a block carries a stamp of its own when it is written. The stamp also shows on reading
// whether the disk returned what was asked for: the right run, disk, file and offset.
const (
	// dataUnit is what a stamp covers: the smallest piece that common deduplication works on.
	dataUnit = 4096
	// smallUnit replaces it if the block is no multiple of it.
	smallUnit = 512
	// stampBytes is the stamp at the head of each unit: tag, file and noise number, offset, check.
	stampBytes = 32
)

// unitOf returns the bytes from stamp to stamp in files written in blocks of this size.
func unitOf(block int64) int64 {
	if block%dataUnit == 0 {
		return dataUnit
	}
	return smallUnit
}

// tagOf identifies the run and the disk in every stamp.
func tagOf(runID, disk string) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "hubbench\x00%s\x00%s", runID, disk)
	return h.Sum64()
}

// gamma is SplitMix64's step from word to word.
const gamma = 0x9e3779b97f4a7c15

// mix returns the finaliser of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014): a bijection whose
// values over a counter look like noise, at one or two multiplications a word.
func mix(z uint64) uint64 {
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// noise fills p, whose bytes are the noise of seed from the position at on; both are multiples of
// 8.
func noise(p []byte, seed uint64, at int64) {
	z := mix(seed) + uint64(at/8)*gamma
	for ; len(p) >= 8; p = p[8:] {
		z += gamma
		binary.LittleEndian.PutUint64(p, mix(z))
	}
}

// memory is where one request in flight keeps its bytes: a part of the job's buffer, filled with
// noise. Small blocks walk through it, so that neighbours in the file differ in more than their
// stamps.
type memory struct {
	write []byte
	read  []byte // elsewhere if the job does both, as what is written must stay what it is
	noise int64  // where in the job's noise write begins
	pos   int64  // position of the next block
	calls *calls // set for an application, whose file is stamped as a whole before
}

// take returns the memory of a request for n bytes at off (most have block), with its stamps if it
// writes.
func (m *memory) take(op trace.Role, off, n, block int64, stamps *stamper) []byte {
	if m.calls != nil {
		at := off % appBytes
		return m.write[at:min(at+n, appBytes)]
	}
	if m.pos+n > int64(len(m.write)) {
		m.pos = 0
	}
	at := m.pos
	m.pos += block
	if op == trace.Read {
		return m.read[at : at+n : at+n]
	}
	p := m.write[at : at+n : at+n]
	stamps.put(p, off, m.noise+at)
	return p
}

// stamper stamps the blocks of one file, and checks them.
type stamper struct {
	tag    uint64 // tag of run and disk; also the seed of the noise
	file   uint32 // number of the file in its folder
	unit   int64
	period int64 // after which the content repeats; 0: it does not
	size   int64 // size of the file; 0: in whole units
}

// place returns the offset that the stamp of the unit at off bears.
func (s *stamper) place(off int64) int64 {
	if s.period > 0 {
		return off % s.period
	}
	return off
}

// put stamps the block p that is about to be written at off. Its noise begins at the position at.
// Blocks are whole sectors, so that even a last, shorter unit has room for a stamp. If the file
// will end within that stamp, its noise has no number, so that what is left of it can be checked
// anyway; content that repeats has the same noise in every round, so that its number is known.
func (s *stamper) put(p []byte, off, at int64) {
	number := uint32(at / s.unit)
	for ; len(p) > 0; p = p[min(int(s.unit), len(p)):] {
		if s.period == 0 && s.size > 0 && off+stampBytes > s.size {
			number = 0
		}
		head, check := s.seal(off, number)
		binary.LittleEndian.PutUint64(p, s.tag)
		binary.LittleEndian.PutUint64(p[8:], head)
		binary.LittleEndian.PutUint64(p[16:], uint64(off))
		binary.LittleEndian.PutUint64(p[24:], check)
		off += s.unit
		number++
	}
}

// seal returns what the stamp of the unit at off, whose noise has that number, holds besides tag
// and offset: file and number, and a checksum such that a block of zeros never has a valid one.
func (s *stamper) seal(off int64, number uint32) (head, check uint64) {
	head = uint64(s.file)<<32 | uint64(number)
	return head, mix(s.tag ^ mix(head^mix(uint64(off)+gamma)))
}

// Mismatch is a unit that the disk did not return as it was written. It is an error.
type Mismatch struct {
	File   string // where it is now
	Number int    // number of the file in its folder
	// Offset of the unit in the file, or of the first wrong byte if the stamp is right.
	Offset     int64
	Wrote, Got string // in words
	FileSystem string // if its driver is known to lose data: macOS's for FAT
}

// Error says all of it but the disk, which the engine's error begins with.
func (m *Mismatch) Error() string {
	text := fmt.Sprintf("the disk returned different data than was written, in test file %d at "+
		"byte %d: wrote %s, got %s; the file is kept as %s",
		m.Number, m.Offset, m.Wrote, m.Got, m.File)
	if m.FileSystem != "" { // https://github.com/bitcoin/bitcoin/issues/31454
		text += fmt.Sprintf("; macOS's driver for %s has lost data on sound disks: format the "+
			"disk as APFS and measure again before you blame it", m.FileSystem)
	}
	return text
}

// checking is how thoroughly data that was read is checked.
type checking int

const (
	checkNothing checking = iota
	checkStamps           // each unit's stamp
	checkAll              // each byte
)

// check looks at the block p that was read at off, a multiple of the sector. To have all of it
// checked, it must begin where a unit does: what lies before the first stamp in it cannot be
// checked. The file may end within a stamp.
func (s *stamper) check(p []byte, off int64, how checking) *Mismatch {
	first := (off + s.unit - 1) / s.unit * s.unit
	for at := first - off; at < int64(len(p)); at += s.unit {
		unit := p[at:min(at+s.unit, int64(len(p)))]
		place := s.place(off + at)
		noiseAt := min(place, s.period)
		if len(unit) >= stampBytes { // else the file ends here
			noiseAt = int64(binary.LittleEndian.Uint32(unit[8:])) * s.unit
		}
		var want [stampBytes]byte
		s.put(want[:], place, noiseAt)
		head := min(len(unit), stampBytes)
		if !bytes.Equal(unit[:head], want[:head]) {
			return s.mismatch(unit, off+at)
		}
		if how == checkAll {
			if wrong := firstDifference(unit[head:], s.tag, noiseAt+stampBytes); wrong >= 0 {
				return &Mismatch{Number: int(s.file), Offset: off + at + stampBytes + int64(wrong),
					Wrote: "random data under a valid stamp", Got: "something else"}
			}
		}
	}
	return nil
}

// firstDifference returns where p, of a unit at most, stops being the noise of seed from the
// position at on; -1: nowhere.
func firstDifference(p []byte, seed uint64, at int64) int {
	const word = 8
	var want [dataUnit]byte
	noise(want[:(len(p)+word-1)/word*word], seed, at)
	if bytes.Equal(p, want[:len(p)]) {
		return -1
	}
	i := 0
	for p[i] == want[i] {
		i++
	}
	return i
}

// mismatch describes the unit read at off.
func (s *stamper) mismatch(unit []byte, off int64) *Mismatch {
	m := &Mismatch{Number: int(s.file), Offset: off, Got: "something else",
		Wrote: fmt.Sprintf("this run's stamp of file %d at byte %d", s.file, s.place(off))}
	if len(unit) < stampBytes {
		m.Wrote = "the beginning of " + m.Wrote
		return m
	}
	other := stamper{tag: binary.LittleEndian.Uint64(unit),
		file: binary.LittleEndian.Uint32(unit[12:])}
	place := int64(binary.LittleEndian.Uint64(unit[16:]))
	_, check := other.seal(place, binary.LittleEndian.Uint32(unit[8:]))
	switch valid := binary.LittleEndian.Uint64(unit[24:]) == check; {
	case valid && other.tag != s.tag:
		m.Got = "a stamp of another run or disk"
	case valid:
		m.Got = fmt.Sprintf("the stamp of file %d at byte %d", other.file, place)
	case len(bytes.Trim(unit, "\x00")) == 0:
		m.Got = "zeros"
	default:
		m.Got = fmt.Sprintf("no stamp but %x...", unit[:16])
	}
	return m
}
