package trace

import (
	"cmp"
	"maps"
	"slices"
)

// finish puts everything in order and infers what no line said.
func (b *builder) finish() {
	switch {
	case b.headers == 0 && len(b.run.Phases) == 0:
		b.warnf("no events")
	case b.headers == 0:
		b.warnf("no run line: disks taken from the events")
	case !b.ended:
		b.warnf("no end line: the run was cut short, or is still going")
	}
	b.choose()
	if b.headers > 0 && !b.ended || b.run.Status == Partial {
		b.cutShort()
	}
	for _, p := range b.run.Phases {
		for _, disk := range slices.Sorted(maps.Keys(p.Roles)) {
			if b.knows(disk) {
				continue
			}
			if b.headers > 0 {
				b.warnf("phase %s: disk %s is not in the run line", p.Name, disk)
			}
			b.run.Disks = append(b.run.Disks, Disk{Name: disk})
		}
	}
	for _, p := range b.run.Phases {
		b.finishPhase(b.phases[p.Name])
	}
	b.warnLeftOut()
}

// cutShort marks the phases that a run which did not get to its end says no end of. If it says that of none, as runs did
// before there was a line for it, only the last was surely going on.
func (b *builder) cutShort() {
	phases := b.run.Phases
	if !slices.ContainsFunc(phases, func(p *Phase) bool { return p.Status != "" }) {
		phases = phases[max(0, len(phases)-1):]
	}
	for _, p := range phases {
		p.Status = cmp.Or(p.Status, Partial)
	}
}

func (b *builder) finishPhase(p *phaseBuilder) {
	if p.phase.Roles == nil {
		p.phase.Roles = map[string]Role{}
	}
	slices.SortStableFunc(p.phase.Gauges, func(a, b Gauge) int { return cmp.Compare(a.TNS, b.TNS) })
	roles := p.phase.Roles
	for _, d := range p.disks {
		d.finish(b, p.phase, roles[d.trace.Name])
		roles[d.trace.Name] = d.trace.Op
	}
	for _, disk := range b.run.Disks {
		if d := slices.IndexFunc(p.disks, func(d *diskBuilder) bool { return d.trace.Name == disk.Name }); d >= 0 {
			p.phase.Disks = append(p.phase.Disks, p.disks[d].trace)
		} else if role := roles[disk.Name]; role == Read || role == Write {
			p.phase.Disks = append(p.phase.Disks, &DiskTrace{Name: disk.Name, Op: role})
		} else {
			roles[disk.Name] = Idle
		}
	}
}

func (d *diskBuilder) finish(b *builder, in *Phase, role Role) {
	t, phase := d.trace, in.Name
	if t.Op == "" {
		t.Op = role
	}
	if t.Op == "" {
		b.warnf("phase %s: the role of disk %s is not recorded; reading is assumed", phase, t.Name)
		t.Op = Read
	}
	first := t.Op
	if t.Both = in.Work[t.Name].Reads > 0; t.Both {
		t.Op = cmp.Or(role, t.Op)
	} else if len(d.others) > 0 {
		b.warnf("phase %s: disk %s both reads and writes; all its files count as %s", phase, t.Name, t.Op)
		d.files, d.others = append(d.files, d.others...), nil
	}
	if (role == Read || role == Write) && role != t.Op {
		b.warnf("phase %s: disk %s has the role %s, but its files are of op %s", phase, t.Name, role, t.Op)
	}
	t.Files = slices.Concat(d.files...)
	other := &DiskTrace{Name: t.Name, Files: slices.Concat(d.others...)}
	d.files, d.others = nil, nil // their memory is free from here on
	d.late(t.Files)
	d.late(other.Files)
	open := d.open
	if t.Both {
		open = d.joinOpen
	}
	if n := open(); n > 1 {
		b.warnf("phase %s: disk %s left %d files unfinished; the progress of the last is kept", phase, t.Name, n)
	}
	d.tidy(b, t, phase)
	if !t.Both {
		return
	}
	d.tidy(b, other, phase)
	if first == Read {
		t.Files = join(t.Files, other.Files)
	} else {
		t.Files = join(other.Files, t.Files)
	}
}

