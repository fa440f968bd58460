package trace

import (
	"fmt"
	"slices"
	"strings"
)

// another takes a second run line: of the same run, or of one like it that was recorded behind it.
func (b *builder) another(e *Event) error {
	if e.Name != b.run.Name || !slices.Equal(e.Disks, b.declared) {
		return fmt.Errorf("second run line, of another run: a trace holds one run, analyse the parts one by one")
	}
	b.headers++
	return nil
}

// restart begins a phase that has begun before.
func (b *builder) restart(p *phaseBuilder) *phaseBuilder {
	next := &phaseBuilder{phase: &Phase{Name: p.phase.Name}, earlier: append(p.earlier, p)}
	p.earlier = nil
	b.phases[p.phase.Name] = next
	b.last, b.lastIn = nil, ""
	return next
}

// choose leaves one take of each phase: the last complete one, else the last in which a file was moved, else the last.
func (b *builder) choose() {
	var names []string
	left := 0
	for i, phase := range b.run.Phases {
		last := b.phases[phase.Name]
		if len(last.earlier) == 0 {
			continue
		}
		takes := append(last.earlier, last)
		last.earlier = nil
		best := takes[0]
		files, begun := 0, 0
		for _, take := range takes {
			if take.worth() >= best.worth() {
				best = take
			}
			if n := take.files(); n > 0 || take.phase.Status != "" {
				files += n
				begun++
			}
		}
		if begun > 1 {
			names = append(names, fmt.Sprintf("%s (%d times)", phase.Name, begun))
			left += files - best.files()
		}
		b.phases[phase.Name] = best
		b.run.Phases[i] = best.phase
	}
	if b.headers > 1 {
		b.warnf("%d run lines of one name and the same disks: counted as one run", b.headers)
	}
	if len(names) > 0 {
		b.warnf("phases recorded more than once: %s; the last complete one of each is counted, %d file lines of the others are left out", few(names), left)
	}
}

// worth orders the takes of a phase.
func (p *phaseBuilder) worth() int {
	switch {
	case p.phase.Status == Complete:
		return 2
	case p.files() > 0:
		return 1
	}
	return 0
}

func (p *phaseBuilder) files() int {
	n := 0
	for _, d := range p.disks {
		n += d.files.len() + d.others.len()
	}
	return n
}

// tally counts lines that are left out, and says where.
type tally struct {
	n     int
	where []string
}

func (t *tally) add(n int, phase, disk string) {
	if n > 0 {
		t.n += n
		t.where = append(t.where, fmt.Sprintf("phase %s, disk %s: %d", phase, disk, n))
	}
}

// warnLeftOut says which file lines do not count.
func (b *builder) warnLeftOut() {
	if t := b.repeated; t.n > 0 {
		b.warnf("repeated file lines: each is counted once, %d are left out (%s)", t.n, few(t.where))
	}
	if t := b.again; t.n > 0 {
		b.warnf("files with the number of another one and overlapping times: the first of each number is counted, %d are left out (%s)", t.n, few(t.where))
	}
	if t := b.overlapping; t.n > 0 {
		b.warnf("overlapping files of a disk that otherwise moved one at a time: %d are left out (%s)", t.n, few(t.where))
	}
}

// few joins only as many as are readable.
func few(words []string) string {
	const limit = 4
	if n := len(words) - limit; n > 0 {
		return fmt.Sprintf("%s; and %d more", strings.Join(words[:limit], "; "), n)
	}
	return strings.Join(words, "; ")
}
