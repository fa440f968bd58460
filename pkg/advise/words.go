package advise

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/fit"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// verb is what a streams' disk does.
func (p *Part) verb() string {
	if p.Op == trace.Write {
		return "record"
	}
	return "play"
}

// on is its streams on another disk.
func (p *Part) on(disk string) string {
	if p.Op == trace.Write {
		return "record to " + disk
	}
	return "play from " + disk
}

// streams is how many it has.
func (p *Part) streams() (n int) {
	for _, s := range p.Streams {
		n += s.Count
	}
	return n
}

// sentence is the answer with its margin, and with what to do first.
func (a *Answer) sentence(parts []Part, got played, c *court) string {
	var does []string
	for i := range parts {
		if p := &parts[i]; len(p.Streams) > 0 {
			does = append(does, fmt.Sprintf("%s %ss %s", p.Disk, p.verb(), unit.Plural(p.streams(), "stream")))
		}
	}
	var text string
	switch beside := beside(parts); {
	case a.Verdict == Yes:
		return fmt.Sprintf("Yes: %s without a late frame%s. Margin: %s times%s.", unit.List(does), beside, times(a.Margin), a.between())
	case c.untold(parts):
		text = fmt.Sprintf("Not known whether %s without a late frame%s: that was not measured, and the runs do not tell: %s.", unit.List(does), beside, c.doubt.Refused)
	case a.Verdict == No:
		if got.caches == usedUp {
			beside += ", once " + caches(parts, c.full) + " used up"
		}
		text = fmt.Sprintf("No: %s%s. Streams of %s times the rate would be clean.", a.worst(), beside, times(a.Margin))
	default:
		text = fmt.Sprintf("Too close to tell whether %s without a late frame%s: the margin is %s times%s.", unit.List(does), beside, times(a.Margin), a.between())
	}
	const first = 2 // more than two are a list
	var todo []string
	for _, change := range a.Advice[:min(first, len(a.Advice))] {
		todo = append(todo, change.Text)
	}
	if len(todo) == 0 {
		return text + " No other port or disk, slower neighbour or smaller number of streams makes it a yes."
	}
	return text + " " + capital(strings.Join(todo, ", or ")) + "."
}

// between is the margin's interval; empty where it is not known.
func (a *Answer) between() string {
	if a.MarginHigh == 0 {
		return ""
	}
	return fmt.Sprintf(" (%s to %s)", times(a.MarginLow), times(a.MarginHigh))
}

// worst says what becomes of the streams that fare worst.
func (a *Answer) worst() string {
	worst := a.Streams[0]
	for _, s := range a.Streams[1:] {
		if stream.Worst(s.Verdict, worst.Verdict) != worst.Verdict || s.Verdict == worst.Verdict && s.Late > worst.Late {
			worst = s
		}
	}
	if worst.Late > 0 {
		return fmt.Sprintf("%s of %s frames of %s are late", unit.FormatCount(worst.Late), unit.FormatCount(worst.Due), worst.Disk)
	}
	return fmt.Sprintf("the buffer of %s falls to %s of %s", worst.Disk, unit.FormatSeconds(worst.LowestBufferS), unit.FormatSeconds(worst.BufferS))
}

// beside is " while A and B write and C reads at up to 200 MB/s"; empty where no other disk moves files.
func beside(parts []Part) string {
	type work struct {
		op   trace.Role
		pace float64
	}
	var order []work
	disks := map[work][]string{}
	for i := range parts {
		p := &parts[i]
		if !p.moves() {
			continue
		}
		w := work{p.Op, p.Pace}
		if disks[w] == nil {
			order = append(order, w)
		}
		disks[w] = append(disks[w], p.Disk)
	}
	var does []string
	for _, w := range order {
		text := unit.List(disks[w]) + " " + string(w.op)
		if len(disks[w]) == 1 {
			text += "s"
		}
		if w.pace > 0 {
			text += " at up to " + unit.FormatBytes(int64(w.pace)) + "/s" + each(disks[w])
		}
		does = append(does, text)
	}
	if len(does) == 0 {
		return ""
	}
	return " while " + unit.List(does)
}

