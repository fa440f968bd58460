package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Cost is what the hub costs a disk that was measured alone on the hub and on its own port.
type Cost struct {
	analysis.HubCost
	Key  LegendKey
	Verb string
}

// Even reports whether the hub costs the disk nothing that could be told from noise.
func (c *Cost) Even() bool { return c.Nothing && c.CI95[0] <= 0 }

// Change is what the hub changes: "−33 %", or "none".
func (c *Cost) Change() string {
	if c.Even() {
		return "none"
	}
	return Change(-c.Loss)
}

// Interval is the 95 % confidence interval of the change, "−34 % to −32 %"; empty if unknown.
func (c *Cost) Interval() string {
	if c.CI95 == nil {
		return ""
	}
	return Change(-c.CI95[1]) + " to " + Change(-c.CI95[0])
}

// Reason is something that slows disks on hubs, and what the run says of it.
type Reason struct {
	Text, Why string
	RuledOut  bool
}

// LinkRate is what links of a kind carry at best.
type LinkRate struct {
	Name string
	Rate float64
}

// links are those that disks share or fall back to, the slowest first.
func links() []LinkRate {
	rate := func(link hardware.Link) float64 {
		capacity, _ := link.Practical(false)
		return capacity.Rate
	}
	return []LinkRate{
		{"USB 10 Gb/s", rate(hardware.Link{Kind: hardware.USBLink, TxBps: 10e9})},
		{"two PCIe lanes", rate(hardware.Link{Kind: hardware.PCIe, TxBps: 16e9, Lanes: 2})},
		{"Thunderbolt 3, 4", rate(hardware.Link{Kind: hardware.Thunderbolt, TxBps: 40e9})},
		{"Thunderbolt 5", rate(hardware.Link{Kind: hardware.Thunderbolt, TxBps: 80e9})},
	}
}

// Ruler returns the links to set the costs beside: up to the first that carries them all.
func (a *AnswerView) Ruler() []LinkRate {
	all := links()
	var top float64
	for _, c := range a.Costs {
		top = max(top, c.Rate, c.DirectRate)
	}
	for i, l := range all {
		if l.Rate >= top {
			return all[:i+1]
		}
	}
	return all
}

// copyBytes are moved in the example that says how much longer a copy takes.
const copyBytes = 2e12

// costs says what the hub costs the disk that loses most, and the others; if the numbers cannot be
// trusted, no more than their table.
func (r *runDoc) costs(trusted bool) {
	out := r.Answer
	const interval = "95% confidence interval"
	t := table("All numbers", words("Disk", "Does"),
		numbers("Own port, "+r.Unit, "Hub", "Change", interval)).dropFirst(interval)
	t.ID = "answer"
	out.Table = t
	for _, found := range r.a.HubCosts {
		c := Cost{HubCost: found, Key: r.Keys[r.keyOf(found.Disk)], Verb: string(found.Op) + "s"}
		out.Costs = append(out.Costs, c)
		change, span := changeCell(-c.Loss), Cell{}
		change.Text = c.Change()
		change.Strong = true
		if ci := c.CI95; ci != nil {
			span = changeSpanCell(&stats.Interval{-ci[1], -ci[0]})
			span.Text = c.Interval()
		}
		t.add(&c.Key, c.Verb, r.rateCell(c.DirectRate), r.rateCell(c.Rate), change, span)
	}
	if !trusted {
		return
	}
	c := &out.Costs[0]
	b := &Big{
		Number: signed(-c.Loss), Unit: "%", Tone: Doubt,
		Text: c.Key.Label + " " + c.Verb + " " + r.rateInstead(c.Rate, c.DirectRate),
	}
	if c.Even() {
		b.Number = "0"
		b.Text = c.Key.Label + " " + c.Verb + " " + r.Rate(c.Rate) + " on both"
	}
	if c.CI95 != nil {
		b.Detail = "95% confidence: " + c.Interval()
	}
	out.Big = b
	switch {
	case c.Lost:
		b.Tone = Bad
		r.more = nonEmpty(out.Sentence)
		out.Sentence = otherCosts(out.Costs)
		out.Reasons = r.reasons(c)
		does := pick(c.Op == trace.Write, "Write to ", "Read from ") + c.Key.Label
		out.Actions = append(out.Actions, newAction(does+" on its own port",
			"It gains "+r.Rate(c.DirectRate-c.Rate)+"."))
		own, hub := copyBytes/c.DirectRate/60, copyBytes/c.Rate/60 // minutes
		out.Facts = append(out.Facts, Fact{
			Value: fmt.Sprintf("%.1f min", hub-own),
			Text: fmt.Sprintf("longer to %s %s: %.1f instead of %.1f min",
				c.Op, bytesText(copyBytes), hub, own),
		})
	case c.Nothing:
		b.Tone = Good
		var names []string
		for _, o := range out.Costs {
			if !slices.Contains(names, o.Key.Label) {
				names = append(names, o.Key.Label)
			}
		}
		out.Actions = append(out.Actions, newAction("Leave "+listOrCount(names)+" on the hub",
			"Another port would gain "+percent(max(0, c.CI95[1]))+" at most."))
		out.Facts = append(out.Facts, Fact{
			Value: "Alone",
			Text:  "is how each disk was measured: other busy disks may still slow it down",
		})
	}
}

// otherCosts say what the hub costs besides the largest cost: "A reads 3.5 % slower on the hub. C
// writes as fast as on its own port."
func otherCosts(costs []Cost) string {
	var slower, even []string
	for i := range costs[1:] {
		c := &costs[1+i]
		text := c.Key.Label + " " + c.Verb
		if c.Even() {
			even = append(even, text)
			continue
		}
		slower = append(slower, text+" "+unsigned(math.Abs(c.Loss))+
			pick(c.Loss > 0, " slower", " faster"))
	}
	text := ""
	if slower != nil {
		text = listOrCount(slower) + " on the hub. "
	}
	if even != nil {
		text += listOrCount(even) + " as fast as on its own port."
	}
	return strings.TrimSpace(text)
}

// reasons are the usual ones for a cost, with what the run says of each.
func (r *runDoc) reasons(c *Cost) []Reason {
	speed := func(c *Cost) string { return c.Key.Label + " " + c.Verb + " at " + r.Rate(c.Rate) }
	full := Reason{
		Text: "The hub's link to the computer is full",
		Why:  "A disk that moves more through it would rule this out; none was measured.",
	}
	fastest := c // the fastest case of the disk through the hub
	for i := range r.Answer.Costs {
		o := &r.Answer.Costs[i]
		if o.Op == c.Op && o.Rate > c.Rate*(1+maxShareGap) {
			full.RuledOut = true
			full.Why = speed(o) + " through the same link."
		}
		if o.Disk == c.Disk && o.Rate > fastest.Rate {
			fastest = o
		}
	}
	disk := c.Key.Label
	usb, lanes := links()[0].Rate, links()[1].Rate
	atBest := " at best, and " + speed(fastest) + " through the hub."
	return []Reason{full, {
		Text: disk + " falls back to USB", RuledOut: fastest.Rate > usb,
		Why: "USB at 10 Gb/s carries " + r.Rate(usb) + atBest,
	}, {
		Text: disk + "'s cable or enclosure uses two lanes", RuledOut: fastest.Rate > lanes,
		Why: "Two PCIe lanes carry " + r.Rate(lanes) + atBest,
	}, {
		Text: disk + " itself " + c.Verb + " slower behind a hub",
		Why: "To tell, measure " + disk +
			" on another hub: if it is as slow there, the reason is " +
			"the disk and not this hub.",
	}}
}
