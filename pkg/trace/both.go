package trace

import "slices"

// join makes one file of each pass of a disk that reads and writes at once, which a trace records
// as two: number 2k is what was read, 2k+1 what was written. What is said of files then holds of
// passes.
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
			pass.StartNS = min(pass.StartNS, f.StartNS)
			pass.EndNS = max(pass.EndNS, f.EndNS)
			pass.Bytes += f.Bytes
			if samples := addSamples(pass.Samples(), f.Samples()); len(samples) > 0 {
				pass.Progress = &Progress{samples}
			}
		}
	}
	slices.SortStableFunc(passes, byStart)
	return passes
}

// addSamples returns the progress of two together: the sum of both at every instant at which one of
// them is known.
func addSamples(a, b []Sample) []Sample {
	var steps []Sample // the bytes since the sample before of the same
	for _, samples := range [][]Sample{a, b} {
		before := int64(0)
		for _, s := range samples {
			steps = append(steps, Sample{s.TNS, s.Bytes - before})
			before = s.Bytes
		}
	}
	slices.SortFunc(steps, bySample)
	sums := steps[:0]
	sum := int64(0)
	for i, s := range steps {
		sum += s.Bytes
		if i+1 == len(steps) || steps[i+1].TNS != s.TNS {
			sums = append(sums, Sample{s.TNS, sum})
		}
	}
	return sums
}

// Direction returns what the disk moved in one direction: all, none, or a part if it reads and
// writes at once.
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
