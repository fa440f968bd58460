package tracetest

import "math/rand/v2"

// Sentences that are false of a disk nobody takes anything from, and of one that takes nothing.
const (
	ownPort = `port of its own`
	maybe   = `may be noise`
	fair    = `even split`
	cached  = `full cache or heat|with no other disk involved`
	even    = `evenly shared|an even share,|share evenly|shared evenly`
	lost    = `\b(?:[Aa]ll|[A-L]) loses?\b`
	others  = `(?:(?:, | and )[A-L])*` // of a list of disks, behind the one that is meant
)

// loses are sentences that attribute a disk's loss to others.
func loses(disk string) string {
	return `\ball lose|\b` + disk + others + `(?: may)? loses?\b|\b` + disk + others + ` (?:fell to|had) [^;]*% of|even split would have given (?:[A-L](?:, | and ))*` + disk + `\b`
}

// wins are sentences that have a disk take something.
func wins(disk string) string { return `\b` + disk + others + ` (?:wins?|took)\b` }

// Truths are all that there are.
func Truths() []Truth {
	all := []struct {
		name  string
		tuned bool
		fill  func(s *scene)
	}{
		{"own swing beside a steady disk", true, ownSwing},
		{"link halves for all", true, linkHalves},
		{"shares swap, even", true, func(s *scene) { swap(s, 1.8, 0.8, 0.8, 1.8, false) }},
		{"shares swap, uneven, with solos", true, func(s *scene) { swap(s, 1.8, 0.8, 1.1, 1.5, true) }},
		{"two stalls of one disk", true, twoStalls},
		{"all stop for 3 s", true, func(s *scene) { allStop(s, 3) }},
		{"one hangs for 25 s", true, hangs},
		{"warm-up at each start", true, warmUp},
		{"cache used up before, fresh solo", true, usedBefore},
		{"cache fills after another's end", true, fillsLater},
		{"cache fills, neighbours gain", true, func(s *scene) { freesRoom(s, false) }},
		{"cache fills, neighbours gain, alone later", true, func(s *scene) { freesRoom(s, true) }},
		{"six of eight on a sub-hub", true, subHub},
		{"recovery of 100 %", true, func(s *scene) { recovers(s, 2) }},
		{"recovery of 30 %", true, func(s *scene) { recovers(s, 1.3) }},
		{"two ends within one lag", true, endsWithinLag},
		{"fall to 20 %", true, func(s *scene) { falls(s, 0.2, 0.02) }},
		{"fall to 50 %", true, func(s *scene) { falls(s, 0.5, 0.02) }},
		{"fall to 70 %", true, func(s *scene) { falls(s, 0.7, 0.02) }},
		{"fall in the last tenth", true, func(s *scene) { falls(s, s.between(0.2, 0.7), 0.9) }},
		{"certain loss, short solos", true, shortSolos},
		{"certain loss of eight", true, func(s *scene) { lossOf(s, 8, 12) }},
		{"heavy-tailed gaps", true, func(s *scene) { gaps(s, 2.2) }},
		{"clock off by 2 ms, small files", true, clockNoise},
		{"solos of large files, pair of small", true, otherSizes},
		{"two phases of other sizes", true, notARepeat},

		{"drift down", false, func(s *scene) { drift(s, 0.7) }},
		{"drift up", false, func(s *scene) { drift(s, 1.3) }},
		{"cache fills in steps", false, inSteps},
		{"two fall by themselves within a second", false, twoFalls},
		{"heat is gone after a pause", false, pauseHelps},
		{"short swing", false, shortSwing},
		{"redistribution among three of four", false, threeOfFour},
		{"shared fall of 10 s", false, sharedFor10},
		{"all stop for 1.2 s", false, func(s *scene) { allStop(s, 1.2) }},
		{"late start takes from two", false, lateStart},
		{"slows just as another ends", false, slowsAtEnd},
		{"cache fills just as another ends", false, fillsAtEnd},
		{"reads halve, writes stay", false, readsHalve},
		{"shares swing", false, sharesSwing},
		{"rises by itself", false, ownRise},
		{"two fall alike, seconds apart", false, alikeApart},
		{"heavier-tailed gaps", false, func(s *scene) { gaps(s, 1.5) }},
		{"steady, unequal", false, unequal},
	}
	truths := make([]Truth, len(all))
	for i, t := range all {
		truths[i] = Truth{Name: t.name, Tuned: t.tuned, Play: func(rnd *rand.Rand, noise float64) Case {
			s := newScene(rnd, noise)
			t.fill(s)
			return s.done()
		}}
	}
	return truths
}
