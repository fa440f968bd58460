package diskio

import (
	"bytes"
	"encoding/binary"
	"fmt"
)

// Mismatch is a unit that the disk did not return as it was written. It is an error.
type Mismatch struct {
	File       string // where it is now
	Number     int    // of the file in its folder
	Offset     int64  // of the unit in the file; of the first wrong byte if the stamp is right
	Wrote, Got string // in words
}

// Error says all of it but the disk, which the engine's error begins with.
func (m *Mismatch) Error() string {
	return fmt.Sprintf("the disk returned different data than was written, in test file %d at byte %d: wrote %s, got %s; the file is kept as %s",
		m.Number, m.Offset, m.Wrote, m.Got, m.File)
}

// checking is how thoroughly data that was read is checked.
type checking int

const (
	checkNothing checking = iota
	checkStamps           // each unit's stamp
	checkAll              // each byte
)

// check looks at the block p that was read at off, a multiple of the sector. To have all of it checked, it must begin
// where a unit does: what lies before the first stamp in it cannot be checked.
func (s *stamper) check(p []byte, off int64, how checking) *Mismatch {
	first := (off + s.unit - 1) / s.unit * s.unit
	for at := first - off; at < int64(len(p)); at += s.unit {
		unit := p[at:min(at+s.unit, int64(len(p)))]
		if len(unit) < stampBytes {
			return s.checkCut(unit, off+at) // the file ends here
		}
		head := uint64(s.file)<<32 | uint64(binary.LittleEndian.Uint32(unit[8:]))
		place := uint64(s.place(off + at))
		if binary.LittleEndian.Uint64(unit) != s.tag || binary.LittleEndian.Uint64(unit[8:]) != head ||
			binary.LittleEndian.Uint64(unit[16:]) != place || binary.LittleEndian.Uint64(unit[24:]) != checkOf(s.tag, head, place) {
			return s.mismatch(unit, off+at)
		}
		if how == checkAll {
			number := int64(binary.LittleEndian.Uint32(unit[8:]))
			if wrong := firstDifference(unit[stampBytes:], s.tag, number*s.unit+stampBytes); wrong >= 0 {
				return &Mismatch{Number: int(s.file), Offset: off + at + stampBytes + int64(wrong),
					Wrote: "random data under a valid stamp", Got: "something else"}
			}
		}
	}
	return nil
}

// checkCut looks at the beginning of a stamp, with which the file ends.
func (s *stamper) checkCut(unit []byte, off int64) *Mismatch {
	var want [stampBytes]byte
	at := int64(0)
	if s.period > 0 {
		at = s.place(off)
	}
	s.put(want[:], s.place(off), at)
	if bytes.Equal(unit, want[:len(unit)]) {
		return nil
	}
	return &Mismatch{Number: int(s.file), Offset: off,
		Wrote: fmt.Sprintf("the beginning of this run's stamp of file %d at byte %d", s.file, s.place(off)), Got: "something else"}
}

// firstDifference is where p stops being the noise of seed from the position at on; -1: nowhere.
func firstDifference(p []byte, seed uint64, at int64) int {
	z := mix(seed) + uint64(at/8)*gamma
	i := 0
	for ; i+8 <= len(p); i += 8 {
		z += gamma
		if binary.LittleEndian.Uint64(p[i:]) != mix(z) {
			break
		}
	}
	var want [8]byte
	if i+8 > len(p) {
		z += gamma
	}
	binary.LittleEndian.PutUint64(want[:], mix(z))
	for j := i; j < min(i+8, len(p)); j++ {
		if p[j] != want[j-i] {
			return j
		}
	}
	return -1
}

// mismatch describes the unit read at off.
func (s *stamper) mismatch(unit []byte, off int64) *Mismatch {
	return &Mismatch{Number: int(s.file), Offset: off,
		Wrote: fmt.Sprintf("this run's stamp of file %d at byte %d", s.file, s.place(off)), Got: s.describe(unit)}
}

// describe says what a unit holds instead of what it should.
func (s *stamper) describe(unit []byte) string {
	tag, head, place := binary.LittleEndian.Uint64(unit), binary.LittleEndian.Uint64(unit[8:]), binary.LittleEndian.Uint64(unit[16:])
	switch {
	case binary.LittleEndian.Uint64(unit[24:]) != checkOf(tag, head, place):
	case tag != s.tag:
		return "a stamp of another run or disk"
	default:
		return fmt.Sprintf("the stamp of file %d at byte %d", head>>32, place)
	}
	for _, b := range unit {
		if b != 0 {
			return fmt.Sprintf("no stamp but %x...", unit[:16])
		}
	}
	return "zeros"
}
