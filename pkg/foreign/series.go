package foreign

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
)

// The directions, as fio numbers them.
const (
	read  = 0
	write = 1
)

// step is a stretch of time, and what moved in it.
type step struct {
	op           int64
	fromNS, toNS int64
	bytes        int64
}

// series is what one source says about one disk in one phase.
type series struct {
	disk, phase  string
	tool, source string
	began        int64 // Unix time in ns of the zero of its steps; 0: not known
	steps        []step
	isMean       bool          // the source has no timeline: a step is a mean over a job's time
	times        []trace.Event // of its requests, on the clock of steps
}

func (s *series) moved() (bytes int64) {
	for _, step := range s.steps {
		bytes += step.bytes
	}
	return bytes
}

func (s *series) end() (ns int64) {
	for _, step := range s.steps {
		ns = max(ns, step.toNS)
	}
	return ns
}

// scale makes the steps' bytes add up to a sum.
func (s *series) scale(sum int64) {
	var done, scaled int64
	factor := float64(sum) / float64(s.moved())
	for i := range s.steps {
		done += s.steps[i].bytes
		upTo := int64(math.Round(float64(done) * factor))
		s.steps[i].bytes = upTo - scaled
		scaled = upTo
	}
}

// trim drops the steps before the disk first moved more than next to nothing, and after it last did.
func (s *series) trim() {
	rate := func(s step) float64 { return float64(s.bytes) / float64(max(1, s.toNS-s.fromNS)) }
	fastest := 0.0
	for _, step := range s.steps {
		fastest = max(fastest, rate(step))
	}
	isIdle := func(s step) bool { return rate(s) <= idle*fastest }
	for len(s.steps) > 0 && isIdle(s.steps[0]) {
		s.steps = s.steps[1:]
	}
	for len(s.steps) > 0 && isIdle(s.steps[len(s.steps)-1]) {
		s.steps = s.steps[:len(s.steps)-1]
	}
}

const (
	// idle is the share of the fastest rate up to which a disk does not work: 1.6 % was seen while
	// elbencho waited for the system to write its cache out.
	idle = 0.02
	// small is the share below which something is taken for a part of something else.
	small = 0.01
	// tooFarApart is the difference between two counts of the same bytes, or two lengths of the
	// same time, above which they are not the same.
	tooFarApart = 0.02
	// pauseNS is a gap between steps from which on nothing was asked for, as the overlap has it. In
	// a shorter one a request was under way.
	pauseNS = 500_000_000
)

// align puts all series on the wall's clock, and sorts them by their beginning. Steps in which
// nothing moved are dropped: the disk was idle. If a phase has several sources, each must say when
// it began; otherwise its clock is its own.
func (in *input) align() error {
	var unknown []string
	for _, s := range in.series {
		s.steps = slices.DeleteFunc(s.steps, func(s step) bool { return s.bytes <= 0 || s.toNS <= s.fromNS })
		for i := range s.steps {
			s.steps[i].fromNS += s.began
			s.steps[i].toNS += s.began
		}
		for i := range s.times {
			s.times[i].TNS += s.began
		}
		slices.SortStableFunc(s.steps, func(a, b step) int { return cmp.Compare(a.fromNS, b.fromNS) })
		for _, other := range in.series {
			if s.disk == other.disk && s.phase == other.phase && s.source < other.source &&
				filepath.Base(s.source) == filepath.Base(other.source) && in.opts.Disks[s.source] == "" {
				return fmt.Errorf("%s and %s would be of one disk, %s; say of which they are, such "+
					"as --disk A=%s,B=%s", s.source, other.source, s.disk, s.source, other.source)
			}
			if s.began <= 0 && s.phase == other.phase && s.source != other.source {
				unknown = append(unknown, s.disk)
				break
			}
		}
	}
	in.series = slices.DeleteFunc(in.series, func(s *series) bool { return len(s.steps) == 0 })
	switch {
	case len(unknown) > 0:
		return fmt.Errorf("nothing says when the job of %s began, and times count from there: record "+
			"with log_unix_epoch=1, add fio's json output, or give --start %s=TIME",
			unit.List(unknown), unknown[0])
	case len(in.series) == 0:
		return errors.New("no file says that bytes moved, and when; of fio, give logs of bandwidth " +
			"(write_bw_log) or json output")
	}
	slices.SortStableFunc(in.series, func(a, b *series) int {
		return cmp.Compare(a.steps[0].fromNS, b.steps[0].fromNS)
	})
	return nil
}

// splitMeans says which rates are means over a job's time. If two disks worked together for a part
// of such a time, what each did in that part is not known: their phase becomes one for each disk, so
// that no rate of both is claimed.
func (in *input) splitMeans() {
	var means []string
	split := map[string]bool{}
	for _, s := range in.series {
		if !s.isMean {
			continue
		}
		means = append(means, s.disk)
		from, to := s.steps[0].fromNS, s.end()
		for _, other := range in.series {
			both := min(to, other.end()) - max(from, other.steps[0].fromNS)
			if s.phase == other.phase && s.disk != other.disk && both > 0 &&
				float64(to-from) > (1+tooFarApart)*float64(both) {
				split[s.phase] = true
			}
		}
	}
	if len(means) == 0 {
		return
	}
	slices.Sort(means)
	in.notes = append(in.notes, "no timeline: the rates of "+unit.List(slices.Compact(means))+
		" are means over each job's time, and don't show how they changed")
	for _, s := range in.series {
		if split[s.phase] {
			s.phase = strings.TrimSpace(s.phase + " " + s.disk)
		}
	}
	if len(split) > 0 {
		in.notes = append(in.notes, "jobs without a timeline ran together for a part of their time "+
			"only; each has a phase of its own, as no rate with all disks busy is known")
	}
}

