package advise

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/model"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
)

// verb is "play" or "record".
func (p *Part) verb() string {
	return work.Work{Op: p.Op, Streams: []stream.Spec{{Record: p.Op == trace.Write}}}.Verb().Several
}

func (p *Part) streams() (n int) {
	for _, s := range p.Streams {
		n += s.Count
	}
	return n
}

// sentence is the answer with its margin, and the first changes to try.
func (a *Reply) sentence(parts []Part, got playResult, c *ensemble) string {
	var does []string
	for i := range parts {
		if p := &parts[i]; len(p.Streams) > 0 {
			does = append(does, fmt.Sprintf("%s %ss %s", p.Disk, p.verb(),
				unit.Plural(p.streams(), "stream")))
		}
	}
	var text string
	switch others := background(parts); {
	case a.Verdict == Yes:
		return fmt.Sprintf("Yes: %s without a dropped frame%s. The hub could carry %s times the "+
			"rate%s.",
			unit.List(does), others, factorText(a.Margin), a.marginRange())
	case c.vague(a, parts):
		return fmt.Sprintf("Unknown whether %s without a dropped frame%s: the model cannot say "+
			"what each would get. Measure %s together first.", unit.List(does), others,
			nameMix(mixOf(parts)))
	case c.unmeasured(parts):
		text = fmt.Sprintf("Unknown whether %s without a dropped frame%s. %s.", unit.List(does),
			others,
			unit.Capital(c.refused))
	case a.Verdict == No:
		if got.caches == usedUp {
			others += ", once " + cachesText(parts, c.fillTimes) + " used up"
		}
		text = fmt.Sprintf("No: %s%s. The hub can carry only %s of what you need.", a.worst(),
			others, percentText(a.Margin))
	default:
		text = fmt.Sprintf("Too close to call whether %s without a dropped frame%s: the hub can "+
			"carry %s of what you need%s.", unit.List(does), others, percentText(a.Margin),
			a.marginRange())
	}
	const first = 2 // more than two are a list
	var todo []string
	for _, change := range a.Advice[:min(first, len(a.Advice))] {
		todo = append(todo, change.Text)
	}
	if len(todo) == 0 {
		return text + " No other port or disk, slower neighbour or smaller number of streams helps."
	}
	return text + " " + unit.Capital(strings.Join(todo, ", or ")) + "."
}

// marginRange is the margin's interval; empty if it is not known.
func (a *Reply) marginRange() string {
	if a.MarginHigh == 0 {
		return ""
	}
	if a.Verdict == Yes {
		return fmt.Sprintf(" (%s to %s)", factorText(a.MarginLow), factorText(a.MarginHigh))
	}
	return fmt.Sprintf(" (%s to %s)", percentText(a.MarginLow), percentText(a.MarginHigh))
}

// uncertainty is the margin's relative uncertainty, half its 95 % interval; zero if that is not
// known.
func (a *Reply) uncertainty() float64 {
	if a.MarginLow <= 0 {
		return 0
	}
	return math.Sqrt(a.MarginHigh/a.MarginLow) - 1
}

// maxUncertainty is the uncertainty above which there is no answer.
const maxUncertainty = 0.5

// vague reports whether the hubs drawn differ too much for any answer but a clear yes.
func (c *ensemble) vague(a *Reply, parts []Part) bool {
	return a.Verdict != Yes && a.uncertainty() > maxUncertainty && !c.unmeasured(parts)
}

func (a *Reply) worst() string {
	worst := a.Streams[0]
	for _, s := range a.Streams[1:] {
		if stream.Worst(s.Verdict, worst.Verdict) != worst.Verdict || s.Verdict == worst.Verdict &&
			s.Late > worst.Late {
			worst = s
		}
	}
	if worst.Late > 0 {
		return fmt.Sprintf("%s drops %s of %s frames", worst.Disk, unit.FormatCount(worst.Late),
			unit.FormatCount(worst.Due))
	}
	return fmt.Sprintf("the buffer of %s falls to %s of %s", worst.Disk,
		unit.FormatSeconds(worst.LowestBufferS),
		unit.FormatSeconds(worst.BufferS))
}

// background is " while A and B write and C reads at up to 200 MB/s"; empty if no other disk moves
// files.
func background(parts []Part) string {
	var disks []string
	does := map[string]work.Verb{}
	for i := range parts {
		if p := &parts[i]; p.movesFiles() {
			v := work.Work{Op: p.Op, Pace: p.Pace}.Does()
			if p.Pace > 0 {
				v.Several += " each"
			}
			disks = append(disks, p.Disk)
			does[p.Disk] = v
		}
	}
	if len(disks) == 0 {
		return ""
	}
	return " while " + unit.List(work.Clauses(disks, func(disk string) work.Verb {
		return does[disk]
	}, work.Verb.Of))
}

func cachesText(parts []Part, full map[string]float64) string {
	var names []string
	for i := range parts {
		if parts[i].writes() && full[parts[i].Disk] > 0 {
			names = append(names, parts[i].Disk+"'s")
		}
	}
	if len(names) == 1 {
		return names[0] + " cache is"
	}
	return unit.List(names) + " caches are"
}

