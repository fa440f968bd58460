package trace

import (
	"cmp"
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
	add := func(f File, read *Half) {
		f.Seq /= 2
		i, ok := at[f.Seq]
		if !ok {
			at[f.Seq] = len(passes)
			f.Read = read
			passes = append(passes, f)
			return
		}
		pass := &passes[i]
		pass.StartNS, pass.EndNS = min(pass.StartNS, f.StartNS), max(pass.EndNS, f.EndNS)
		pass.Bytes += f.Bytes
		pass.Samples = addSamples(pass.Samples, f.Samples)
	}
	for _, f := range reads {
		add(f, &Half{f.Bytes, f.Samples})
	}
	for _, f := range writes {
		add(f, &Half{})
	}
	slices.SortStableFunc(passes, byStart)
	return passes
}

// addSamples is the progress of two together: the sum of both at every instant at which one of them is known.
func addSamples(a, b []Sample) []Sample {
	out := make([]Sample, 0, max(len(a), len(b)))
	var doneA, doneB int64
	for len(a) > 0 || len(b) > 0 {
		at := Sample{}
		if len(b) == 0 || len(a) > 0 && a[0].TNS < b[0].TNS {
			at.TNS = a[0].TNS
		} else {
			at.TNS = b[0].TNS
		}
		for ; len(a) > 0 && a[0].TNS == at.TNS; a = a[1:] {
			doneA = a[0].Bytes
		}
		for ; len(b) > 0 && b[0].TNS == at.TNS; b = b[1:] {
			doneB = b[0].Bytes
		}
		at.Bytes = doneA + doneB
		out = append(out, at)
	}
	return out
}

// joinOpen keeps the progress of the unfinished pass that got furthest, and counts the unfinished ones.
func (d *diskBuilder) joinOpen() int {
	all, reads := map[int][]Sample{}, map[int][]Sample{}
	for seq, samples := range d.pending {
		samples = inOrder(samples)
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
func (t *DiskTrace) Direction(op Role) *DiskTrace {
	out := &DiskTrace{Name: t.Name, Op: op}
	if !t.Both {
		if t.Op == op {
			out.Files, out.Open = t.Files, t.Open
		}
		return out
	}
	for _, f := range t.Files {
		half := *f.Read
		if op == Write {
			half = Half{f.Bytes - half.Bytes, subtractSamples(f.Samples, half.Samples)}
		}
		out.Files = append(out.Files, File{Seq: f.Seq, Bytes: half.Bytes, StartNS: f.StartNS, EndNS: f.EndNS, Filler: f.Filler, Samples: half.Samples})
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
