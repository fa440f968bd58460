package trace

import (
	"cmp"
	"slices"
	"sort"
)

const (
	// maxTakes is how many files may have one number, on average, for it to be a file's number: a trace need not
	// number its files, and then all have the same.
	maxTakes = 4
	// maxOverlapping is the share of a disk's files that may be left out for the rest to come one at a time. If there
	// are more, the disk had several files in transfer at once.
	maxOverlapping = 0.05
)

// Why a file line is not counted.
const (
	repeated    = iota // the same line again
	again              // the same file again, with other times
	overlapping        // another file, in the time of one that is counted
	leftKinds
)

// leftOut counts file lines that are not counted, and says where they are.
type leftOut struct {
	n     int
	where []string
}

// once sorts a disk's files by start, and leaves out those that cannot have been moved beside the others. They must be
// in the order of their lines. The package comment has the rule.
func once(files []File) (kept []File, left [leftKinds]int) {
	if apart(files) {
		return files, left
	}
	files, doubtful, n := judge(files)
	left[repeated] = n
	slices.SortStableFunc(files, byStart)
	if len(doubtful) > 0 {
		possible := beside(files, doubtful)
		left[again] = len(doubtful) - len(possible)
		files = append(files, possible...)
		slices.SortStableFunc(files, byStart)
	}
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
		if a, b := &files[i-1], &files[i]; b.StartNS < max(a.StartNS, a.EndNS) || compare(a, b) >= 0 {
			return false
		}
	}
	return true
}

// judge compares the files of one number with one another. It leaves one of the lines that say the same, and takes out
// the files that have another one's number. Of both kinds the first line stays, or the first with progress.
func judge(files []File) (kept, again []File, repeats int) {
	order := make([]int, len(files)) // by number, then time, then line
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Or(cmp.Compare(files[a].Seq, files[b].Seq), compare(&files[a], &files[b]), cmp.Compare(a, b))
	})
	single := order[:0] // without repeated lines
	numbers := 0
	out, other := make([]bool, len(files)), make([]bool, len(files))
	for k, i := range order {
		if k == 0 || files[i].Seq != files[single[len(single)-1]].Seq {
			numbers++
		} else if first := &files[single[len(single)-1]]; compare(&files[i], first) == 0 {
			out[i] = true
			repeats++
			if first.Progress == nil {
				first.Progress = files[i].Progress
			}
			continue
		}
		single = append(single, i)
	}
	best := 0 // of the number so far, as an index of single
	for k := 1; k < len(single) && numbers*maxTakes > len(single); k++ {
		i, j := single[best], single[k]
		switch a, b := files[i].Progress != nil, files[j].Progress != nil; {
		case files[i].Seq != files[j].Seq:
			best = k
		case b && !a || a == b && j < i:
			other[i] = true
			best = k
		default:
			other[j] = true
		}
	}
	kept = files[:0]
	for i, f := range files {
		switch {
		case other[i]:
			again = append(again, f)
		case !out[i]:
			kept = append(kept, f)
		}
	}
	return kept, again, repeats
}

// beside returns those of the doubtful files that clash with none of the others, which must be sorted.
func beside(files, doubtful []File) []File {
	ends := make([]int64, len(files)) // the latest end so far
	for i := range files {
		ends[i] = files[i].EndNS
		if i > 0 {
			ends[i] = max(ends[i], ends[i-1])
		}
	}
	return slices.DeleteFunc(doubtful, func(f File) bool {
		i := sort.Search(len(files), func(i int) bool { return ends[i] > f.StartNS })
		for ; i < len(files) && files[i].StartNS < f.EndNS; i++ {
			if clash(&files[i], &f) {
				return true
			}
		}
		return false
	})
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
