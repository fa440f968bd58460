package analysis

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/unit"
)

// change words an entry of the ledger, with its cause if the evidence leaves only one.
func (w writer) change(c *Change) string {
	at := fmt.Sprintf("at %.1f s ", c.StartS)
	who := unit.List(ordered(w.Order, c.Disks))
	inTotal := pick(len(c.Disks) > 1, " in total", "")
	switch c.Kind {
	case KindSwing:
		return fmt.Sprintf("%s %s between %s and %s%s, about every %s (%.0f%% of the time at "+
			"the lower rate)%s", who, pick(len(c.Disks) == 1, "swings", "swing together"),
			w.Rate(c.FromRate), w.Rate(c.ToRate), inTotal, unit.FormatSeconds(c.PeriodS),
			100*c.LowShare, causeUnknown(c))
	case KindDrift:
		went := pick(c.ToRate < c.FromRate, "slowed", "sped up")
		return fmt.Sprintf("%s %s steadily from %s to %s%s over %s%s", who, went,
			w.Rate(c.FromRate), w.Rate(c.ToRate), inTotal, unit.FormatSeconds(c.EndS-c.StartS),
			causeUnknown(c))
	case KindWarmUp:
		took := unit.FormatSeconds(c.EndS - c.StartS)
		phases := unit.List(Each(c.Phases, w.Title))
		return fmt.Sprintf("%s is slow for the first %s after a start (%s): %s, then %s", who,
			took, phases, w.Rate(c.FromRate), w.Rate(c.ToRate))
	case KindSharedFall, KindSharedRise:
		why := cmp.Or(map[string]string{
			CauseLink: "their link changed its speed at about that time",
			CauseHost: "the CPU was fully busy from then on",
		}[c.Cause],
			"the cause is something they share (a link, the hub or the computer), not one disk")
		return fmt.Sprintf("%s%s %s together to %.0f%% of their speed, from a total of %s to "+
			"%s%s: %s", at, who, pick(c.Kind == KindSharedFall, "fell", "rose"),
			100*c.ToRate/c.FromRate, w.Rate(c.FromRate), w.Rate(c.ToRate), until(c), why)
	case KindStart:
		return fmt.Sprintf("when %s started, %s", *c.By, w.shifts(c))
	case KindRedistribution:
		if c.By == nil {
			return at + w.shifts(c) + ": the hub shared the bandwidth differently, or one disk " +
				"changed and others made up for it"
		}
		rose := c.ToRate > c.FromRate
		return at + w.shifts(c) + pick(rose, ": bandwidth that "+*c.By+" left",
			": "+*c.By+" took that bandwidth")
	case KindOwnFall:
		return fmt.Sprintf("%s%s fell from %s to %s by itself%s%s", at, who, w.Rate(c.FromRate),
			w.Rate(c.ToRate), until(c), causeUnknown(c))
	default:
		return at + w.shifts(c) + until(c) + causeUnknown(c)
	}
}

// causeUnknown names the cause of a disk's own change, or says that it is unknown.
func causeUnknown(c *Change) string {
	return cmp.Or(map[string]string{
		CauseHeat: ": it was hot", CauseCacheFull: ": its write cache was full",
		CauseLink: ": its link may have fallen back to USB 2",
	}[c.Cause], unknownCause)
}

const unknownCause = " (cause unknown)"

// until says for how long a change lasted, if it was undone.
func until(c *Change) string {
	if c.EndS <= c.StartS {
		return ""
	}
	return " for " + unit.FormatSeconds(c.EndS-c.StartS)
}

// shifts says what each disk did: "A fell from 1.80 GB/s to 0.80 GB/s and B rose from 0.80 GB/s to
// 1.80 GB/s".
func (w writer) shifts(c *Change) string {
	return unit.List(Each(ordered(w.Order, c.Disks), func(name string) string {
		s := c.Of(name)
		did := pick(s.ToRate < s.FromRate, "fell", "rose")
		return fmt.Sprintf("%s %s from %s to %s", name, did, w.Rate(s.FromRate), w.Rate(s.ToRate))
	}))
}

