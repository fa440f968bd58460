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

func (s step) rate() float64 { return float64(s.bytes) / float64(max(1, s.toNS-s.fromNS)) }

// series is what one source says about one disk in one phase.
type series struct {
	disk, phase  string
	tool, source string
	began        int64 // Unix time in ns of the zero of its steps; 0: not known
	steps        []step
	isMean       bool          // the source has no timeline: a step is a mean over a job's time
	times        []trace.Event // latencies of its requests, on the clock of steps
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

// trim drops the steps before the disk first moved more than next to nothing, and after it last
// did.
func (s *series) trim() {
	fastest := 0.0
	for _, step := range s.steps {
		fastest = max(fastest, step.rate())
	}
	var from, to int64
	for _, step := range s.steps {
		if step.rate() > idleShare*fastest {
			if to == 0 {
				from = step.fromNS
			}
			to = step.toNS
		}
	}
	s.steps = slices.DeleteFunc(s.steps, func(s step) bool {
		return s.fromNS < from || s.toNS > to
	})
}

const (
	// idleShare is the share of the fastest rate up to which a disk does not work: 1.6 % was seen
	// while elbencho waited for the system to write its cache out.
	idleShare = 0.02
	// negligibleShare is the share below which something is taken for a part of something else.
	negligibleShare = 0.01
	// tooFarApart is the difference between two counts of the same bytes, or two lengths of the
	// same time, above which they are not the same.
	tooFarApart = 0.02
	// pauseNS is a gap between steps from which on nothing was asked for, as the overlap has it. In
	// a shorter one a request was under way.
	pauseNS = 500_000_000
)

// align puts all series on the wall's clock, and sorts them by their beginning. Steps in which
// nothing moved are dropped: the disk was idle. If a phase has several sources, each must say when
// it began; otherwise its clock is its own. Logs of one name in several folders, and results of one
// job at the same time in several files, are more likely of several disks.
func (in *input) align() error {
	var list []*series
	for _, s := range in.series {
		for _, other := range in.series {
			switch {
			case s.phase != other.phase || s.source == other.source:
			case s.began <= 0:
				return fmt.Errorf("nothing says when the job of %s began, and times count from "+
					"there: record with log_unix_epoch=1, add fio's json output, or give --start "+
					"%s=TIME", s.disk, s.disk)
			case s.disk == other.disk && in.opts.Disks[s.source] == "" &&
				(filepath.Base(s.source) == filepath.Base(other.source) || s.isMean &&
					other.isMean &&
					s.began < other.began+other.end() && other.began < s.began+s.end()):
				return fmt.Errorf("%s and %s would be of one disk, %s; say of which they are, "+
					"such as --disk A=%s,B=%s", s.source, other.source, s.disk, s.source,
					other.source)
			}
		}
	}
	for _, s := range in.series {
		for i := range s.steps {
			s.steps[i].fromNS += s.began
			s.steps[i].toNS += s.began
		}
		for i := range s.times {
			s.times[i].TNS += s.began
		}
		s.steps = slices.DeleteFunc(s.steps, func(s step) bool {
			return s.bytes <= 0 || s.toNS <= s.fromNS
		})
		slices.SortStableFunc(s.steps, func(a, b step) int {
			return cmp.Compare(a.fromNS, b.fromNS)
		})
		if len(s.steps) > 0 {
			list = append(list, s)
		}
	}
	slices.SortStableFunc(list, func(a, b *series) int {
		return cmp.Compare(a.steps[0].fromNS, b.steps[0].fromNS)
	})
	if in.series = list; len(list) == 0 {
		return errors.New("no file says that bytes moved, and when; of fio, give logs of " +
			"bandwidth (write_bw_log) or json output")
	}
	return nil
}

// splitMeans says which rates are means over a job's time. If two disks worked together for a part
// of such a time, what each did in that part is not known: their phase becomes one for each disk,
// so that no rate of both is claimed.
func (in *input) splitMeans() {
	var means []string
	split := map[string]bool{}
	for _, s := range in.series {
		if !s.isMean {
			continue
		}
		means = append(means, s.disk)
		from := s.steps[0].fromNS
		to := s.end()
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
	note := "no timeline: the rates of " + unit.List(slices.Compact(means)) +
		" are means over each " +
		"job's time, and don't show how they changed"
	for _, s := range in.series {
		if split[s.phase] {
			s.phase = strings.TrimSpace(s.phase + " " + s.disk)
		}
	}
	if len(split) > 0 {
		note += "; jobs that ran together for a part of it only have a phase each, as no rate " +
			"with all disks busy is known"
	}
	in.notes = append(in.notes, note)
}

// interval is a stretch of a disk's time, and what it read and wrote in it.
type interval struct {
	fromNS, toNS int64
	bytes        [2]int64
}

// sumSteps adds steps up, over the parts between all their edges, on a clock with another zero.
func sumSteps(steps []step, zero int64) []interval {
	var edges []int64
	for i := range steps {
		s := &steps[i]
		s.fromNS -= zero
		s.toNS -= zero
		edges = append(edges, s.fromNS, s.toNS)
	}
	slices.Sort(edges)
	edges = slices.Compact(edges)
	parts := make([]interval, len(edges))
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
	return slices.DeleteFunc(parts, func(p interval) bool { return p.fromNS == p.toNS })
}

// join adds up what several jobs did to one disk in one phase.
func (in *input) join() (joined []*series) {
	byPlace := map[[2]string]*series{}
	for _, s := range in.series {
		place := [2]string{s.phase, s.disk}
		to := byPlace[place]
		if to == nil {
			byPlace[place] = s
			joined = append(joined, s)
			continue
		}
		to.steps = append(to.steps, s.steps...)
		to.times = append(to.times, s.times...)
	}
	return joined
}

// events writes the series as a trace, in which each phase has its own clock.
func (in *input) events(started time.Time) []byte {
	run := trace.Event{Type: trace.RunType, Version: trace.FormatVersion, Name: "imported"}
	if !started.IsZero() {
		run.Started = started.Format(time.RFC3339)
	}
	list := in.join()
	var phases []string
	for _, s := range list {
		if !slices.Contains(run.Disks, trace.Disk{Name: s.disk}) {
			run.Disks = append(run.Disks, trace.Disk{Name: s.disk})
		}
		if !slices.Contains(phases, s.phase) {
			phases = append(phases, s.phase)
		}
	}
	slices.SortFunc(run.Disks, func(a, b trace.Disk) int { return cmp.Compare(a.Name, b.Name) })
	out := trace.AppendEvent(nil, &run)
	for _, phase := range phases {
		line := trace.Event{Type: trace.PhaseType, Phase: cmp.Or(phase, "imported"),
			Roles: map[string]trace.Role{}, Work: map[string]work.Work{}}
		var files []byte
		release := int64(math.MaxInt64)
		for _, s := range list {
			if s.phase != phase {
				continue
			}
			release = min(release, s.steps[0].fromNS)
			var moved [2]int64
			for _, step := range s.steps {
				moved[step.op] += step.bytes
			}
			reads := float64(moved[read]) / float64(moved[read]+moved[write])
			ops := []trace.Role{trace.Write}
			if reads >= 0.5 {
				ops = []trace.Role{trace.Read}
			}
			line.Roles[s.disk] = ops[0]
			if min(reads, 1-reads) >= negligibleShare {
				ops = []trace.Role{trace.Read, trace.Write}
				line.Work[s.disk] = work.Work{Reads: math.Round(reads*100) / 100}
			}
			e := trace.Event{Phase: line.Phase, Disk: s.disk}
			files = appendFiles(files, e, sumSteps(s.steps, release), ops)
			for _, t := range s.times {
				t.Phase = e.Phase
				t.Disk = e.Disk
				t.TNS -= release
				files = trace.AppendEvent(files, &t)
			}
		}
		out = append(trace.AppendEvent(out, &line), files...)
	}
	return trace.AppendEvent(out, &trace.Event{Type: trace.EndType, Status: trace.Complete})
}

// appendFiles adds a disk's files to a trace: parts without a pause between them are one file with
// its progress. What was read and what was written at once are two files, as a trace has them; a
// direction with next to nothing is counted with the other.
func appendFiles(out []byte, e trace.Event, parts []interval, ops []trace.Role) []byte {
	for len(parts) > 0 {
		n := 1
		for n < len(parts) && parts[n].fromNS-parts[n-1].toNS < pauseNS {
			n++
		}
		for op, role := range ops {
			before := len(out)
			e.Type = trace.ProgressType
			e.Bytes = 0
			e.TNS = parts[0].fromNS
			for _, p := range parts[:n] {
				if p.fromNS > e.TNS {
					e.TNS = p.fromNS
					out = trace.AppendEvent(out, &e)
				}
				if e.Bytes += p.bytes[op]; len(ops) == 1 {
					e.Bytes += p.bytes[write]
				}
				if e.TNS = p.toNS; e.TNS < parts[n-1].toNS {
					out = trace.AppendEvent(out, &e)
				}
			}
			file := e
			file.Type = trace.FileType
			file.Op = role
			file.StartNS = parts[0].fromNS
			file.EndNS = e.TNS
			file.TNS = 0
			if e.Bytes > 0 {
				out = trace.AppendEvent(out, &file)
			} else {
				out = out[:before] // progress without a file would look like one that was cut short
			}
			e.Seq++
		}
		parts = parts[n:]
	}
	return out
}
