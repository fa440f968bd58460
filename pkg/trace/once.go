package trace

import (
	"cmp"
	"slices"
)

// maxOverlapping is the share of a disk's files that may be left out for the rest to come one at a
// time. If there are more, the disk had several files in transfer at once.
const maxOverlapping = 0.05

// once sorts a disk's files by start, and leaves out repeated lines and those files that cannot
// have been moved beside the others. The package comment has the rule.
func once(files []File) []File {
	if apart(files) {
		return files
	}
	slices.SortStableFunc(files, byStart)
	files = slices.CompactFunc(files, func(a, b File) bool { return byStart(a, b) == 0 })
	gone, n := clashing(files)
	if float64(n) > maxOverlapping*float64(len(files)) {
		return files
	}
	kept := files[:0]
	for i, f := range files {
		if !gone[i] {
			kept = append(kept, f)
		}
	}
	return kept
}

func byStart(a, b File) int { return compare(&a, &b) }

// compare orders files by time. It is zero if their lines say the same.
func compare(a, b *File) int {
	return cmp.Or(cmp.Compare(a.StartNS, b.StartNS), cmp.Compare(a.EndNS, b.EndNS),
		cmp.Compare(a.Seq, b.Seq),
		cmp.Compare(a.Bytes, b.Bytes))
}

// apart reports whether the files are sorted and no two share any time: one file at a time, as
// hubbench records them.
func apart(files []File) bool {
	for i := 1; i < len(files); i++ {
		if a, b := &files[i-1], &files[i]; b.StartNS < max(a.StartNS, a.EndNS) ||
			b.StartNS == a.StartNS && compare(a, b) >= 0 {
			return false
		}
	}
	return true
}

// clash reports whether two files share more time than the rounding of their times explains: more
// than half of the shorter one's.
func clash(a, b *File) bool {
	common := min(a.EndNS, b.EndNS) - max(a.StartNS, b.StartNS)
	return a.Usable() && b.Usable() && common > min(a.EndNS-a.StartNS, b.EndNS-b.StartNS)/2
}

// clashing says which few files must go so that no two clash; the files must be sorted. Of two that
// clash the one that ends later goes, as that leaves most room, unless it clashes with that one
// only, and is the longer.
func clashing(files []File) (gone []bool, n int) {
	gone = make([]bool, len(files))
	last := -1
	for i := range files {
		f := &files[i]
		switch {
		case !f.Usable():
		case last < 0 || !clash(&files[last], f):
			last = i
		case f.EndNS < files[last].EndNS && i+1 < len(files) && clash(&files[last], &files[i+1]):
			gone[last] = true
			n++
			last = i
		default:
			gone[i] = true
			n++
		}
	}
	return gone, n
}
