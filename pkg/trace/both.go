package trace

import (
	"math"
	"slices"
)

// join makes one file of each pass of a disk that reads and writes at once, which a trace records as two: number 2k is
// what was read, 2k+1 what was written. What is said of files then holds of passes.
func join(reads, writes []File) []File {
	passes := make([]File, 0, max(len(reads), len(writes)))
	at := map[int]int{} // by number
	for _, files := range [][]File{reads, writes} {
		for _, f := range files {
			f.Seq /= 2
			i, known := at[f.Seq]
			if !known {
				at[f.Seq] = len(passes)
				passes = append(passes, f)
				continue
			}
			pass := &passes[i]
			pass.StartNS, pass.EndNS = min(pass.StartNS, f.StartNS), max(pass.EndNS, f.EndNS)
			pass.Bytes += f.Bytes
			if samples := addSamples(pass.Samples(), f.Samples()); len(samples) > 0 {
				pass.Progress = &Progress{samples}
			}
		}
	}
	slices.SortStableFunc(passes, byStart)
	return passes
}

// addSamples is the progress of two together: the sum of both at every instant at which one of them is known.
func addSamples(a, b []Sample) []Sample {
	out := make([]Sample, 0, max(len(a), len(b)))
	left, done := [2][]Sample{a, b}, [2]int64{}
	for len(left[0])+len(left[1]) > 0 {
		next := int64(math.MaxInt64)
		for _, samples := range left {
			if len(samples) > 0 {
				next = min(next, samples[0].TNS)
			}
		}
		for i := range left {
			for ; len(left[i]) > 0 && left[i][0].TNS == next; left[i] = left[i][1:] {
				done[i] = left[i][0].Bytes
			}
		}
		out = append(out, Sample{next, done[0] + done[1]})
	}
	return out
}

// Direction is what the disk moved in one direction: all, none, or a part if it reads and writes at once.
func (t *DiskRecord) Direction(op Role) *DiskRecord {
	switch {
	case t.Both && op == Read:
		return t.Reads
	case t.Both:
		return t.Writes
	case t.Op == op:
		return t
	}
	return &DiskRecord{Name: t.Name, Op: op}
}
