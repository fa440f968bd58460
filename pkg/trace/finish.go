package trace

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// finish puts everything in order and infers what no line said.
func (b *builder) finish() {
	switch {
	case !b.declared && len(b.run.Phases) == 0:
		b.warnf("no events")
	case !b.declared:
		b.warnf("no run line: disks taken from the events")
	case !b.ended:
		b.warnf("no end line: the run was cut short, or is still going")
	}
	// Phases of a run that did not get to its end, and that nothing says the end of, are partial. If it says that of none,
	// as a trace need not, only the last was surely going on.
	if phases := b.run.Phases; b.declared && !b.ended || b.run.Status == Partial {
		if !slices.ContainsFunc(phases, func(p *Phase) bool { return p.Status != "" }) {
			phases = phases[max(0, len(phases)-1):]
		}
		for _, p := range phases {
			p.Status = cmp.Or(p.Status, Partial)
		}
	}
	for _, p := range b.run.Phases {
		for _, name := range slices.Sorted(maps.Keys(p.Roles)) {
			if b.declared && !b.knows(name) {
				b.warnf("phase %s: disk %s is not in the run line", p.Name, name)
			}
			b.know(Disk{Name: name})
		}
	}
	for _, p := range b.run.Phases {
		b.finishPhase(b.phases[p.Name])
	}
	for i, format := range [leftKinds]string{
		repeated:    "repeated file lines: each is counted once, %d are left out (%s)",
		overlapping: "overlapping files of a disk that otherwise moved one at a time: %d are left out (%s)",
	} {
		if left := b.left[i]; left.n > 0 {
			b.warnf(format, left.n, few(left.where))
		}
	}
}

func (b *builder) finishPhase(t *phase) {
	if t.Roles == nil {
		t.Roles = map[string]Role{}
	}
	slices.SortStableFunc(t.Gauges, func(a, b Gauge) int { return cmp.Compare(a.TNS, b.TNS) })
	var joining sync.WaitGroup // Millions of files take a while.
	for _, d := range t.disks {
		joining.Go(func() {
			d.trace.Files = slices.Concat(d.files...)
			d.files = nil // Its memory is free.
		})
	}
	joining.Wait()
	traces := map[string]*DiskRecord{}
	for _, d := range t.disks {
		b.finishDisk(d, t.Phase)
		t.Roles[d.trace.Name], traces[d.trace.Name] = d.trace.Op, d.trace
	}
	for _, disk := range b.run.Disks {
		if d := traces[disk.Name]; d != nil {
			t.Disks = append(t.Disks, d)
		} else if role := t.Roles[disk.Name]; role == Read || role == Write {
			t.Disks = append(t.Disks, &DiskRecord{Name: disk.Name, Op: role})
		} else {
			t.Roles[disk.Name] = Idle
		}
	}
}

func (b *builder) finishDisk(d *disk, phase *Phase) {
	t, role := d.trace, phase.Roles[d.trace.Name]
	warnf := func(format string, args ...any) {
		b.warnf("phase %s: "+format, append([]any{phase.Name}, args...)...)
	}
	if t.Op = cmp.Or(t.Op, role); t.Op == "" {
		warnf("the role of disk %s is not recorded; reading is assumed", t.Name)
		t.Op = Read
	}
	first := t.Op
	if t.Both = phase.Work[t.Name].Reads > 0; t.Both {
		t.Op = cmp.Or(role, t.Op)
	} else if d.others != nil {
		warnf("disk %s both reads and writes; all its files count as %s", t.Name, t.Op)
	}
	if (role == Read || role == Write) && role != t.Op {
		warnf("disk %s has the role %s, but its files are of op %s", t.Name, role, t.Op)
	}
	t.tidy()
	files, others := t.Files, slices.Concat(d.others...)
	var open, dropped int
	if !t.Both {
		open, dropped = b.finishFiles(t, append(files, others...), d.pending, phase)
	} else {
		if first == Write {
			files, others = others, files
		}
		pending := [2]map[int][]Sample{{}, {}}
		for seq, samples := range d.pending {
			pending[seq&1][seq] = samples
		}
		t.Reads, t.Writes = &DiskRecord{Name: t.Name, Op: Read}, &DiskRecord{Name: t.Name, Op: Write}
		openReads, droppedReads := b.finishFiles(t.Reads, files, pending[0], phase)
		openWrites, droppedWrites := b.finishFiles(t.Writes, others, pending[1], phase)
		open, dropped = max(openReads, openWrites), droppedReads+droppedWrites
		t.Files = join(t.Reads.Files, t.Writes.Files)
		t.Open = addSamples(t.Reads.Open, t.Writes.Open)
	}
	if open > 1 {
		warnf("disk %s left %d files unfinished; the progress of the last is kept", t.Name, open)
	}
	if dropped > 0 {
		warnf("disk %s: progress samples out of order or beyond their file dropped: %d", t.Name, dropped)
	}
}