// confidence says how sure the answer is, and why.
func (c *ensemble) confidence(a *Reply, p *hub.Profile, parts []Part) string {
	if a.Hubs == 0 {
		return fmt.Sprintf("Profile %s holds no observations. Its figures are assumed to be "+
			"right to ±%.0f %%, so a margin between %.2f and %.2f is too close to call.",
			p.Name, 100*model.FigureError, 1/figureMargin, figureMargin)
	}
	o := mixOf(parts)
	who := nameMix(o)
	if c.vague(a, parts) {
		return ""
	}
	if c.unmeasured(parts) {
		return fmt.Sprintf("A run of just %s would show it.", who)
	}
	text := fmt.Sprintf("The chance of clean streams is about %.0f %%, given the measurement "+
		"error.",
		100*float64(a.Clean)/float64(a.Hubs))
	if a.Clean == a.Hubs || a.Clean == 0 {
		// The rule of three: Hanley and Lippman-Hand, JAMA 249, 1983.
		chance := 300 / float64(a.Hubs)
		bound := "at most"
		if a.Clean > 0 {
			chance = 100 - chance
			bound = "at least"
		}
		text = fmt.Sprintf("The chance of clean streams is %s %.0f %%, given the measurement "+
			"error.",
			bound, chance)
	}
	if len(o.Disks) < 2 {
		return text
	}
	if a.uncertainty() <= maxUncertainty {
		text += fmt.Sprintf(" The margin of error is ±%.2g %%.", 100*a.uncertainty())
	}
	if c.hubs[0].Measured(&o) {
		return text + fmt.Sprintf(" %s were measured together.", unit.Capital(who))
	}
	return text +
		fmt.Sprintf(" %s were never measured together; a run of that would narrow it down.",
			unit.Capital(who))
}

// nameMix names a mix: "A reading and B and C writing".
func nameMix(o hub.Observation) string {
	var disks []string
	does := map[string]work.Verb{}
	for _, op := range []trace.Role{trace.Read, trace.Write} {
		for _, d := range o.Disks {
			if d.Op == op {
				disks, does[d.Disk] = append(disks, d.Disk), work.Work{Op: op}.Verb()
			}
		}
	}
	return unit.List(work.Clauses(disks, func(disk string) work.Verb { return does[disk] },
		func(v work.Verb, _ int) string { return v.Ing }))
}

func (c *ensemble) assumptions(p *hub.Profile, parts []Part) []string {
	var list []string
	if p.Source == hub.Specified {
		list = append(list, fmt.Sprintf("The figures of profile %s, which are %s, are right.",
			p.Name, p.Source.Text()))
	}
	anyMoves := false
	for i := range parts {
		part := &parts[i]
		anyMoves = anyMoves || part.movesFiles()
		switch {
		case part.Probe:
			list = append(list,
				fmt.Sprintf("The model does not know how long %s takes to answer single requests.",
					part.Disk))
			continue
		case p.Disk(part.Disk).About == dataSheet:
			d := p.Disk(part.Disk)
			list = append(list,
				fmt.Sprintf("%s was not measured: it is assumed to read %s and write %s as its "+
					"data sheet says, ±%.0f %%, as far as the hub allows, and to compete like the "+
					"other disks on average.",
					d.Name, unit.FormatRate(d.Read.Direct), unit.FormatRate(d.Write.Direct),
					100*model.FigureError))
		case len(p.Evidence.Rates) > 0 && !model.Observed(p, part.Disk, part.Op, part.OwnPort):
			way, pull := "through the hub", ", and to compete like the average disk there"
			if part.OwnPort {
				way = "on its own port"
				pull = ""
			}
			list = append(list,
				fmt.Sprintf("%s was never observed to %s %s: it is assumed to do so as fast as "+
					"the profile says, ±%.0f %%%s.", part.Disk, part.Op, way, 100*model.FigureError,
					pull))
		}
		if cache := p.Disk(part.Disk).Cache; cache != nil && part.writes() {
			list = append(list, c.cacheNote(part.Disk, cache))
		}
	}
	if anyMoves {
		list = append(list, fmt.Sprintf("Files of %s follow one another for the whole time.",
			unit.FormatBytes(fileSize)))
	}
	return list
}

func (c *ensemble) cacheNote(disk string, cache *hub.Cache) string {
	after := unit.FormatRate(cache.After)
	if at, ok := c.fillTimes[disk]; ok {
		return fmt.Sprintf("%s's fast cache of %s is full after %s, and then it writes at %s at "+
			"most: the streams must be clean before and after.",
			disk, unit.FormatBytes(cache.Bytes), unit.FormatSeconds(at), after)
	}
	return fmt.Sprintf("%s's fast cache of %s lasts for longer than the %s asked for; then it "+
		"writes at %s at most.",
		disk, unit.FormatBytes(cache.Bytes), unit.FormatSeconds(c.length.Seconds()), after)
}

// factorText is a margin with two figures, rounded down, or with three near 1.
func factorText(margin float64) string {
	places := 1
	switch {
	case margin < 0.01:
		return "less than 0.01"
	case margin < 1.1:
		places = 2
	case margin >= 10:
		places = 0
	}
	size := math.Pow(10, float64(places))
	return strconv.FormatFloat(math.Floor(margin*size*(1+1e-9))/size, 'f', places, 64)
}

// percentText is a share in whole percent, rounded down.
func percentText(share float64) string {
	if share < 0.01 {
		return "less than 1 %"
	}
	return fmt.Sprintf("%.0f %%", math.Floor(100*share*(1+1e-9)))
}
