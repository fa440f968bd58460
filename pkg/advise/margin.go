package advise

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"sort"
	"time"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/model"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

const (
	// marginStep is how finely a margin is found, relative.
	marginStep = 0.002
	// maxBuffers is for how many buffers' time streams are simulated to find a margin: a shortfall
	// that takes longer to use up a buffer is less than 1 %.
	maxBuffers = 100
	// figureMargin is the margin that the answer needs if a profile holds no observations.
	figureMargin = 1 + model.FigureError
)

// margin is the largest factor for all streams' rates with which they stay clean on the middle hub.
func (c *ensemble) margin(parts []Part) float64 {
	low := 0.0
	high := c.served(c.middle, parts)
	for high > 0 && c.clean(parts, high) { // ends soon: no disk gets more than it can move
		low, high = high, high*2
		if high > 1e6 {
			return low
		}
	}
	if low == 0 {
		for low = high / 2; !c.clean(parts, low); low /= 2 {
			if high = low; low < 1e-6 {
				return 0
			}
		}
	}
	return bisectLargest(low, high, 1+marginStep, func(f float64) bool { return c.clean(parts, f) })
}

// bisectLargest is the largest value that passes, to within a factor: low does and high need not.
func bisectLargest(low, high, within float64, passes func(float64) bool) float64 {
	for high > low*within {
		if v := math.Sqrt(low * high); passes(v) {
			low = v
		} else {
			high = v
		}
	}
	return low
}

// clean reports whether all streams stay clean on the middle hub if their rates are multiplied,
// with caches rested and used up.
func (c *ensemble) clean(parts []Part, factor float64) bool {
	parts = withRates(parts, func(string) float64 { return factor })
	length := time.Duration(0)
	for i := range parts {
		for _, s := range parts[i].Streams {
			length = max(length, maxBuffers*s.Buffer)
		}
	}
	length = min(length, c.length)
	for _, state := range c.states() {
		got, err := c.play(foldStreams(parts), state, length)
		c.err = cmp.Or(c.err, err)
		if err != nil || !got.clean {
			return false
		}
	}
	return true
}

// states are those of caches that count: the used-up one too, if any fills in the time.
func (c *ensemble) states() []cacheState {
	if len(c.fillTimes) > 0 {
		return []cacheState{rested, usedUp}
	}
	return []cacheState{rested}
}

// served is what a disk gets on a hub beside all others, relative to what its streams need: of the
// disk that gets least.
func (c *ensemble) served(h *model.Candidate, parts []Part) float64 {
	least := math.Inf(1)
	off := factorsOf(h, parts)
	for _, state := range c.states() {
		p := withCaches(h.Profile, state)
		claims := []hub.Claim{}
		on := mixOf(parts)
		rates := map[string]float64{}
		for i := range parts {
			part := &parts[i]
			rate := capOf(p, part)
			if part.Pace > 0 {
				rate = min(rate, part.Pace)
			}
			rates[part.Disk] = rate
			if on.Of(part.Disk) != nil {
				weight := p.Disk(part.Disk).Side(part.Op).Weight
				claims = append(claims, hub.Claim{Op: part.Op, Cap: rate, Weight: weight})
			}
		}
		for i, rate := range hub.Share(p.Capacity, claims) {
			rates[on.Disks[i].Disk] = rate
		}
		for i := range parts {
			if need := parts[i].streamRate(); need > 0 {
				least = min(least, rates[parts[i].Disk]*off[parts[i].Disk]/need)
			}
		}
	}
	return least
}

// margins are those of the hubs that agree with the observations, sorted: the middle one's, times
// how much better each of them serves the streams.
func (c *ensemble) margins(parts []Part, margin float64) []float64 {
	middle := c.served(c.middle, parts)
	margins := make([]float64, len(c.hubs))
	for i := range c.hubs {
		margins[i] = margin * c.served(&c.hubs[i], parts) / middle
	}
	slices.Sort(margins)
	return margins
}

// unmeasured reports whether the parts are a combination that was not measured, on a hub that no
// model explains.
func (c *ensemble) unmeasured(parts []Part) bool {
	o := mixOf(parts)
	return c.refused != "" && len(o.Disks) > 1 && !c.hubs[0].Measured(&o)
}

// needed is the margin on the middle hub that makes the streams clean on as many hubs as a sure
// answer needs.
func (c *ensemble) needed(parts []Part) float64 {
	if len(c.hubs) == 0 {
		return figureMargin
	}
	return max(1, 1/stats.Quantile(c.margins(parts, 1), 1-sureShare))
}

func (c *ensemble) verdict(parts []Part, margin float64) Judgement {
	fails := margin*figureMargin <= 1
	if len(c.hubs) > 0 {
		fails = margin < 1 && stats.Quantile(c.margins(parts, margin), sureShare) < 1
	}
	switch {
	case c.unmeasured(parts):
		return Unsure
	case margin >= c.needed(parts):
		return Yes
	case fails:
		return No
	}
	return Unsure
}

func (c *ensemble) isYes(parts []Part) bool {
	return !c.unmeasured(parts) && c.clean(parts, c.needed(parts))
}

// capOf is the maximum rate of a part's disk. The overhead of each file is left out: files are
// large.
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