// finishFiles puts a disk's files in order, each with its progress, and keeps the progress of the unfinished one that got
// furthest in time. It counts the unfinished ones, and the samples that it drops.
func (b *builder) finishFiles(
	t *DiskRecord, files []File, pending map[int][]Sample, phase *Phase,
) (open, dropped int) {
	t.Files = files
	for i := 0; i < len(t.Files) && len(pending) > 0; i++ { // progress that came after its file's own line
		f := &t.Files[i]
		for _, s := range pending[f.Seq] {
			f.AddSample(s)
		}
		delete(pending, f.Seq)
	}
	for _, samples := range pending {
		samples = inOrder(samples, bySample)
		if len(t.Open) == 0 || bySample(samples[len(samples)-1], t.Open[len(t.Open)-1]) > 0 {
			t.Open = samples
		}
	}
	if n := len(t.Open); n > 0 {
		last := t.Open[n-1]
		t.Open = ascending(t.Open, Sample{t.Open[0].TNS, 0}, Sample{last.TNS, max(last.Bytes, 0)})
		dropped = n - len(t.Open)
	}
	var left [leftKinds]int
	t.Files, left = once(t.Files)
	for kind, n := range left {
		if n > 0 {
			b.left[kind].n += n
			b.left[kind].where = append(b.left[kind].where, fmt.Sprintf("phase %s, disk %s: %d", phase.Name, t.Name, n))
		}
	}
	for i := range t.Files {
		f := &t.Files[i]
		if p := f.Progress; p != nil {
			p.Samples = inOrder(p.Samples, bySample)
			n := len(p.Samples)
			p.Samples = ascending(p.Samples, Sample{f.StartNS, 0}, Sample{f.EndNS, f.Bytes})
			dropped += n - len(p.Samples)
		}
	}
	return len(pending), dropped
}

func bySample(a, b Sample) int {
	return cmp.Or(cmp.Compare(a.TNS, b.TNS), cmp.Compare(a.Bytes, b.Bytes))
}

// tidy sorts all but the files, each line once.
func (t *DiskRecord) tidy() {
	seen := map[Failure]bool{}
	t.Errors = slices.DeleteFunc(t.Errors, func(f Failure) bool {
		was := seen[f]
		seen[f] = true
		return was
	})
	t.Latencies = inOrder(t.Latencies, func(a, b Latency) int {
		if order := cmp.Or(cmp.Compare(a.TNS, b.TNS), cmp.Compare(a.Op, b.Op)); order != 0 {
			return order
		}
		return cmp.Or(cmp.Compare(a.Hist.TotalCount(), b.Hist.TotalCount()),
			cmp.Compare(a.Hist.Mean(), b.Hist.Mean()))
	})
	for i := range t.Streams {
		t.Streams[i].Samples = inOrder(t.Streams[i].Samples, func(a, b StreamSample) int {
			return cmp.Or(cmp.Compare(a.TNS, b.TNS), cmp.Compare(a.Due, b.Due), cmp.Compare(a.Late, b.Late),
				cmp.Compare(a.BufferNS, b.BufferNS), cmp.Compare(a.StallNS, b.StallNS))
		})
	}
}

// inOrder returns the values sorted, each once.
func inOrder[V any](values []V, by func(a, b V) int) []V {
	if !slices.IsSortedFunc(values, by) {
		slices.SortFunc(values, by)
	}
	return slices.CompactFunc(values, func(a, b V) bool { return by(a, b) == 0 })
}

// ascending returns the sorted samples, in place, that lie between from and to and do not go backwards.
func ascending(samples []Sample, from, to Sample) []Sample {
	return slices.DeleteFunc(samples, func(s Sample) bool {
		if s.TNS < from.TNS || s.TNS > to.TNS || s.Bytes < from.Bytes || s.Bytes > to.Bytes {
			return true
		}
		from = s
		return false
	})
}

// few joins only as many as are readable.
func few(words []string) string {
	const limit = 4
	if n := len(words) - limit; n > 0 {
		return fmt.Sprintf("%s; and %d more", strings.Join(words[:limit], "; "), n)
	}
	return strings.Join(words, "; ")
}
