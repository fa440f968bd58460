package main

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// What the disks move, by hubbench and by fio: several blocks at a time, past the system's cache.
const (
	block = 1 << 20
	depth = 8
)

// sizes are the files' in MiB, each disk's in an order of its own. The kernel lets bytes pass in bursts, one in a tenth of
// a second: of disks whose files were alike, all would begin and end in the same burst, and one burst would be missing
// from what they do together.
func sizes() []int64 { return []int64{22, 26, 30, 34, 38, 42} }

// fileSize is their mean, in bytes.
const fileSize = 32 << 20

// The kernel grants a control group that was idle more than its limit at first: what is moved in this time is left out.
const warmUp = time.Second

// names are the disks'.
const names = "ABC"

// pattern is what the disks do at once.
type pattern struct {
	letters string // W or R for each, as in a scenario
	files   [3]int // how many each moves, those included that warm up: the first is done long before the last burst of the others
	alone   bool   // C goes on for seconds when the others are done
}

// patterns are all, or the short set, which is held to less (see newResult). All read files are those of the first.
func patterns(short bool) []pattern {
	if short {
		return []pattern{{"RRR", [3]int{5, 6, 7}, false}, {"WRR", [3]int{16, 6, 7}, false}, {"RWW", [3]int{13, 9, 10}, false}, {"WWW", [3]int{7, 8, 9}, false}}
	}
	return []pattern{
		{"RRR", [3]int{9, 10, 11}, false}, {"WRR", [3]int{22, 10, 11}, false}, {"RWW", [3]int{16, 13, 14}, false},
		{"WWW", [3]int{12, 13, 14}, false}, {"WWW", [3]int{12, 13, 28}, true},
	}
}

// name is the pattern in words.
func (p pattern) name() string {
	if p.alone {
		return p.letters + ", C longer"
	}
	return p.letters
}

// last is the disk that goes on alone, and what it does.
func (p pattern) last() (disk, letter string) { return names[2:], p.letter(2) }

// letter is what a disk does.
func (p pattern) letter(disk int) string { return p.letters[disk : disk+1] }

// limit is how many bytes a second those of the letters pass together: each direction has a limit of its own.
func limit(letters string) float64 {
	var sum float64
	if strings.Contains(letters, "R") {
		sum += readLimit
	}
	if strings.Contains(letters, "W") {
		sum += writeLimit
	}
	return sum
}

// share is the rate of a disk: those that do the same share alike.
func (p pattern) share(disk int) float64 {
	letter := p.letter(disk)
	return limit(letter) / float64(strings.Count(p.letters, letter))
}

// warmUps is how many files of each disk do not count: on the slowest even the smallest take longer than the warm-up.
func (p pattern) warmUps() int {
	share, size := min(p.share(0), p.share(1), p.share(2)), float64(sizes()[0]<<20)
	return int(math.Ceil(1.05 * warmUp.Seconds() * share / size))
}

// scenario is the patterns as a user would write them, with a folder for each disk.
func scenario(all []pattern, roots []string) string {
	var s strings.Builder
	fmt.Fprintf(&s, "version: 1\nname: lab\ndisks:\n")
	for i, root := range roots {
		fmt.Fprintf(&s, "  - {name: %c, path: %q}\n", names[i], root)
	}
	var list []string
	for _, mib := range sizes() {
		list = append(list, fmt.Sprint(mib, " MiB"))
	}
	fmt.Fprintf(&s, "workload: {sizes: [%s], order: random, block: %d, depth: %d}\nphases:\n", strings.Join(list, ", "), block, depth)
	for _, p := range all {
		n := p.warmUps()
		fmt.Fprintf(&s, "  - {name: %q, pattern: %s, warm_up: %d, files: {A: %d, B: %d, C: %d}}\n", p.name(), p.letters, n, p.files[0]-n, p.files[1]-n, p.files[2]-n)
	}
	return s.String()
}
