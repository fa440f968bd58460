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

// linkRate is what links of a kind carry at best.
type linkRate struct {
	name string
	rate float64
}

// links are those that disks share or fall back to, the slowest first.
func links() []linkRate {
	rate := func(link hardware.Link) float64 {
		capacity, _ := link.Practical(false)
		return capacity.Rate
	}
	return []linkRate{
		{"USB", rate(hardware.Link{Kind: hardware.USBLink, TxBps: 10e9})},
		{"2 lanes", rate(hardware.Link{Kind: hardware.PCIe, TxBps: 16e9, Lanes: 2})},
		{"TB 3/4", rate(hardware.Link{Kind: hardware.Thunderbolt, TxBps: 40e9})},
		{"TB 5", rate(hardware.Link{Kind: hardware.Thunderbolt, TxBps: 80e9})},
	}
}

// costRows sets the rate of each disk on the hub beside the one on its own port, on an axis that
// names the links up to the first that carries them all.
func (r *runDoc) costRows(costs []Cost) *Rows {
	h := &Rows{Head: "Disk", Columns: numbers("Own port", "Hub", "Change", "Interval")}
	h.Columns[3].Drop = 1
	for i := range costs {
		c := &costs[i]
		change := changeCell(-c.Loss)
		change.Text = c.Change()
		change.Strong = true
		change.Tone = pick(c.Lost, Bad, pick(c.Even(), Good, Unsigned))
		span := Cell{}
		if ci := c.CI95; ci != nil {
			span = changeSpanCell(&stats.Interval{-ci[1], -ci[0]})
			span.Text = c.Interval()
		}
		h.Axis.High = max(h.Axis.High, c.Rate, c.DirectRate)
		h.Rows = append(h.Rows, Row{Label: c.Key.Label + " " + c.Verb, Key: &c.Key,
			Tone:    pick(c.Lost, Bad, Unsigned),
			Bars:    []RowBar{{To: c.DirectRate, Pale: true}, {To: c.Rate}},
			Numbers: []Cell{r.rateCell(c.DirectRate), r.rateCell(c.Rate), change, span}})
	}
	var fit []linkRate
	for _, l := range links() {
		fit = append(fit, l)
		if l.rate >= h.Axis.High {
			h.Axis.High = l.rate
			break
		}
	}
	h.Axis.Ticks = []RulerTick{{Text: "0"}}
	var last float64
	for _, l := range fit {
		if at := h.Axis.Share(l.rate); at-last > minTickGap {
			h.Axis.Ticks = append(h.Axis.Ticks, RulerTick{At: l.rate,
				Text: l.name + " " + r.Number(l.rate), Strong: true})
			last = at
		}
	}
	h.Note = r.Unit + ", each disk alone. Pale: its own port. Lines: what links carry at best."
	return h
}

// minTickGap is the room for a link's name and rate, as a share of the axis.
const minTickGap = 0.18

// copyBytes are moved in the example that says how much longer a copy takes.
const copyBytes = 2e12

// costs says what the hub costs the disk that loses most, and the others; if the numbers cannot be
// trusted, no more than their rows.
func (r *runDoc) costs(p *Page, trusted bool) {
	var costs []Cost
	for _, found := range r.a.HubCosts {
		costs = append(costs, Cost{found, r.Keys[r.keyOf(found.Disk)], string(found.Op) + "s"})
	}
	p.Hero = r.costRows(costs)
	if !trusted {
		return
	}
	c := &costs[0]
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
	p.Big = b
	switch {
	case c.Lost:
		b.Tone = Bad
		r.more = nonEmpty(p.Sub)
		p.Sub = otherCosts(costs)
		r.addReasons(costs)
		does := pick(c.Op == trace.Write, "Write to ", "Read from ") + c.Key.Label
		p.Actions = append(p.Actions, newAction(does+" on its own port",
			"It gains "+r.Rate(c.DirectRate-c.Rate)+"."))
		own, hub := copyBytes/c.DirectRate/60, copyBytes/c.Rate/60 // minutes
		p.Numbers = append(p.Numbers, Number{
			Value: fmt.Sprintf("%.1f min", hub-own),
			Text: fmt.Sprintf("longer to %s %s: %.1f instead of %.1f min",
				c.Op, bytesText(copyBytes), hub, own),
		})
	case c.Nothing:
		b.Tone = Good
		var names []string
		for _, o := range costs {
			if !slices.Contains(names, o.Key.Label) {
				names = append(names, o.Key.Label)
			}
		}
		p.Actions = append(p.Actions, newAction("Leave "+listOrCount(names)+" on the hub",
			"Another port would gain "+percent(max(0, c.CI95[1]))+" at most."))
		p.Numbers = append(p.Numbers, Number{
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

// reason is something that slows disks on hubs, and what the run says of it.
type reason struct {
	text, why string
	ruledOut  bool
}

// reasons are the usual ones for the first cost, with what the run says of each.
func (r *runDoc) reasons(costs []Cost) []reason {
	c := &costs[0]
	speed := func(c *Cost) string { return c.Key.Label + " " + c.Verb + " at " + r.Rate(c.Rate) }
	full := reason{
		text: "the hub's link to the computer is full",
		why:  "A disk that moves more through it would rule this out; none was measured.",
	}
	fastest := c // the fastest case of the disk through the hub
	for i := range costs {
		o := &costs[i]
		if o.Op == c.Op && o.Rate > c.Rate*(1+maxShareGap) {
			full.ruledOut = true
			full.why = speed(o) + " through the same link."
		}
		if o.Disk == c.Disk && o.Rate > fastest.Rate {
			fastest = o
		}
	}
	disk := c.Key.Label
	usb, lanes := links()[0].rate, links()[1].rate
	atBest := " at best, and " + speed(fastest) + " through the hub."
	return []reason{full, {
		text: disk + " falls back to USB", ruledOut: fastest.Rate > usb,
		why: "USB at 10 Gb/s carries " + r.Rate(usb) + atBest,
	}, {
		text: disk + "'s cable or enclosure uses two lanes", ruledOut: fastest.Rate > lanes,
		why: "Two PCIe lanes carry " + r.Rate(lanes) + atBest,
	}, {
		text: disk + " itself " + c.Verb + " slower behind a hub",
		why: "To tell, measure " + disk +
			" on another hub: if it is as slow there, the reason is " +
			"the disk and not this hub.",
	}}
}

// addReasons adds what could be behind the first cost, and puts it in short among the findings.
func (r *runDoc) addReasons(costs []Cost) {
	judged := &Verdicts{}
	var ruledOut, possible []string
	for _, why := range r.reasons(costs) {
		j := Judged{Sign: Doubt, What: analysis.Capital(r.a.Order, why.text), On: "possible",
			Why: why.why}
		if why.ruledOut {
			j.Sign, j.On = Unsigned, "ruled out"
			ruledOut = append(ruledOut, why.text)
		} else {
			possible = append(possible, why.text)
		}
		judged.List = append(judged.List, j)
	}
	r.outcome.More = nonEmpty(listed("Possible: ", possible), listed("Ruled out: ", ruledOut))
	r.Add(&Details{ID: "reasons", Title: "What could be the reason?", Open: true, Printed: true,
		Does: "The usual ones, and what this run says about each. hubbench can rule a reason out, it " +
			"can't prove one.", Blocks: []Block{judged}})
}

// listed puts texts into one sentence; empty without any.
func listed(title string, texts []string) string {
	if texts == nil {
		return ""
	}
	return title + strings.Join(texts, ", ") + "."
}
