package strictyaml

import "strings"

// Suggest is what to try in place of an unknown word: the nearest of the known ones, or else all of them.
func Suggest(word string, known []string) string {
	best, least := "", 0
	for _, k := range known {
		if d := distance(strings.ToLower(word), strings.ToLower(k)); best == "" || d < least {
			best, least = k, d
		}
	}
	// A third of the letters wrong is still a slip of the hand; more is another word.
	if best != "" && least <= max(1, len([]rune(best))/3) && least < len([]rune(best)) {
		return printable(best)
	}
	shown := make([]string, len(known))
	for i, k := range known {
		shown[i] = printable(k)
	}
	return Choice(shown)
}

// distance is the number of letters to add, drop, change or swap with their neighbour to make b of a
// (optimal string alignment). Words beyond 64 letters are as far apart as they are long.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) > 64 || len(y) > 64 {
		return max(len(x), len(y))
	}
	var before []int // the row above prev
	prev := make([]int, len(y)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := range x {
		row := make([]int, len(y)+1)
		row[0] = i + 1
		for j := range y {
			cost := 1
			if x[i] == y[j] {
				cost = 0
			}
			row[j+1] = min(prev[j+1]+1, row[j]+1, prev[j]+cost)
			if i > 0 && j > 0 && x[i] == y[j-1] && x[i-1] == y[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, prev = prev, row
	}
	return prev[len(y)]
}
