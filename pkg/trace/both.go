package trace

import (
	"cmp"
	"math"
	"slices"
)

// Half is what was read in a pass of a disk that reads and writes at once.
type Half struct {
	Bytes   int64
	Samples []Sample
}

// join makes one file of each pass of a disk that reads and writes at once, which a trace records as two: number 2k is
// what was read, 2k+1 what was written. What is said of files then holds of passes; what was read of them stays known.
func join(reads, writes []File) []File {
	passes := make([]File, 0, max(len(reads), len(writes)))
	at := map[int]int{} // by number
	add := func(f File, read Half) {
		f.Seq /= 2
		i, ok := at[f.Seq]
		if !ok {
			at[f.Seq] = len(passes)
			f.Progress = &Progress{f.Samples(), read}
			passes = append(passes, f)
			return
		}
		pass := &passes[i]
		pass.StartNS, pass.EndNS = min(pass.StartNS, f.StartNS), max(pass.EndNS, f.EndNS)
		pass.Bytes += f.Bytes
		pass.Progress.Samples = addSamples(pass.Samples(), f.Samples())
	}
	for _, f := range reads {
		add(f, Half{f.Bytes, f.Samples()})
	}
	for _, f := range writes {
		add(f, Half{})
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

// joinOpen keeps the progress of the unfinished pass that got furthest, and counts the unfinished ones.
func (d *disk) joinOpen() int {
	all, reads := map[int][]Sample{}, map[int][]Sample{}
	for seq, samples := range d.pending {
		samples = inOrder(samples, bySample)
		if all[seq/2] = addSamples(all[seq/2], samples); seq%2 == 0 {
			reads[seq/2] = samples
		}
	}
	last := -1
	for pass, samples := range all {
		if last < 0 || cmp.Or(bySample(samples[len(samples)-1], all[last][len(all[last])-1]), cmp.Compare(pass, last)) > 0 {
			last = pass
		}
	}
	d.trace.Open, d.trace.OpenRead = all[last], reads[last]
	return len(all)
}

// Direction is what the disk moved in one direction: all, none, or a part if it reads and writes at once.
func (t *DiskRecord) Direction(op Role) *DiskRecord {
	out := &DiskRecord{Name: t.Name, Op: op}
	if !t.Both {
		if t.Op == op {
			out.Files, out.Open = t.Files, t.Open
		}
		return out
	}
	for _, f := range t.Files {
		half := f.Progress.Read
		if op == Write {
			half = Half{f.Bytes - half.Bytes, subtractSamples(f.Samples(), half.Samples)}
		}
		if f.Bytes, f.Progress = half.Bytes, nil; len(half.Samples) > 0 {
			f.Progress = &Progress{Samples: half.Samples}
		}
		out.Files = append(out.Files, f)
	}
	if out.Open = t.OpenRead; op == Write {
		out.Open = subtractSamples(t.Open, t.OpenRead)
	}
	return out
}

// subtractSamples is the progress of all without that of a part of it.
func subtractSamples(all, part []Sample) []Sample {
	out := slices.Clone(all)
	var done int64
	for i := range out {
		for ; len(part) > 0 && part[0].TNS <= out[i].TNS; part = part[1:] {
			done = part[0].Bytes
		}
		out[i].Bytes -= done
	}
	return out
}
