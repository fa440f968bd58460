package advise

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/model"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

const (
	// marginStep is how finely a margin is found, relative.
	marginStep = 0.002
	// maxFrames is how many frames are simulated one by one; streams with more are folded.
	maxFrames = 20_000
)

// margin is the largest factor for all streams' rates with which they stay clean on the middle hub.
func (c *ensemble) margin(parts []Part) float64 {
	how := c.fine(parts)
	with := func(f float64) bool {
		return c.clean(c.middle, withRates(parts, func(string) float64 { return f }), how)
	}
	_, bound := c.bounds(c.middle, parts)
	low, high := 0.0, bound*(1+2*apart)
	for high > 0 && with(high) { // ends soon: no disk gets more than it can move
		low, high = high, high*2
		if high > 1e6 {
			return low
		}
	}
	if low == 0 {
		for low = high / 2; !with(low); low /= 2 {
			if high = low; low < 1e-6 {
				return 0
			}
		}
	}
	return largest(low, high, 1+marginStep, with)
}

// largest is the largest value that passes, to within a factor: low does and high need not.
func largest(low, high, within float64, passes func(float64) bool) float64 {
	for high > low*within {
		if v := math.Sqrt(low * high); passes(v) {
			low = v
		} else {
			high = v
		}
	}
	return low
}

// fine is the detail of simulations of the middle hub.
func (c *ensemble) fine(parts []Part) detail {
	frames := 0.0
	for i := range parts {
		for _, s := range parts[i].Streams {
			frames += float64(s.Count) * c.length.Seconds() / s.Frame.Seconds()
		}
	}
	if frames > maxFrames {
		return folded
	}
	return full
}

// figureMargin is the margin that the answer needs if a profile holds no observations.
const figureMargin = 1 + model.FigureError

// marginInterval holds the margins of 95 in 100 hubs, by the share that the worst-served disk gets of what its
// streams need on each and on the middle one; zero without hubs.
func (c *ensemble) marginInterval(parts []Part, margin float64) (low, high float64) {
	n := len(c.hubs)
	if n == 0 {
		return 0, 0
	}
	served := make([]float64, n)
	for i := range c.hubs {
		served[i], _ = c.bounds(&c.hubs[i], parts)
	}
	slices.Sort(served)
	middle, _ := c.bounds(c.middle, parts)
	tail := n / 40
	return margin * min(served[tail]/middle, 1), margin * max(served[n-1-tail]/middle, 1)
}

// unmeasured reports whether the parts are a combination that was not measured, on a hub that no model explains.
func (c *ensemble) unmeasured(parts []Part) bool {
	o := mixOf(parts)
	return c.refused != "" && len(o.Disks) > 1 && !c.hubs[0].Measured(&o)
}

// verdict decides by the margin and the number of hubs on which the streams stay clean.
func (c *ensemble) verdict(parts []Part, margin float64, clean int) Verdict {
	n := len(c.hubs)
	switch {
	case c.unmeasured(parts):
		return Unsure
	case n == 0 && margin >= figureMargin, n > 0 && margin >= 1 && clean >= needed(n):
		return Yes
	case n == 0 && margin*figureMargin <= 1, n > 0 && margin < 1 && n-clean >= needed(n):
		return No
	}
	return Unsure
}

func needed(n int) int { return int(math.Ceil(sure * float64(n))) }

// count counts the hubs on which the streams stay clean. It stops once more than spare are not.
func (c *ensemble) count(parts []Part, spare int) int {
	least := map[*model.Hub]float64{}
	var all []*model.Hub
	for i := range c.hubs {
		h := &c.hubs[i]
		all = append(all, h)
		least[h], _ = c.bounds(h, parts)
	}
	// The likeliest to fail first.
	slices.SortStableFunc(all, func(a, b *model.Hub) int { return cmp.Compare(least[a], least[b]) })
	clean, failed := 0, 0
	for _, h := range all {
		if c.clean(h, parts, folded) {
			clean++
		} else if failed++; failed > spare {
			return clean
		}
	}
	return clean
}

func (c *ensemble) yes(parts []Part) bool {
	n := len(c.hubs)
	if n == 0 {
		return c.clean(c.middle, withRates(parts, func(string) float64 { return figureMargin }), c.fine(parts))
	}
	return !c.unmeasured(parts) && c.clean(c.middle, parts, c.fine(parts)) && c.count(parts, n-needed(n)) >= needed(n)
}

const (
	// apart is by how much, relative, what a disk gets and what its streams need must differ to skip the
	// simulation: frames come in steps, and rates differ from file to file.
	apart = 0.05
	// apartNoise is the same in standard deviations of a file's rate.
	apartNoise = 4
)

// states are those of caches that count: the used-up one too, if any fills in the time.
func (c *ensemble) states() []cacheState {
	if len(c.full) > 0 {
		return []cacheState{rested, usedUp}
	}
	return []cacheState{rested}
}

