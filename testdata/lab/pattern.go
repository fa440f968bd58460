package main

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// What the disks move, by hubbench and by fio: small blocks, several at a time, past the system's cache.
const (
	block    = 1 << 20
	depth    = 12
	fileSize = 32 << 20
)

// The kernel grants a control group that was idle more than its limit at first: what is moved in this time is left out.
const warmUp = time.Second

// names are the disks'.
const names = "ABC"

// pattern is what the disks do at once.
type pattern struct {
	letters  string        // W or R for each, as in a scenario
	measured time.Duration // how long all of them are busy after the warm-up, or a little longer
	alone    time.Duration // how long the last of them goes on when the others have moved their files; 0: all stop together
}

// patterns are all. The kernel lets bytes pass ten times a second, as many as the limit allows in a tenth: the rate over
// four seconds is known to 1 %, of both directions together to 0.7 %. The short set is held to less (see newResult).
func patterns(short bool) []pattern {
	if short {
		const s = 4 * time.Second
		return []pattern{{"RRR", s, 0}, {"WRR", s, 0}, {"RWW", s, 0}, {"WWW", s, 0}}
	}
	const one, both = 8 * time.Second, 4 * time.Second
	return []pattern{{"RRR", one, 0}, {"WRR", both, 0}, {"RWW", both, 0}, {"WWW", one, 0}, {"WWW", one, 4 * time.Second}}
}

// name is the pattern in words.
func (p pattern) name() string {
	if p.alone == 0 {
		return p.letters
	}
	return p.letters + ", C longer"
}

// last is the disk that goes on alone.
func (p pattern) last() string { return names[2:] }

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

// share is the rate of the slowest disk: those that do the same share alike.
func (p pattern) share() float64 {
	least := math.Inf(1)
	for _, letter := range []string{"R", "W"} {
		if n := strings.Count(p.letters, letter); n > 0 {
			least = min(least, limit(letter)/float64(n))
		}
	}
	return least
}

// filesIn is how many files a disk at that rate moves in a time, or a little longer.
func filesIn(t time.Duration, rate float64) int { return int(math.Ceil(t.Seconds() * rate / fileSize)) }

// warmUps is how many files of each disk do not count. The limit lets the first of them pass sooner than its rate says.
func (p pattern) warmUps() int { return filesIn(warmUp*5/4, p.share()) }

// files is how many files each disk moves where it is done with them.
func (p pattern) files() []int {
	n := filesIn(p.measured, p.share())
	return []int{n, n, n + filesIn(p.alone, limit(p.letters[2:]))}
}

// scenario is the patterns as a user would write them, with a folder for each disk.
func scenario(all []pattern, roots []string) string {
	var s strings.Builder
	fmt.Fprintf(&s, "version: 1\nname: lab\ndisks:\n")
	for i, root := range roots {
		fmt.Fprintf(&s, "  - {name: %c, path: %q}\n", names[i], root)
	}
	fmt.Fprintf(&s, "workload: {files: 1, sizes: [%d], block: %d, depth: %d}\nphases:\n", fileSize, block, depth)
	for _, p := range all {
		fmt.Fprintf(&s, "  - {name: %q, pattern: %s, warm_up: %d, ", p.name(), p.letters, p.warmUps())
		if n := p.files(); p.alone > 0 {
			fmt.Fprintf(&s, "files: {A: %d, B: %d, C: %d}}\n", n[0], n[1], n[2])
		} else {
			warm := float64(p.warmUps()) * fileSize / p.share()
			fmt.Fprintf(&s, "stop: %.0f ms}\n", 1e3*(warm+p.measured.Seconds()))
		}
	}
	return s.String()
}
