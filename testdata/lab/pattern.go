package main

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// What the disks move, by hubbench and by fio: blocks of 1 MiB, four at a time, past the system's cache.
const (
	block    = 1 << 20
	depth    = 4
	fileSize = 32 << 20

	// The kernel grants a control group that was idle more than its limit at first. What is moved before this is left out.
	warmUp = time.Second
)

// pattern is what the disks A, B and C do at once.
type pattern struct {
	letters string         // W or R for each, as in a scenario
	files   map[string]int // how many each moves and is done, which must be all of them; nil: all go on until the time is up
	after   string         // the disks that go on when the first are done
}

// patterns are all, or fewer for the short set.
func patterns(short bool) []pattern {
	all := []pattern{
		{letters: "RRR"},
		{letters: "WRR"},
		{letters: "RWW"},
		{letters: "WWW"},
		{letters: "WWW", files: map[string]int{"A": 5, "B": 5, "C": 14}, after: "C"},
		{letters: "RWW", files: map[string]int{"A": 9, "B": 10, "C": 10}, after: "BC"},
	}
	if short {
		return all[:5]
	}
	return all
}

// name is the pattern in words.
func (p pattern) name() string {
	if p.after == "" {
		return p.letters
	}
	return p.letters + ", " + among(p.after) + " longer"
}

// among lists disks: "B and C".
func among(disks string) string { return strings.Join(strings.Split(disks, ""), " and ") }

// letter is what a disk does.
func (p pattern) letter(disk int) string { return p.letters[disk : disk+1] }

// truth is how many bytes a second these of the disks can move together, at most and, if they never wait, at least.
func (p pattern) truth(disks string) float64 {
	var sum float64
	doing := ""
	for i, disk := range names {
		if strings.Contains(disks, string(disk)) {
			doing += p.letter(i)
		}
	}
	if strings.Contains(doing, "R") {
		sum += readLimit
	}
	if strings.Contains(doing, "W") {
		sum += writeLimit
	}
	return sum
}

// names are the disks'.
const names = "ABC"

// warmUps is how many files of each disk take the time of the warm-up at least, on the slowest of them.
func (p pattern) warmUps() int {
	share := math.Inf(1)
	for letter, limit := range map[string]float64{"R": readLimit, "W": writeLimit} {
		if n := strings.Count(p.letters, letter); n > 0 {
			share = min(share, limit/float64(n))
		}
	}
	return int(math.Ceil(1.1 * warmUp.Seconds() * share / fileSize))
}

// stop is the time from the release to the end of a pattern whose disks go on until then.
func (p pattern) stop(measured time.Duration) time.Duration { return 2*warmUp + measured }

// scenario is the patterns as a user would write them, with a folder for each disk.
func scenario(all []pattern, roots []string, measured time.Duration) string {
	var s strings.Builder
	fmt.Fprintf(&s, "version: 1\nname: lab\ndisks:\n")
	for i, root := range roots {
		fmt.Fprintf(&s, "  - {name: %c, path: %q}\n", names[i], root)
	}
	fmt.Fprintf(&s, "workload: {files: 1, sizes: [%d], block: %d, depth: %d}\nphases:\n", fileSize, block, depth)
	for _, p := range all {
		fmt.Fprintf(&s, "  - {name: %q, pattern: %s, warm_up: %d", p.name(), p.letters, p.warmUps())
		if p.files == nil {
			fmt.Fprintf(&s, ", stop: %d ms}\n", p.stop(measured).Milliseconds())
		} else {
			fmt.Fprintf(&s, ", files: {A: %d, B: %d, C: %d}}\n", p.files["A"], p.files["B"], p.files["C"])
		}
	}
	return s.String()
}
