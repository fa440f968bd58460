// Package advise says whether streams survive what other disks do beside them on a hub: yes, no, or
// too close to call; by what margin; and what to change if they do not. It asks the simulator
// (hub), and of a profile that holds observations every fit to them (model): it measures nothing.
//
// Streams survive if all of them stay clean for as long as was asked: no frame late, and no buffer
// below half (see stream). A hub that gives a disk 3 % less than its profile says is asked for
// streams that need 3 % more: near the threshold, both are equivalent.
//
// Start at Ask.
package advise

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/model"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Question is what the disks are to do together.
type Question struct {
	Parts []Part
	For   time.Duration
	Seed  uint64 // seed of the hubs drawn
}

// Part finds a disk's part; nil if it has none.
func (q *Question) Part(disk string) *Part {
	if i := indexOf(q.Parts, disk); i >= 0 {
		return &q.Parts[i]
	}
	return nil
}

// indexOf finds a disk's part; -1 if it has none.
func indexOf(parts []Part, disk string) int {
	for i := range parts {
		if parts[i].Disk == disk {
			return i
		}
	}
	return -1
}

// Part is what one disk does: streams, files as fast as it can, or occasional single requests.
type Part struct {
	Disk    string
	Op      trace.Role
	Streams []stream.Spec // nil: it moves files
	Pace    float64       // maximum rate of files in bytes per second; 0: as fast as it can
	Probe   bool          // only single requests, which slow nothing down
	OwnPort bool          // it is not on the hub
}

func (p *Part) movesFiles() bool { return len(p.Streams) == 0 && !p.Probe }

// streamRate is the rate of its streams, in bytes per second.
func (p *Part) streamRate() float64 { return stream.TotalRate(p.Streams) }

// Judgement is the answer in one word.
type Judgement string

// The verdicts.
const (
	Yes    Judgement = "yes"
	No     Judgement = "no"
	Unsure Judgement = "unsure" // too close to call
)

// sureShare is the share of the hubs simulated that must agree.
const sureShare = 0.95

// Reply is what the model says.
type Reply struct {
	Verdict Judgement `json:"verdict"`
	// Margin is the factor by which the streams' rates could grow and stay clean; below 1: they
	// must shrink.
	Margin float64 `json:"margin"`
	// Its 95 % interval, if the profile holds observations.
	MarginLow  float64        `json:"margin_low,omitempty"`
	MarginHigh float64        `json:"margin_high,omitempty"`
	Streams    []StreamResult `json:"streams"`
	Advice     []Remedy       `json:"advice"` // each turns the answer to yes; none if it is yes

	Profile string  `json:"profile"`
	ForS    float64 `json:"for_s"`
	// Hubs is how many hubs were asked that agree with the profile's observations; 0 if it has
	// none.
	Hubs    int      `json:"hubs,omitempty"`
	Clean   int      `json:"clean,omitempty"` // hubs on which all streams stay clean
	Regimes []Regime `json:"regimes,omitempty"`
	Texts   Texts    `json:"texts"`
}

// Texts are the answer in words.
type Texts struct {
	Answer      string   `json:"answer"`
	Sure        string   `json:"sure"`
	Assumptions []string `json:"assumptions,omitempty"`
}

