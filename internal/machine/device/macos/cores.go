package macos

import (
	"encoding/binary"

	"github.com/hubbench/hubbench/internal/machine/device/capture"
)

// FastCores says which of a Mac's cores are its performance cores, from the answer to ioreg -a -r
// -d 1 -k cluster-type: the entries of its device tree for the cores. Work that nobody waits for
// stays on the others, and a program has nothing to spare once these are busy. They need not stand
// together: an Ultra's are two groups. It returns nil unless each core is named once and as many
// are fast as the system says (hw.perflevel0.logicalcpu); an Intel Mac names none.
func FastCores(answer []byte, cores, fast int) []bool {
	list, err := decode(answer)
	if err != nil {
		return nil
	}
	isFast, named := make([]bool, cores), map[int64]bool{}
	for _, d := range capture.Dicts(list) {
		id, ok := d.Number("logical-cpu-id")
		if raw, _ := d["cpu-id"].([]byte); !ok && len(raw) >= 4 {
			id, ok = int64(binary.LittleEndian.Uint32(raw)), true
		}
		if !ok { // a cluster, which has a type as well
			continue
		}
		kind, _ := d["cluster-type"].([]byte) // P, E or M, with a zero at its end
		if id < 0 || id >= int64(cores) || named[id] || len(kind) == 0 {
			return nil
		}
		named[id] = true
		if kind[0] == 'P' {
			isFast[id] = true
			fast--
		}
	}
	if len(named) != cores || fast != 0 {
		return nil
	}
	return isFast
}

// Load adds up how long cores were busy, and how long there was, from each core's ticks as user,
// system, idle and nice. It counts the cores that are marked fast, or all if that is nil.
func Load[Ticks ~[4]uint32](cores []Ticks, fast []bool) (busy, total float64) {
	const idle = 2
	for i, ticks := range cores {
		if fast != nil && !(i < len(fast) && fast[i]) {
			continue
		}
		for state, n := range ticks {
			total += float64(n)
			if state != idle {
				busy += float64(n)
			}
		}
	}
	return busy, total
}