// bounds are the minimum and maximum of what a disk gets, relative to what its streams need, whatever the disks
// of other streams do; of the disk that gets least.
func (c *ensemble) bounds(h *model.Hub, parts []Part) (low, high float64) {
	off := offs(h, parts)
	low, high = math.Inf(1), math.Inf(1)
	for i := range parts {
		if len(parts[i].Streams) == 0 {
			continue
		}
		lowest, highest := math.Inf(1), 0.0
		for _, state := range c.states() {
			a, b := supply(withCaches(h.Profile, state), parts, i)
			lowest, highest = min(lowest, a), max(highest, b)
		}
		need := parts[i].need() / off[parts[i].Disk]
		low, high = min(low, lowest/need), min(high, highest/need)
	}
	return low, high
}

// supply is the minimum and maximum rate of a part's disk while it has something to move, over all combinations
// of the other streams, which come and go.
func supply(p *hub.Profile, parts []Part, of int) (low, high float64) {
	if parts[of].OwnPort {
		low = capOf(p, &parts[of])
		return low, low
	}
	var at []int // other disks on the hub with streams
	claims := []hub.Claim{claim(p, &parts[of])}
	for i := range parts {
		switch part := &parts[i]; {
		case i == of || part.OwnPort || part.Probe:
		case len(part.Streams) > 0:
			at = append(at, i)
		default:
			claims = append(claims, claim(p, part))
		}
	}
	low = math.Inf(1)
	for set := range 1 << len(at) {
		all := slices.Clip(claims)
		for k, i := range at {
			if set&(1<<k) != 0 {
				all = append(all, claim(p, &parts[i]))
			}
		}
		rate := hub.Share(p.Capacity, all)[0]
		low, high = min(low, rate), max(high, rate)
	}
	return low, high
}

func claim(p *hub.Profile, part *Part) hub.Claim {
	most := capOf(p, part)
	if part.Pace > 0 {
		most = min(most, part.Pace)
	}
	return hub.Claim{Op: part.Op, Cap: most, Weight: p.Disk(part.Disk).Side(part.Op).Weight}
}

// capOf is the maximum rate of a part's disk. The overhead of each file is left out: files are large.
func capOf(p *hub.Profile, part *Part) float64 {
	side := p.Disk(part.Disk).Side(part.Op)
	rate := side.Hub
	if part.OwnPort {
		rate = side.Direct
	}
	if at := side.Knee.AboveBytes; at > 0 && (len(part.Streams) > 0 || fileSize > at) {
		rate *= side.Knee.Factor
	}
	return rate
}

// clean reports whether all streams stay clean on a hub. It simulates them only if the bounds do not decide.
func (c *ensemble) clean(h *model.Hub, parts []Part, how detail) bool {
	low, high := c.bounds(h, parts)
	wide := 1 + max(apart, apartNoise*h.Profile.Noise)
	switch {
	case low >= wide:
		return true
	case high*wide <= 1 && c.drains(parts, high):
		return false
	}
	for _, state := range c.states() {
		got, err := c.play(h, parts, state, how)
		if err != nil && c.err == nil {
			c.err = err
		}
		if err != nil || !got.clean {
			return false
		}
	}
	return true
}

// drains reports whether streams that get this share of what they need use up their buffers in the time.
func (c *ensemble) drains(parts []Part, got float64) bool {
	for i := range parts {
		for _, s := range parts[i].Streams {
			if (1-got)*c.length.Seconds() < s.Buffer.Seconds() {
				return false
			}
		}
	}
	return true
}

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
func (c *ensemble) advice(p *hub.Profile, parts []Part) []Change {
	list := c.slower(parts)
	if on := mixOf(parts); len(on.Disks) > 1 {
		for i := range parts {
			if parts[i].OwnPort || parts[i].Probe {
				continue
			}
			if c.yes(with(parts, i, func(p *Part) { p.OwnPort = true })) {
				text := fmt.Sprintf("move %s to its own port", parts[i].Disk)
				list = append(list, Change{Kind: OtherPort, Disk: parts[i].Disk, Text: text})
			}
		}
	}
	return append(append(list, c.otherDisk(p, parts)...), c.fewer(parts)...)
}

// otherDisk tries to let another disk do what the streams' disk does: one that is idle, or one that moves
// files, which then swaps with it.
func (c *ensemble) otherDisk(p *hub.Profile, parts []Part) []Change {
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
func (c *ensemble) slower(parts []Part) []Change {
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
func (c *ensemble) throttled(parts []Part, names []string) []Change {
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
	low := largest(minPace, fastest, 1.02, func(pace float64) bool { return c.yes(at(pace)) })
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
func (c *ensemble) fewer(parts []Part) []Change {
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
		if n := sort.Search(part.Streams[0].Count-1, func(i int) bool { return !c.yes(at(i + 1)) }); n > 0 {
			text := fmt.Sprintf("let %s %s %s", part.Disk, part.verb(), unit.Plural(n, "stream"))
			list = append(list, Change{Kind: FewStreams, Disk: part.Disk, Count: n, Text: text})
		}
	}
	return list
}

func with(parts []Part, i int, change func(*Part)) []Part {
	out := slices.Clone(parts)
	change(&out[i])
	return out
}