// tidy leaves out of a disk's files what cannot be counted, and says so.
func (d *diskBuilder) tidy(b *builder, t *DiskTrace, phase string) {
	left := t.once()
	b.repeated.add(left.repeated, phase, t.Name)
	b.again.add(left.again, phase, t.Name)
	b.overlapping.add(left.overlapping, phase, t.Name)
	if dropped := t.tidy(); dropped > 0 {
		b.warnf("phase %s: disk %s: progress samples out of order or beyond their file dropped: %d", phase, t.Name, dropped)
	}
}

// late attaches progress that came after its file's own line.
func (d *diskBuilder) late(files []File) {
	if len(d.pending) == 0 {
		return
	}
	for i := range files {
		f := &files[i]
		if samples, ok := d.pending[f.Seq]; ok {
			f.Samples = append(slices.Clone(f.Samples), samples...)
			delete(d.pending, f.Seq)
		}
	}
}

// open keeps the progress of the unfinished file that got furthest in time, and counts the unfinished ones.
func (d *diskBuilder) open() int {
	for _, samples := range d.pending {
		slices.SortFunc(samples, bySample)
		if len(d.trace.Open) == 0 || bySample(samples[len(samples)-1], d.trace.Open[len(d.trace.Open)-1]) > 0 {
			d.trace.Open = samples
		}
	}
	return len(d.pending)
}

func bySample(a, b Sample) int {
	return cmp.Or(cmp.Compare(a.TNS, b.TNS), cmp.Compare(a.Bytes, b.Bytes))
}

// tidy sorts samples, and drops those that lie outside their file or go backwards. Repeated lines
// are not counted as dropped: nothing is lost with them.
func (t *DiskTrace) tidy() (dropped int) {
	t.Errors = unique(t.Errors)
	t.Latencies = inOrderBy(t.Latencies, func(a, b Latency) int {
		return cmp.Or(cmp.Compare(a.TNS, b.TNS), cmp.Compare(a.Op, b.Op), cmp.Compare(a.Hist, b.Hist))
	})
	for i := range t.Streams {
		t.Streams[i].Samples = inOrderBy(t.Streams[i].Samples, func(a, b StreamSample) int {
			return cmp.Or(cmp.Compare(a.TNS, b.TNS), cmp.Compare(a.Due, b.Due), cmp.Compare(a.Late, b.Late))
		})
	}
	for i := range t.Files {
		f := &t.Files[i]
		f.Samples = inOrder(f.Samples)
		n := len(f.Samples)
		f.Samples = ascending(f.Samples, Sample{f.StartNS, 0}, Sample{f.EndNS, f.Bytes})
		dropped += n - len(f.Samples)
	}
	t.Open = inOrder(t.Open)
	if n := len(t.Open); n > 0 {
		last := t.Open[n-1]
		t.Open = ascending(t.Open, Sample{t.Open[0].TNS, 0}, Sample{last.TNS, max(last.Bytes, 0)})
		dropped += n - len(t.Open)
	}
	return dropped
}

// inOrder returns the samples sorted, each once.
func inOrder(samples []Sample) []Sample { return inOrderBy(samples, bySample) }

// inOrderBy returns the values sorted, each once.
func inOrderBy[V comparable](values []V, by func(a, b V) int) []V {
	if !slices.IsSortedFunc(values, by) {
		slices.SortFunc(values, by)
	}
	return slices.Compact(values)
}

// unique returns the failures, each once.
func unique(failures []Failure) []Failure {
	if len(failures) < 2 {
		return failures
	}
	seen := make(map[Failure]bool, len(failures))
	return slices.DeleteFunc(failures, func(f Failure) bool {
		if seen[f] {
			return true
		}
		seen[f] = true
		return false
	})
}

// ascending returns the sorted samples, in place, that lie between from and to and do not go backwards.
func ascending(samples []Sample, from, to Sample) []Sample {
	kept := samples[:0]
	for _, s := range samples {
		if s.TNS < from.TNS || s.TNS > to.TNS || s.Bytes < from.Bytes || s.Bytes > to.Bytes {
			continue
		}
		kept = append(kept, s)
		from = s
	}
	return kept
}
