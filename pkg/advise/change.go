package advise

import (
	"fmt"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Change is something to do differently that makes the answer yes.
type Change struct {
	Kind  ChangeKind `json:"kind"`
	Text  string     `json:"text"`
	Disk  string     `json:"disk"`
	With  string     `json:"with,omitempty"`     // disk: the one to use in its place
	Disks []string   `json:"disks,omitempty"`    // pace: all that are throttled
	Pace  float64    `json:"pace_bps,omitempty"` // pace: of each of them
	Count int        `json:"count,omitempty"`    // streams
}

// ChangeKind says what to change.
type ChangeKind string

// The kinds of changes.
const (
	OtherPort  ChangeKind = "port"
	OtherDisk  ChangeKind = "disk"
	Slower     ChangeKind = "pace"
	FewStreams ChangeKind = "streams"
)

// minPace is the slowest pace that is advised, in bytes per second: a slower backup is useless.
const minPace = 10e6

// advice lists the changes that turn the answer to yes: slower neighbours, ports, disks, fewer streams.
func (c *model) advice(p *hub.Profile, parts []Part) []Change {
	list := c.slower(parts)
	if on := mixOf(parts); len(on.Disks) > 1 {
		for i := range parts {
			if parts[i].OwnPort || parts[i].Probe {
				continue
			}
			if c.yes(with(parts, i, func(p *Part) { p.OwnPort = true })) {
				text := fmt.Sprintf("move %s to a port of its own", parts[i].Disk)
				list = append(list, Change{Kind: OtherPort, Disk: parts[i].Disk, Text: text})
			}
		}
	}
	return append(append(list, c.otherDisk(p, parts)...), c.fewer(parts)...)
}

// otherDisk tries to let another disk do what the streams' disk does: one that is idle, or one that moves
// files, which then swaps with it.
func (c *model) otherDisk(p *hub.Profile, parts []Part) []Change {
	var list []Change
	for i := range parts {
		part := &parts[i]
		if len(part.Streams) == 0 {
			continue
		}
		way := map[trace.Role]string{trace.Read: "from", trace.Write: "to"}[part.Op]
		for _, other := range p.Names() {
			at := slices.IndexFunc(parts, func(p Part) bool { return p.Disk == other })
			changed, text := slices.Clone(parts), fmt.Sprintf("%s %s %s", part.verb(), way, other)
			switch {
			case other == part.Disk || at >= 0 && !parts[at].moves():
				continue
			case at < 0:
				changed[i].Disk = other
				text += " instead of " + part.Disk
			default:
				a, b := &changed[i], &changed[at]
				a.Disk, b.Disk = b.Disk, a.Disk
				a.OwnPort, b.OwnPort = b.OwnPort, a.OwnPort // the port is the disk's
				text += fmt.Sprintf(" and let %s %s in its place", part.Disk, parts[at].Op)
			}
			if c.yes(changed) {
				list = append(list, Change{Kind: OtherDisk, Disk: part.Disk, With: other, Text: text})
			}
		}
	}
	return list
}

// slower finds the highest pace for each disk that moves files or, if that does not help, for all of them.
func (c *model) slower(parts []Part) []Change {
	var names []string
	for i := range parts {
		if parts[i].moves() && !parts[i].OwnPort {
			names = append(names, parts[i].Disk)
		}
	}
	var list []Change
	for _, name := range names {
		off := slices.DeleteFunc(slices.Clone(parts), func(p Part) bool { return p.Disk == name })
		if c.yes(off) { // else its trickle would help only because a third writer costs the others' rate in the model
			list = append(list, c.throttled(parts, []string{name})...)
		}
	}
	if len(list) == 0 && len(names) > 1 {
		return c.throttled(parts, names)
	}
	return list
}

// throttled finds the highest pace for some disks, the same for each.
func (c *model) throttled(parts []Part, names []string) []Change {
	fastest := 0.0
	for i := range parts {
		if p := &parts[i]; slices.Contains(names, p.Disk) {
			rate := capOf(c.middle.Profile, p)
			if p.Pace > 0 {
				rate = min(rate, p.Pace)
			}
			fastest = max(fastest, rate)
		}
	}
	at := func(pace float64) []Part {
		out := slices.Clone(parts)
		for i := range out {
			if p := &out[i]; slices.Contains(names, p.Disk) && (p.Pace == 0 || p.Pace > pace) {
				p.Pace = pace
			}
		}
		return out
	}
	if fastest <= minPace || !c.yes(at(minPace)) {
		return nil
	}
	low, high := minPace, fastest
	for high > 1.02*low {
		if pace := math.Sqrt(low * high); c.yes(at(pace)) {
			low = pace
		} else {
			high = pace
		}
	}
	pace := down(low)
	if !c.yes(at(pace)) { // slower is not always better: rounding may have made it worse
		pace = low
	}
	text := fmt.Sprintf("throttle %s to %s/s", unit.List(names), unit.FormatBytes(int64(pace)))
	if len(names) > 1 {
		text += " each"
	}
	return []Change{{Kind: Slower, Disk: names[0], Disks: names, Pace: pace, Text: text}}
}

// down rounds down to two significant figures.
func down(rate float64) float64 {
	size := math.Pow(10, math.Floor(math.Log10(rate))-1)
	return math.Floor(rate/size*(1+1e-9)) * size
}

// fewer finds the largest number of a disk's streams.
func (c *model) fewer(parts []Part) []Change {
	var list []Change
	for i := range parts {
		part := &parts[i]
		if len(part.Streams) != 1 || part.Streams[0].Count < 2 {
			continue
		}
		at := func(n int) []Part {
			return with(parts, i, func(p *Part) {
				p.Streams = []stream.Spec{part.Streams[0]}
				p.Streams[0].Count = n
			})
		}
		low, high := 0, part.Streams[0].Count
		for high-low > 1 {
			if n := (low + high) / 2; c.yes(at(n)) {
				low = n
			} else {
				high = n
			}
		}
		if low > 0 {
			text := fmt.Sprintf("let %s %s %s", part.Disk, part.verb(), unit.Plural(low, "stream"))
			list = append(list, Change{Kind: FewStreams, Disk: part.Disk, Count: low, Text: text})
		}
	}
	return list
}

func with(parts []Part, i int, change func(*Part)) []Part {
	out := slices.Clone(parts)
	change(&out[i])
	return out
}
