package scenario

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// WithTry is the phase as one try of its search: a phase that lasts as long as the search holds a value. Its name says
// what is tried, and from the second try of the same value on also which one it is.
func (p Phase) WithTry(t trace.Try, number int) Phase {
	try := p
	if t.Alone {
		try = try.Alone(t.Disk)
	}
	switch {
	case t.Kind == trace.SearchStreams:
		try = try.WithStreams(t.Disk, int(t.Value))
	case t.Unlimited:
		try = try.WithPace(t.Disk, 0)
	default:
		try = try.WithPace(t.Disk, t.Value)
	}
	try.Name = p.Name + " " + tryName(t)
	if number > 1 {
		try.Name += " " + strconv.Itoa(number)
	}
	try.Stop, try.Limit, try.Target, try.Steady = StopTime, p.Search.Hold, 0, 0
	try.Search, try.Try = nil, &t
	return try
}

// tryName says what is tried: "alone 4 streams", "212 MB/s", "no limit".
func tryName(t trace.Try) string {
	what := TryValue(t)
	if t.Alone {
		what = "alone " + what
	}
	return what
}

// TryValue is the value that is tried, in words: "4 streams", "212 MB/s", "no limit".
func TryValue(t trace.Try) string {
	switch {
	case t.Unlimited:
		return "no limit"
	case t.Kind == trace.SearchPace:
		return unit.FormatRate(t.Value)
	case t.Value == 1:
		return "1 stream"
	}
	return fmt.Sprintf("%g streams", t.Value)
}

// WithStreams is the phase with another number of streams of a disk's first kind.
func (p Phase) WithStreams(disk string, count int) Phase {
	return p.withJob(disk, func(j *Job) {
		if len(j.Streams) == 0 {
			return
		}
		j.Streams = slices.Clone(j.Streams)
		j.Streams[0].Count = count
		j.Sizes = []int64{streamSecond(j.Streams)}
	})
}

// WithPace is the phase with a disk limited to a rate, or without a limit if that is zero.
func (p Phase) WithPace(disk string, rate float64) Phase {
	return p.withJob(disk, func(j *Job) { j.Pace = rate })
}

// Alone is the phase with only one of its disks at work.
func (p Phase) Alone(disk string) Phase {
	p.Roles = maps.Clone(p.Roles)
	for d := range p.Roles {
		if d != disk {
			p.Roles[d] = trace.Idle
		}
	}
	p.Jobs = slices.DeleteFunc(slices.Clone(p.Jobs), func(j Job) bool { return j.Disk != disk })
	if label, ok := p.Connections[disk]; ok {
		p.Connections = map[string]string{disk: label}
	} else {
		p.Connections = nil
	}
	return p
}

// withJob is the phase with a change to a disk's job.
func (p Phase) withJob(disk string, change func(j *Job)) Phase {
	p.Jobs = slices.Clone(p.Jobs)
	for i := range p.Jobs {
		if p.Jobs[i].Disk == disk {
			change(&p.Jobs[i])
		}
	}
	return p
}
