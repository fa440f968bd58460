// Package advise says whether streams survive what other disks do beside them on a hub: yes, no, or too close
// to call; by what margin; and what to change if they do not. It asks the model (hub), and of a profile that
// was fitted to runs every hub that agrees with these (fit): it measures nothing.
//
// Streams survive if all of them stay clean for as long as was asked: no frame late, and no buffer below half (see
// stream). A hub that gives a disk 3 % less than its profile says is asked for streams that need 3 % more: near the
// threshold, both are equivalent.
//
// Start at Ask.
//
// Stability: any version may change it.
package advise

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/fit"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Question is what the disks are to do together.
type Question struct {
	Parts []Part
	For   time.Duration
	Seed  uint64 // of the hubs drawn
}

// Part finds a disk's part; nil if it has none.
func (q *Question) Part(disk string) *Part {
	if i := slices.IndexFunc(q.Parts, func(p Part) bool { return p.Disk == disk }); i >= 0 {
		return &q.Parts[i]
	}
	return nil
}

// Part is what one disk does: streams, files as fast as it can, or occasional single requests.
type Part struct {
	Disk    string
	Op      trace.Role
	Streams []stream.Spec // nil: it moves files
	Pace    float64       // of files, bytes per second, at most; 0: as fast as it can
	Probe   bool          // only single requests, which slow nothing down
	OwnPort bool          // it is not on the hub
}

func (p *Part) moves() bool { return len(p.Streams) == 0 && !p.Probe }

// need is the rate of its streams, in bytes per second.
func (p *Part) need() float64 { return stream.TotalRate(p.Streams) }

// Verdict is the answer in one word.
type Verdict string

// The verdicts.
const (
	Yes    Verdict = "yes"
	No     Verdict = "no"
	Unsure Verdict = "unsure" // too close to call
)

const (
	// drawn is how many hubs that agree with a profile's observations are simulated.
	drawn = 100
	// sure is the share of them that must agree.
	sure = 0.95
)

// Answer is what the model says.
type Answer struct {
	Verdict Verdict `json:"verdict"`
	// Margin is the factor by which the streams' rates could grow and stay clean; below 1: they must shrink.
	Margin float64 `json:"margin"`
	// Its 95 % interval, if the profile holds observations.
	MarginLow  float64  `json:"margin_low,omitempty"`
	MarginHigh float64  `json:"margin_high,omitempty"`
	Streams    []Stream `json:"streams"`
	Advice     []Change `json:"advice"` // each turns the answer to yes; none if it is yes

	Profile string   `json:"profile"`
	ForS    float64  `json:"for_s"`
	Hubs    int      `json:"hubs,omitempty"`  // asked that agree with the profile's observations; 0: it has none
	Clean   int      `json:"clean,omitempty"` // of them, those on which all streams stay clean
	Regimes []Regime `json:"regimes,omitempty"`
	Texts   Texts    `json:"texts"`
}

// Texts are the answer in words.
type Texts struct {
	Answer      string   `json:"answer"`
	Sure        string   `json:"sure"`
	Assumptions []string `json:"assumptions,omitempty"`
}

// Stream is the outcome of a disk's streams of one kind by the profile's own figures: the worst of them if they
// differ.
type Stream struct {
	Disk          string         `json:"disk"`
	Op            trace.Role     `json:"op"`
	Kind          string         `json:"kind"`
	Count         int            `json:"count"`
	Rate          float64        `json:"rate_bps"` // of one
	Due           int            `json:"due"`      // of all
	Late          int            `json:"late"`
	LongestStallS float64        `json:"longest_stall_s"`
	LowestBufferS float64        `json:"lowest_buffer_s"`
	BufferS       float64        `json:"buffer_s"`
	Verdict       stream.Verdict `json:"verdict"`
}

// Regime is one of two initial states of disks whose caches fill in the time asked for.
type Regime struct {
	Caches cacheState `json:"caches"` // rested | used up, when it begins
	Clean  bool       `json:"clean"`
}

// Ask answers a question that passes Check by a profile.
func Ask(p *hub.Profile, q Question) (*Answer, error) {
	hubs, doubt, err := fit.Hubs(p, drawn, q.Seed)
	if err != nil {
		return nil, fmt.Errorf("draw hubs that agree with %s: %w", p.Name, err)
	}
	middle := fit.Middle(p)
	middle.Profile.Noise = 0
	c := &model{middle: middle, hubs: hubs, doubt: doubt, length: q.For}
	regimes, err := c.regimes(q.Parts)
	if err != nil {
		return nil, err
	}
	worst := slices.MinFunc(regimes, func(a, b played) int { return cmp.Compare(a.lowest(), b.lowest()) })
	a := &Answer{Streams: worst.streams, Advice: []Change{}, Profile: p.Name, ForS: q.For.Seconds(), Hubs: len(hubs)}
	if len(regimes) > 1 {
		for _, r := range regimes {
			a.Regimes = append(a.Regimes, Regime{r.caches, r.clean})
		}
	}
	a.Margin = c.margin(q.Parts)
	a.Clean = c.count(q.Parts, len(hubs))
	a.Verdict = c.verdict(q.Parts, a.Margin, a.Clean)
	a.MarginLow, a.MarginHigh = c.marginInterval(q.Parts, a.Margin)
	if c.vague(a, q.Parts) {
		a.Verdict = Unsure
	} else if a.Verdict != Yes {
		a.Advice = append(a.Advice, c.advice(p, q.Parts)...)
	}
	a.Texts = Texts{Answer: a.sentence(q.Parts, worst, c), Sure: c.confidence(a, p, q.Parts),
		Assumptions: c.assumptions(p, q.Parts)}
	return a, c.err
}

// regimes plays the parts with rested caches and, if any of them fills in the time, with used-up ones too.
func (c *model) regimes(parts []Part) ([]played, error) {
	first, err := c.play(c.middle, parts, rested, full)
	c.full = first.filled
	if err != nil || len(c.full) == 0 {
		return []played{first}, err
	}
	second, err := c.play(c.middle, parts, usedUp, full)
	return []played{first, second}, err
}

// Check refuses a question that a profile cannot answer.
func (q *Question) Check(p *hub.Profile) error {
	streams := 0
	for i := range q.Parts {
		part := &q.Parts[i]
		if p.Disk(part.Disk) == nil {
			return fmt.Errorf("disk %s: profile %s has none of that name; it has %s, and --disk %s=2.8/2.8GB/s adds one "+
				"by its data sheet",
				part.Disk, p.Name, strings.Join(p.Names(), ", "), part.Disk)
		}
		if slices.ContainsFunc(q.Parts[:i], func(other Part) bool { return other.Disk == part.Disk }) {
			return fmt.Errorf("disk %s cannot do two things at once; give it one", part.Disk)
		}
		streams += len(part.Streams)
		for _, s := range part.Streams {
			if q.For < 2*s.Buffer {
				return fmt.Errorf("%s is too short for streams that hold %s ahead; try %s or longer", q.For, s.Buffer, 2*s.Buffer)
			}
		}
	}
	if streams == 0 {
		return fmt.Errorf("no disk plays or records anything; add --play %s=4xprores-422-hq-uhd-25", p.Disks[0].Name)
	}
	return nil
}