// stall words one stall, or several of the same disks together, out of so many busy ones.
func (w writer) stall(stalls []Change, working int) string {
	first := stalls[0]
	names := ordered(w.Order, first.Disks)
	text := fmt.Sprintf("%s stalled for %s at %.1f s", unit.List(names),
		unit.FormatSeconds(first.EndS-first.StartS), first.StartS)
	if n := len(stalls); n > 1 {
		var when []string
		total := 0.0
		for _, c := range stalls {
			total += c.EndS - c.StartS
			when = append(when, fmt.Sprintf("%.1f s", c.StartS))
		}
		const listed = 4
		if n > listed {
			when = append(when[:listed], unit.Plural(n-listed, "more time"))
		}
		text = fmt.Sprintf("%s stalled %d times, for %s in total, at %s", unit.List(names), n,
			unit.FormatSeconds(total), unit.List(when))
	}
	switch {
	case first.Cause == CauseHost:
		return text + ": the computer slept or hubbench was stopped"
	case len(names) > 1 && len(names) == working:
		return text + ": the cause is the computer, the hub or the bus, not one disk"
	default:
		return text + unknownCause
	}
}

// ordered returns the names as the run lists them.
func ordered(order, names []string) []string {
	names = slices.Clone(names)
	slices.SortStableFunc(names, func(a, b string) int {
		return slices.Index(order, a) - slices.Index(order, b)
	})
	return names
}

// between says in which part of the overlap the disks are compared, if it is not all of it.
func between(p *PhaseResult) string {
	if p.Contention == nil {
		return ""
	}
	return spansText(p.Contention.Spans)
}

// spansText returns ", from 8.0 to 60.0 s"; empty for no spans.
func spansText(spans [][2]float64) string {
	if len(spans) == 0 {
		return ""
	}
	texts := Each(spans, func(s [2]float64) string {
		return fmt.Sprintf("%.1f to %.1f s", s[0], s[1])
	})
	return ", from " + strings.Join(texts, " and ")
}

// ChangeLabel names an entry of the ledger in a few words, as a chart has room for: "A and B
// recover". It asks name for what to call a disk; working is how many disks the phase has.
func ChangeLabel(c *Change, working int, name func(disk string) string) string {
	does := func(disks []string, verb, rest string) string {
		if len(disks) > 2 && len(disks) == working {
			return "all " + verb + rest
		}
		return subject(Each(disks, name), verb, rest)
	}
	verb := map[string]string{
		KindStart: "start", KindEnd: "end", KindRecovery: "recover",
		KindStall: "stall", KindWarmUp: "warm", KindSwing: "swing",
		KindDrift: pick(c.ToRate < c.FromRate, "slow", "speed"),
	}[c.Kind]
	rest := map[string]string{
		KindWarmUp: " up",
		KindDrift:  pick(c.ToRate < c.FromRate, " steadily", " up steadily"),
	}[c.Kind]
	switch {
	case c.Kind == KindSharedFall || c.Kind == KindSharedRise:
		return does(c.Disks, pick(c.Kind == KindSharedFall, "fall", "rise"),
			fmt.Sprintf(" to %.0f%%", 100*c.ToRate/c.FromRate))
	case verb != "" && (c.Kind != KindStart || c.By == nil):
		return does(c.Disks, verb, rest)
	}
	rose := func(disk string) bool { s := c.Of(disk); return s.ToRate > s.FromRate }
	fell := func(disk string) bool { return !rose(disk) }
	fallen, risen := only(c.Disks, fell), only(c.Disks, rose)
	switch {
	case len(risen) == 0:
		return does(fallen, "fall", "")
	case len(fallen) == 0:
		return does(risen, "rise", "")
	case len(risen) == 1 && len(fallen) == 1:
		// Each has, as far as a person sees in a chart, the rate that the other had.
		a, b := c.Of(fallen[0]), c.Of(risen[0])
		if math.Abs(a.ToRate/b.FromRate-1) < minChange &&
			math.Abs(b.ToRate/a.FromRate-1) < minChange {
			return does(c.Disks, "swap", " rates")
		}
	}
	return does(fallen, "fall", "") + ", " + does(risen, "rise", "")
}

// ChangeCause says in a few words what the evidence leaves as the cause of a change; empty for a
// disk's own start or end, which needs none.
func ChangeCause(c *Change, name func(disk string) string) string {
	known := map[string]string{
		CauseHeat: "heat", CauseCacheFull: "full write cache", CauseHost: "the computer",
		CauseLink: "the link changed its speed",
	}[c.Cause]
	switch {
	case c.Cause == CauseNeighbour:
		did := map[string]string{KindStart: " started", KindRecovery: " ended"}[c.Kind]
		who := "other disks"
		if c.By != nil {
			who = name(*c.By)
		}
		return who + cmp.Or(did, " changed")
	case known == "" && (c.Kind == KindEnd || c.Kind == KindStart && c.By == nil):
		return ""
	}
	return cmp.Or(known, "unknown")
}
