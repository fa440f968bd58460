package trace

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
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
	// Phases of a run that did not get to its end, and that nothing says the end of, are partial.
	// If it says that of none, as a trace need not, only the last was surely going on.
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
	if b.left > 0 {
		b.warnf("repeated file lines, and files that overlap others of a disk that moved one at "+
			"a time: "+
			"%d are left out (%s)", b.left, few(b.leftAt))
	}
}

func (b *builder) finishPhase(t *phase) {
	if t.Roles == nil {
		t.Roles = map[string]Role{}
	}
	slices.SortStableFunc(t.Gauges, func(a, b Gauge) int { return cmp.Compare(a.TNS, b.TNS) })
	traces := map[string]*DiskRecord{}
	for _, d := range t.disks {
		b.finishDisk(d, t.Phase)
		t.Roles[d.trace.Name] = d.trace.Op
		traces[d.trace.Name] = d.trace
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
	t := d.trace
	role := phase.Roles[d.trace.Name]
	warnf := func(format string, args ...any) {
		b.warnf("phase %s: "+format, append([]any{phase.Name}, args...)...)
	}
	if t.Op = cmp.Or(t.Op, role); t.Op == "" {
		warnf("the role of disk %s is not recorded; reading is assumed", t.Name)
		t.Op = Read
	}
	if t.Both = d.directions != nil; t.Both {
		t.Op = cmp.Or(role, t.Op)
	} else if d.mixed {
		warnf("disk %s both reads and writes; all its files count as %s", t.Name, t.Op)
	}
	if (role == Read || role == Write) && role != t.Op {
		warnf("disk %s has the role %s, but its files are of op %s", t.Name, role, t.Op)
	}
	slices.SortStableFunc(t.Latencies, func(a, b Latency) int { return cmp.Compare(a.TNS, b.TNS) })
	for i := range t.Streams {
		slices.SortStableFunc(t.Streams[i].Samples, func(a, b StreamSample) int {
			return cmp.Compare(a.TNS, b.TNS)
		})
	}
	open, dropped := b.finishFiles(d, phase)
	if t.Both {
		reads := d.directions[0]
		writes := d.directions[1]
		t.Reads = reads.trace
		t.Writes = writes.trace
		openReads, droppedReads := b.finishFiles(reads, phase)
		openWrites, droppedWrites := b.finishFiles(writes, phase)
		open = max(openReads, openWrites)
		dropped = droppedReads + droppedWrites
		t.Files = join(t.Reads.Files, t.Writes.Files)
		t.Open = addSamples(t.Reads.Open, t.Writes.Open)
	}
	if open > 1 {
		warnf("disk %s left %d files unfinished; the progress of the last is kept", t.Name, open)
	}
	if dropped > 0 {
		warnf("disk %s: progress samples out of order or beyond their file dropped: %d", t.Name,
			dropped)
	}
}

// takeFiles returns the files of the lines read, and forgets these, so that their memory is free.
func (d *disk) takeFiles() []File {
	files := slices.Grow([]File(nil), d.count)
	for _, block := range d.files {
		for i := range block {
			n := &block[i]
			files = append(files, File{Seq: int(n.seq), Bytes: n.bytes, StartNS: n.startNS,
				EndNS: n.endNS, Filler: n.filler})
		}
	}
	for _, p := range d.progress {
		files[p.at].Progress = p.Progress
	}
	d.files = nil
	d.progress = nil
	return files
}

// finishFiles puts a disk's files in order, each with its progress, and keeps the progress of the
// unfinished one that got furthest in time. It counts the unfinished ones, and the samples that it
// drops.
func (b *builder) finishFiles(d *disk, phase *Phase) (open, dropped int) {
	t := d.trace
	t.Files = d.takeFiles()
	// Progress that came after its file's own line.
	for i := 0; i < len(t.Files) && len(d.pending) > 0; i++ {
		f := &t.Files[i]
		for _, s := range d.pending[f.Seq] {
			f.AddSample(s)
		}
		delete(d.pending, f.Seq)
	}
	var last []Sample
	for _, samples := range d.pending {
		slices.SortFunc(samples, bySample)
		if last == nil || bySample(samples[len(samples)-1], last[len(last)-1]) > 0 {
			last = samples
		}
	}
	if n := len(last); n > 0 {
		t.Open = ascending(last, Sample{last[0].TNS, 0},
			Sample{last[n-1].TNS, max(last[n-1].Bytes, 0)})
		dropped = n - len(t.Open)
	}
	all := len(t.Files)
	t.Files = once(t.Files)
	if left := all - len(t.Files); left > 0 {
		b.left += left
		b.leftAt = append(b.leftAt, fmt.Sprintf("phase %s, disk %s: %d", phase.Name, t.Name, left))
	}
	for i := range t.Files {
		f := &t.Files[i]
		if p := f.Progress; p != nil {
			slices.SortFunc(p.Samples, bySample)
			n := len(p.Samples)
			p.Samples = ascending(p.Samples, Sample{f.StartNS, 0}, Sample{f.EndNS, f.Bytes})
			dropped += n - len(p.Samples)
		}
	}
	return len(d.pending), dropped
}

func bySample(a, b Sample) int {
	return cmp.Or(cmp.Compare(a.TNS, b.TNS), cmp.Compare(a.Bytes, b.Bytes))
}

// ascending returns the sorted samples, in place, that lie between from and to and do not go
// backwards.
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