// StreamResult is the outcome of a disk's streams of one kind by the profile's own figures: the
// worst of them if they differ.
type StreamResult struct {
	Disk          string         `json:"disk"`
	Op            trace.Role     `json:"op"`
	Kind          string         `json:"kind"`
	Count         int            `json:"count"`
	Rate          float64        `json:"rate_bps"` // rate of one stream
	Due           int            `json:"due"`      // frames due of all streams
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
func Ask(p *hub.Profile, q Question) (*Reply, error) {
	hubs, refused, err := model.Candidates(p, q.Seed)
	if err != nil {
		return nil, fmt.Errorf("draw hubs that agree with %s: %w", p.Name, err)
	}
	middle := model.Middle(p)
	middle.Profile.Noise = 0
	c := &ensemble{middle: middle, hubs: hubs, refused: refused, length: q.For}
	regimes, err := c.regimes(q.Parts)
	if err != nil {
		return nil, err
	}
	worst := slices.MinFunc(regimes, func(a, b playResult) int {
		return cmp.Compare(a.lowest(), b.lowest())
	})
	a := &Reply{Streams: worst.streams, Advice: []Remedy{}, Profile: p.Name, ForS: q.For.Seconds(),
		Hubs: len(hubs)}
	if len(regimes) > 1 {
		for _, r := range regimes {
			a.Regimes = append(a.Regimes, Regime{r.caches, r.clean})
		}
	}
	a.Margin = c.margin(q.Parts)
	a.Verdict = c.verdict(q.Parts, a.Margin)
	if margins := c.margins(q.Parts, a.Margin); len(margins) > 0 {
		a.Clean = len(margins) - sort.SearchFloat64s(margins, 1)
		a.MarginLow = min(a.Margin, stats.Quantile(margins, 0.025))
		a.MarginHigh = max(a.Margin, stats.Quantile(margins, 0.975))
	}
	if c.vague(a, q.Parts) {
		a.Verdict = Unsure
	} else if a.Verdict != Yes {
		a.Advice = append(a.Advice, c.advice(p, q.Parts)...)
	}
	a.Texts = Texts{Answer: a.sentence(q.Parts, worst, c), Sure: c.confidence(a, p, q.Parts),
		Assumptions: c.assumptions(p, q.Parts)}
	return a, c.err
}

// regimes plays the parts with rested caches and, if any of them fills in the time, with used-up
// ones too.
func (c *ensemble) regimes(parts []Part) ([]playResult, error) {
	first, err := c.play(parts, rested, c.length)
	c.fillTimes = first.filled
	if err != nil || len(c.fillTimes) == 0 {
		return []playResult{first}, err
	}
	second, err := c.play(parts, usedUp, c.length)
	return []playResult{first, second}, err
}

// Check refuses a question that a profile cannot answer.
func (q *Question) Check(p *hub.Profile) error {
	streams := 0
	for i := range q.Parts {
		part := &q.Parts[i]
		if p.Disk(part.Disk) == nil {
			return fmt.Errorf("disk %s: profile %s has none of that name; it has %s, and "+
				"--disk %s=2.8/2.8GB/s adds one by its data sheet",
				part.Disk, p.Name, strings.Join(p.Names(), ", "), part.Disk)
		}
		if q.Part(part.Disk) != part {
			return fmt.Errorf("disk %s cannot do two things at once; give it one", part.Disk)
		}
		streams += len(part.Streams)
		for _, s := range part.Streams {
			if q.For < 2*s.Buffer {
				return fmt.Errorf("%s is too short for streams that hold %s ahead; try %s or "+
					"longer",
					q.For, s.Buffer, 2*s.Buffer)
			}
		}
	}
	if streams == 0 {
		return fmt.Errorf("no disk plays or records anything; add --play %s=4xprores-422-hq-uhd-25",
			p.Disks[0].Name)
	}
	return nil
}

// Limits of a question.
const (
	maxStreams = 256
	minRate    = 1e5 // bytes per second
	maxRate    = 2e10
	givenFrame = 40 * time.Millisecond // 25 frames a second, for a stream given by its rate
)

// ParseStreams reads what a disk plays or records: "A=4xprores-422-hq-uhd-25", "A=4x92MB/s",
// "A=prores-422-hq-uhd-25".
func ParseStreams(text string, record bool, buffer time.Duration) (disk string, spec stream.Spec,
	err error) {
	fail := func(format string, args ...any) (string, stream.Spec, error) {
		return "", spec, fmt.Errorf("%s: %w", strictyaml.Quote(text), fmt.Errorf(format, args...))
	}
	parts := streamsForm.FindStringSubmatch(text)
	if parts == nil {
		return "", spec,
			fmt.Errorf("%s does not name a disk and its streams; try A=4xprores-422-hq-uhd-25 or "+
				"A=4x92MB/s", strictyaml.Quote(text))
	}
	disk = parts[1]
	what := parts[3]
	spec = stream.Spec{Record: record, Count: 1, Buffer: buffer}
	if parts[2] != "" {
		if spec.Count, err = strconv.Atoi(parts[2]); err != nil || spec.Count < 1 ||
			spec.Count > maxStreams {
			return fail("%s streams; try 1 to %d", parts[2], maxStreams)
		}
	}
	if c, ok := stream.CodecByName(what); ok {
		spec.Kind = c.Name
		spec.Rate = c.Rate
		spec.Frame = c.Frame
		return disk, spec, nil
	}
	if what != "" && strings.Contains(".0123456789", what[:1]) {
		rate, err := parseRate(what)
		if err != nil {
			return fail("a stream of %w", err)
		}
		spec.Kind = unit.FormatBytes(int64(rate)) + "/s"
		spec.Rate = rate
		spec.Frame = givenFrame
		return disk, spec, nil
	}
	try := "hubbench plan --codecs lists them, or give a rate such as 92MB/s"
	if near := strictyaml.Nearest(stream.WholeRate(what), stream.CodecNames()); near != "" {
		try = "try " + near
	}
	return fail("unknown codec %s; %s", strictyaml.Quote(what), try)
}

// The forms of what a disk plays or records, and of a data sheet: name, rate of reading and its
// unit, rate of writing and its unit, size of a cache and the rate after it.
var (
	streamsForm = regexp.MustCompile(`^\s*([^=]*[^=\s])\s*=\s*(?:(\d+)\s*x)?\s*(.*)$`)
	sheetForm   = regexp.MustCompile(`^\s*([^=]*[^=\s])\s*=\s*([.\d]+)\s*([A-Za-z]+(?:/s)?)?\s*` +
		`(?:/\s*([.\d]+)\s*([A-Za-z]+/s))?\s*(?:,\s*(?:cache=)?\s*([^@]+)@\s*(.+))?$`)
)

// parseRate reads a rate that a disk can have.
func parseRate(text string) (float64, error) {
	rate, err := unit.ParseRate(text)
	if err == nil && (rate < minRate || rate > maxRate) {
		err = fmt.Errorf("%s; try one from %s to %s",
			unit.FormatRate(rate), unit.FormatRate(minRate), unit.FormatRate(maxRate))
	}
	return rate, err
}

// ParsePace reads the limit of a disk's rate: "B=200MB/s".
func ParsePace(text string) (disk string, rate float64, err error) {
	disk, value, ok := strings.Cut(text, "=")
	if !ok || disk == "" {
		return "", 0, fmt.Errorf("%s does not say which disk's pace; try B=200MB/s",
			strictyaml.Quote(text))
	}
	if rate, err = parseRate(value); err != nil {
		err = fmt.Errorf("%s: a pace of %w", strictyaml.Quote(text), err)
	}
	return strings.TrimSpace(disk), rate, err
}

// dataSheet describes a disk that was never measured.
const dataSheet = "by its data sheet"

// ParseDisk reads a disk by its data sheet: "X=2.8/2.5GB/s" reads 2.8 and writes 2.5 GB/s;
// "X=2.8GB/s" does both; "X=2.8/2.5GB/s,cache=24GB@0.65GB/s" writes at 0.65 GB/s once it has
// written 24 GB.
func ParseDisk(text string) (hub.DiskModel, error) {
	fail := func(why string) (hub.DiskModel, error) {
		return hub.DiskModel{},
			fmt.Errorf("disk %s: %s; try X=2.8/2.5GB/s, or X=2.8/2.5GB/s,cache=24GB@0.65GB/s",
				strictyaml.Quote(text), why)
	}
	parts := sheetForm.FindStringSubmatch(text)
	if parts == nil {
		return fail("no name and rates")
	}
	readUnit := cmp.Or(parts[3], parts[5])
	if parts[4] != "" && !strings.HasSuffix(readUnit, "/s") {
		readUnit += "/s"
	}
	read, err := parseRate(parts[2] + readUnit)
	if err != nil {
		return fail(err.Error())
	}
	write := read
	if parts[4] != "" {
		if write, err = parseRate(parts[4] + parts[5]); err != nil {
			return fail(err.Error())
		}
	}
	d := hub.DiskModel{Name: parts[1], About: dataSheet, Read: hub.Side{Direct: read, Weight: 1},
		Write: hub.Side{Direct: write, Weight: 1}}
	if parts[6] == "" {
		return d, nil
	}
	bytes, err := unit.ParseBytes(strings.TrimSpace(parts[6]))
	if err != nil {
		return fail(err.Error())
	}
	after, err := parseRate(parts[7])
	switch {
	case err != nil:
		return fail(err.Error())
	case bytes <= 0 || after > write:
		return fail(fmt.Sprintf("a cache of %s, then %s", unit.FormatBytes(bytes),
			unit.FormatRate(after)))
	}
	d.Cache = &hub.Cache{Bytes: bytes, After: after}
	return d, nil
}

// WithDisk is the profile with one more disk on its hub: as fast there as its data sheet says and
// the hub can carry, and with a pull that is the geometric mean of the other disks'.
func WithDisk(p *hub.Profile, d hub.DiskModel) (*hub.Profile, error) {
	if p.Disk(d.Name) != nil {
		return nil, fmt.Errorf("disk %s: profile %s has one of that name; give the new one another",
			d.Name, p.Name)
	}
	out := *p
	for op, carries := range map[trace.Role]float64{trace.Read: p.Capacity.Read,
		trace.Write: p.Capacity.Write} {
		side := d.Side(op)
		side.Hub = min(side.Direct, carries)
		logs := 0.0
		for i := range p.Disks {
			logs += math.Log(p.Disks[i].Side(op).Weight)
		}
		side.Weight = math.Exp(logs / float64(max(1, len(p.Disks))))
	}
	out.Disks = append(slices.Clone(p.Disks), d)
	return &out, nil
}