// part is a stretch of a disk's time, and what it read and wrote in it.
type part struct {
	fromNS, toNS int64
	bytes        [2]int64
}

// sum adds steps up, over the parts between all their edges.
func sum(steps []step) []part {
	var edges []int64
	for _, s := range steps {
		edges = append(edges, s.fromNS, s.toNS)
	}
	slices.Sort(edges)
	edges = slices.Compact(edges)
	parts := make([]part, len(edges))
	for _, s := range steps {
		at, _ := slices.BinarySearch(edges, s.fromNS)
		for done := int64(0); edges[at] < s.toNS; at++ {
			p := &parts[at]
			p.fromNS = edges[at]
			p.toNS = edges[at+1]
			share := float64(p.toNS-s.fromNS) / float64(s.toNS-s.fromNS)
			upTo := int64(float64(s.bytes) * share)
			p.bytes[s.op] += upTo - done
			done = upTo
		}
	}
	return slices.DeleteFunc(parts, func(p part) bool { return p.fromNS == p.toNS })
}

// events writes the series as a trace, in which each phase has its own clock.
func (in *input) events(started time.Time) []byte {
	run := trace.Event{Type: trace.RunType, Version: trace.FormatVersion, Name: "imported"}
	if !started.IsZero() {
		run.Started = started.Format(time.RFC3339)
	}
	var phases, disks []string
	release := map[string]int64{}
	type place struct{ phase, disk string }
	steps := map[place][]step{}
	times := map[place][]trace.Event{}
	for _, s := range in.series {
		at := place{cmp.Or(s.phase, "imported"), s.disk}
		if !slices.Contains(phases, at.phase) {
			phases = append(phases, at.phase)
			release[at.phase] = s.steps[0].fromNS
		}
		disks = append(disks, s.disk)
		steps[at] = append(steps[at], s.steps...)
		times[at] = append(times[at], s.times...)
	}
	slices.Sort(disks)
	disks = slices.Compact(disks)
	for _, disk := range disks {
		run.Disks = append(run.Disks, trace.Disk{Name: disk})
	}
	out := trace.AppendEvent(nil, &run)
	for _, phase := range phases {
		line := trace.Event{Type: trace.PhaseType, Phase: phase, Roles: map[string]trace.Role{},
			Work: map[string]work.Work{}}
		var files []byte
		for _, disk := range disks {
			at := place{phase, disk}
			line.Roles[disk] = trace.Idle
			var moved [2]int64
			for i := range steps[at] {
				steps[at][i].fromNS -= release[phase]
				steps[at][i].toNS -= release[phase]
				moved[steps[at][i].op] += steps[at][i].bytes
			}
			if len(steps[at]) == 0 {
				continue
			}
			line.Roles[disk] = trace.Read
			share := float64(moved[read]) / float64(moved[read]+moved[write])
			if share < 0.5 {
				line.Roles[disk] = trace.Write
			}
			ops := []trace.Role{line.Roles[disk]}
			if min(share, 1-share) >= small {
				ops = []trace.Role{trace.Read, trace.Write}
				line.Work[disk] = work.Work{Reads: math.Round(share*100) / 100}
			}
			event := trace.Event{Phase: phase, Disk: disk}
			files = appendFiles(files, event, sum(steps[at]), ops)
			for _, t := range times[at] {
				t.Phase = phase
				t.Disk = disk
				t.TNS -= release[phase]
				files = trace.AppendEvent(files, &t)
			}
		}
		out = append(trace.AppendEvent(out, &line), files...)
	}
	return trace.AppendEvent(out, &trace.Event{Type: trace.EndType, Status: trace.Complete})
}

// appendFiles adds a disk's files to a trace: parts without a pause between them are one file with its
// progress. What was read and what was written at once are two files, as a trace has them; a
// direction with next to nothing is counted with the other.
func appendFiles(out []byte, e trace.Event, parts []part, ops []trace.Role) []byte {
	for len(parts) > 0 {
		n := 1
		for n < len(parts) && parts[n].fromNS-parts[n-1].toNS < pauseNS {
			n++
		}
		for op, role := range ops {
			e.Bytes = 0
			e.Type, e.Op = trace.ProgressType, ""
			for i, p := range parts[:n] {
				if e.TNS = p.fromNS; i > 0 && p.fromNS > parts[i-1].toNS {
					out = trace.AppendEvent(out, &e)
				}
				if e.Bytes += p.bytes[op]; len(ops) == 1 {
					e.Bytes += p.bytes[write]
				}
				if e.TNS = p.toNS; i < n-1 {
					out = trace.AppendEvent(out, &e)
				}
			}
			file := trace.Event{Type: trace.FileType, Phase: e.Phase, Disk: e.Disk, Seq: e.Seq,
				Op: role, Bytes: e.Bytes, StartNS: parts[0].fromNS, EndNS: parts[n-1].toNS}
			if e.Bytes > 0 {
				out = trace.AppendEvent(out, &file)
			}
			e.Seq++
		}
		parts = parts[n:]
	}
	return out
}