// Remedy is something to do differently that makes the answer yes.
type Remedy struct {
	Kind  RemedyKind `json:"kind"`
	Text  string     `json:"text"`
	Disk  string     `json:"disk"`
	With  string     `json:"with,omitempty"`     // disk: the one to use in its place
	Disks []string   `json:"disks,omitempty"`    // pace: all that are throttled
	Pace  float64    `json:"pace_bps,omitempty"` // pace: of each of them
	Count int        `json:"count,omitempty"`    // streams
}

// RemedyKind says what to change.
type RemedyKind string

// The kinds of changes.
const (
	OtherPort  RemedyKind = "port"
	OtherDisk  RemedyKind = "disk"
	Slower     RemedyKind = "pace"
	FewStreams RemedyKind = "streams"
)

// minPace is the slowest pace that is advised, in bytes per second: a slower backup is useless.
const minPace = 10e6

// advice lists the changes that turn the answer to yes: slower neighbours, ports, disks, fewer
// streams.
func (c *ensemble) advice(p *hub.Profile, parts []Part) []Remedy {
	list := c.slower(parts)
	if on := mixOf(parts); len(on.Disks) > 1 {
		for i := range parts {
			if parts[i].OwnPort || parts[i].Probe {
				continue
			}
			if c.isYes(withChange(parts, i, func(p *Part) { p.OwnPort = true })) {
				text := fmt.Sprintf("move %s to its own port", parts[i].Disk)
				list = append(list, Remedy{Kind: OtherPort, Disk: parts[i].Disk, Text: text})
			}
		}
	}
	return append(append(list, c.otherDisk(p, parts)...), c.fewer(parts)...)
}

// otherDisk tries to let another disk do what the streams' disk does: one that is idle, or one that
// moves files, which then swaps with it.
func (c *ensemble) otherDisk(p *hub.Profile, parts []Part) []Remedy {
	var list []Remedy
	for i := range parts {
		part := &parts[i]
		if len(part.Streams) == 0 {
			continue
		}
		way := map[trace.Role]string{trace.Read: "from", trace.Write: "to"}[part.Op]
		for _, other := range p.Names() {
			at := indexOf(parts, other)
			changed := slices.Clone(parts)
			text := fmt.Sprintf("%s %s %s", part.verb(), way, other)
			switch {
			case other == part.Disk || at >= 0 && !parts[at].movesFiles():
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
			if c.isYes(changed) {
				list = append(list, Remedy{Kind: OtherDisk, Disk: part.Disk, With: other,
					Text: text})
			}
		}
	}
	return list
}

// slower finds the highest pace for each disk that moves files or, if that does not help, for all
// of them.
func (c *ensemble) slower(parts []Part) []Remedy {
	var names []string
	for i := range parts {
		if parts[i].movesFiles() && !parts[i].OwnPort {
			names = append(names, parts[i].Disk)
		}
	}
	var list []Remedy
	for _, name := range names {
		i := indexOf(parts, name)
		off := slices.Delete(slices.Clone(parts), i, i+1)
		// Else its trickle would help only because a third writer costs the others' rate in the
		// model.
		if c.isYes(off) {
			list = append(list, c.throttled(parts, []string{name})...)
		}
	}
	if len(list) == 0 && len(names) > 1 {
		return c.throttled(parts, names)
	}
	return list
}

// throttled finds the highest pace for some disks, the same for each.
func (c *ensemble) throttled(parts []Part, names []string) []Remedy {
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
	if fastest <= minPace || !c.isYes(at(minPace)) {
		return nil
	}
	low := bisectLargest(minPace, fastest, 1.02, func(pace float64) bool {
		return c.isYes(at(pace))
	})
	pace := roundDown(low)
	if !c.isYes(at(pace)) { // slower is not always better: rounding may have made it worse
		pace = low
	}
	text := fmt.Sprintf("throttle %s to %s/s", unit.List(names), unit.FormatBytes(int64(pace)))
	if len(names) > 1 {
		text += " each"
	}
	return []Remedy{{Kind: Slower, Disk: names[0], Disks: names, Pace: pace, Text: text}}
}

// roundDown rounds down to two significant figures.
func roundDown(rate float64) float64 {
	size := math.Pow(10, math.Floor(math.Log10(rate))-1)
	return math.Floor(rate/size*(1+1e-9)) * size
}

// fewer finds the largest number of a disk's streams.
func (c *ensemble) fewer(parts []Part) []Remedy {
	var list []Remedy
	for i := range parts {
		part := &parts[i]
		if len(part.Streams) != 1 || part.Streams[0].Count < 2 {
			continue
		}
		at := func(n int) []Part {
			return withChange(parts, i, func(p *Part) {
				p.Streams = []stream.Spec{part.Streams[0]}
				p.Streams[0].Count = n
			})
		}
		if n := sort.Search(part.Streams[0].Count-1, func(i int) bool {
			return !c.isYes(at(i + 1))
		}); n > 0 {
			text := fmt.Sprintf("let %s %s %s", part.Disk, part.verb(), unit.Plural(n, "stream"))
			list = append(list, Remedy{Kind: FewStreams, Disk: part.Disk, Count: n, Text: text})
		}
	}
	return list
}

func withChange(parts []Part, i int, change func(*Part)) []Part {
	out := slices.Clone(parts)
	change(&out[i])
	return out
}
