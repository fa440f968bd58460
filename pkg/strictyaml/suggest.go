package strictyaml

import "strings"

// minPrefix is how many letters of a word must stand for the beginning of another to mean it.
const minPrefix = 3

// Suggest is what to try in place of an unknown word: the nearest of the known ones, or else all of them.
func Suggest(word string, known []string) string {
	if near := Nearest(word, known); near != "" {
		return printable(near)
	}
	shown := make([]string, len(known))
	for i, k := range known {
		shown[i] = printable(k)
	}
	return Choice(shown)
}

// Nearest is the known word that an unknown one most likely stands for: the one it is the beginning of, or one that
// differs from it by a typing error. It is empty if there is none.
func Nearest(word string, known []string) string {
	word = strings.ToLower(word)
	best, smallest, begun := "", 0, 0
	for _, k := range known {
		if d := distance(word, strings.ToLower(k)); best == "" || d < smallest {
			best, smallest = k, d
		}
	}
	// A third of the letters wrong is still a typing error; more is another word.
	if letters := len([]rune(best)); smallest <= max(1, letters/3) && smallest < letters {
		return best
	}
	for _, k := range known {
		if len([]rune(word)) >= minPrefix && strings.HasPrefix(strings.ToLower(k), word) {
			best, begun = k, begun+1
		}
	}
	if begun == 1 {
		return best
	}
	return ""
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
