package trace

import (
	"cmp"
	"slices"
)

// maxOverlapping is the share of a disk's files that may be left out for the rest to come one at a time. If there are
// more, the disk had several files in transfer at once.
const maxOverlapping = 0.05

// Why a file line is not counted.
const (
	repeated    = iota // the same line again
	overlapping        // another file, in the time of one that is counted
	leftKinds
)

// leftOut counts file lines that are not counted, and says where they are.
type leftOut struct {
	n     int
	where []string
}

// once sorts a disk's files by start, and leaves out repeated lines and those files that cannot have been moved beside
// the others. The package comment has the rule.
func once(files []File) (kept []File, left [leftKinds]int) {
	if apart(files) {
		return files, left
	}
	slices.SortStableFunc(files, byStart)
	kept = files[:1]
	for _, f := range files[1:] {
		last := &kept[len(kept)-1]
		if compare(last, &f) != 0 {
			kept = append(kept, f)
			continue
		}
		left[repeated]++
		if last.Progress == nil {
			last.Progress = f.Progress
		}
	}
	files = kept
	if gone := clashing(files); float64(len(gone)) <= maxOverlapping*float64(len(files)) {
		left[overlapping] = len(gone)
		slices.Sort(gone)
		i := -1
		files = slices.DeleteFunc(files, func(File) bool {
			i++
			_, out := slices.BinarySearch(gone, i)
			return out
		})
	}
	return files, left
}

func byStart(a, b File) int { return compare(&a, &b) }

// compare orders files by time. It is zero if their lines say the same.
func compare(a, b *File) int {
	return cmp.Or(cmp.Compare(a.StartNS, b.StartNS), cmp.Compare(a.EndNS, b.EndNS), cmp.Compare(a.Seq, b.Seq),
		cmp.Compare(a.Bytes, b.Bytes))
}

// apart reports whether the files are sorted and no two share any time: one file at a time, as hubbench records them.
func apart(files []File) bool {
	for i := 1; i < len(files); i++ {
		if a, b := &files[i-1], &files[i]; b.StartNS < max(a.StartNS, a.EndNS) || b.StartNS == a.StartNS && compare(a, b) >= 0 {
			return false
		}
	}
	return true
}

// clash reports whether two files share more time than the rounding of their times explains: more than half of the
// shorter one's.
func clash(a, b *File) bool {
	common := min(a.EndNS, b.EndNS) - max(a.StartNS, b.StartNS)
	return a.Usable() && b.Usable() && common > min(a.EndNS-a.StartNS, b.EndNS-b.StartNS)/2
}

// clashing are the indices of few files without which no two clash; the files must be sorted. Of two that clash the one
// that ends later goes, as that leaves most room, unless it clashes with that one only, and is the longer.
func clashing(files []File) []int {
	var gone []int
	last := -1
	for i := range files {
		f := &files[i]
		switch {
		case !f.Usable():
		case last < 0 || !clash(&files[last], f):
			last = i
		case f.EndNS < files[last].EndNS && i+1 < len(files) && clash(&files[last], &files[i+1]):
			gone = append(gone, last)
			last = i
		default:
			gone = append(gone, i)
		}
	}
	return gone
}