// caches names those that are full.
func caches(parts []Part, full map[string]float64) string {
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

// sureness says how sure the answer is, and what that hangs on.
func (c *court) sureness(a *Answer, p *hub.Profile, parts []Part) string {
	if a.Hubs == 0 {
		return fmt.Sprintf("Profile %s holds no observations. Its figures are taken to be good to %.0f %% each way, so a margin between %.2f and %.2f is too close to tell.",
			p.Name, 100*fit.FigureError, 1/figureMargin, figureMargin)
	}
	o := mixOf(parts)
	who := doing(o)
	if c.untold(parts) {
		return fmt.Sprintf("A run of just %s would tell.", who)
	}
	text := fmt.Sprintf("The streams stay clean on %d of %d hubs that agree with what was measured.", a.Clean, a.Hubs)
	if c.doubt.Misfit > fit.PoorFit && len(o.Disks) > 1 {
		text += fmt.Sprintf(" The model misses that by %.1f times its errors, and the hubs differ by as much more.", c.doubt.Misfit)
	}
	known := (math.Sqrt(a.MarginHigh/a.MarginLow) - 1) * 100 // half of what 95 in 100 lie within
	switch {
	case len(o.Disks) < 2:
		return text
	case c.hubs[0].Measured(&o):
		return text + fmt.Sprintf(" What streams get is known to %.2g %%: %s were measured together.", known, who)
	default:
		return text + fmt.Sprintf(" What streams get is known to %.2g %% only: %s were never measured together, and a run of just that would tell more.", known, who)
	}
}

// doing names a mix: "A reading and B writing".
func doing(o hub.Observation) string {
	var does []string
	for _, d := range o.Disks {
		verb := "reading"
		if d.Op == trace.Write {
			verb = "writing"
		}
		does = append(does, d.Disk+" "+verb)
	}
	return unit.List(does)
}

// assumptions are what the answer takes for granted.
func (c *court) assumptions(p *hub.Profile, parts []Part) []string {
	var list []string
	if p.Source == hub.Specified {
		list = append(list, fmt.Sprintf("The figures of profile %s are right, which are %s.", p.Name, p.Source.Text()))
	}
	for i := range parts {
		part := &parts[i]
		switch {
		case part.Probe:
			list = append(list, fmt.Sprintf("How long %s takes to answer single requests, the model does not know.", part.Disk))
			continue
		case p.Disk(part.Disk).About == dataSheet:
			list = append(list, sheetAssumption(p.Disk(part.Disk)))
		case len(p.Evidence.Rates) > 0 && !fit.Observed(p, part.Disk, part.Op, part.OwnPort):
			where := "through the hub, where it pulls as disks here do on average"
			if part.OwnPort {
				where = "on a port of its own"
			}
			list = append(list, fmt.Sprintf("%s was never observed to %s %s: it is taken to do so as fast as the profile says, give or take %.0f %%.", part.Disk, part.Op, where, 100*fit.FigureError))
		}
		if cache := p.Disk(part.Disk).Cache; cache != nil && part.writes() {
			list = append(list, c.cacheNote(part.Disk, cache))
		}
	}
	if slices.ContainsFunc(parts, func(p Part) bool { return p.moves() }) {
		list = append(list, fmt.Sprintf("Files of %s follow one another for the whole time.", unit.FormatBytes(fileSize)))
	}
	return list
}

// cacheNote says what was made of a disk's cache.
func (c *court) cacheNote(disk string, cache *hub.Cache) string {
	after := unit.FormatRate(cache.After)
	if at, ok := c.full[disk]; ok {
		return fmt.Sprintf("%s's fast cache of %s is full after %s, and then it writes at %s at most: the streams must be clean before and after.",
			disk, unit.FormatBytes(cache.Bytes), unit.FormatSeconds(at), after)
	}
	return fmt.Sprintf("%s's fast cache of %s lasts for longer than the %s asked for; then it writes at %s at most.",
		disk, unit.FormatBytes(cache.Bytes), unit.FormatSeconds(c.length.Seconds()), after)
}

// times is a margin with two figures, rounded down, or with three near 1.
func times(margin float64) string {
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

func each(names []string) string {
	if len(names) > 1 {
		return " each"
	}
	return ""
}

func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
