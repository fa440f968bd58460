package main

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/pkg/unit"
)

// document is the page: the verdict first, then all claims in a table, what it means, and each with its evidence.
func (p *Proof) document() *report.Document {
	started := p.Date
	if at, err := time.Parse(time.RFC3339, p.Date); err == nil {
		started = at.Format("2 January 2006, 15:04 MST")
	}
	doc := &report.Document{Kind: "proof", Title: "hubbench's claims, measured", Started: started, Tool: p.Tool, Data: p}
	how := map[Set]string{
		Short: "the short set, with fewer trials", Usual: "the usual set",
		Full: "the full set, with the numbers of trials that the manual's figures are from",
	}[p.Set]
	made := fmt.Sprintf("hubbench %s on %s; %s, in %s.", p.Tool, p.Machine, how, unit.FormatSeconds(p.Seconds))
	doc.Add(report.Sentence{Text: p.verdict(), Lead: true}, report.Sentence{Text: made})
	table := &report.Table{
		Title: "All claims", Note: "A finding is one thing that was measured and could have turned out wrong.",
		Columns: []report.Column{
			{Head: "Claim"}, {Head: "Verdict"}, {Head: "Findings that hold", Numbers: true},
			{Head: "Measured in", Numbers: true, Drop: 1}, {Head: "Left out", Drop: 2},
		},
	}
	var all tally
	for i := range p.Claims {
		c := &p.Claims[i]
		n := tallyOf(c.Findings)
		all.held, all.failed = all.held+n.held, all.failed+n.failed
		sign := map[Verdict]report.Sign{Holds: report.Good, Fails: report.Bad, Unmeasured: report.Doubt}[c.Verdict]
		verdict := report.Cell{Text: string(c.Verdict), Sign: sign, Strong: c.Verdict == Fails}
		row := []report.Cell{{Text: c.Title, Link: c.id()}, verdict, {}, {}, {}}
		if n.held+n.failed > 0 {
			row[2].Text = n.String()
		}
		if c.Seconds > 0 {
			row[3].Text = unit.FormatSeconds(math.Round(c.Seconds))
		}
		if c.Verdict == Fails {
			doc.Add(report.Warning{Text: fmt.Sprintf("%s fails: %s", c.Name, c.Reason)})
		} else {
			row[4].Text = strings.TrimPrefix(c.Reason, "left out: ")
		}
		table.Rows = append(table.Rows, row)
	}
	found := fmt.Sprintf("%s, %d of which hold.", unit.Plural(all.held+all.failed, "finding"), all.held)
	doc.Add(report.Sentence{Text: found}, table, meaning())
	for i := range p.Claims {
		p.Claims[i].show(doc)
	}
	commands := &report.Table{
		Title: "Commands", Note: "In the folder of hubbench's source code.",
		Columns: []report.Column{{Head: "Command"}, {Head: "For"}, {Head: "What came out"}},
	}
	for i := range p.Commands {
		c := &p.Commands[i]
		came := "interrupted before it"
		if c.Ran {
			came = c.outcome()
		}
		row := []report.Cell{{Text: c.Run}, {Text: strings.Join(c.Claims, ", ")}, {Text: came}}
		commands.Rows = append(commands.Rows, row)
	}
	title := "All commands, to measure one thing again"
	doc.Add(&report.Details{ID: "commands", Title: title, Blocks: []report.Block{commands}})
	return doc
}

// meaning says what a pass is worth.
func meaning() report.List {
	return report.List{Title: "What a pass means, and what was not tested", Items: []string{
		"A claim holds if every finding was within the limit shown beside it. The limits are fixed in the " +
			"tests, not chosen after the measurement.",
		"Truth is what was set beforehand: the rate that the kernel grants a device, the profile of a " +
			"simulated or mounted hub, the numbers that a trace was generated with. No other benchmark's rates " +
			"are used as the truth. For processor time and for how late threads are woken, which depend on the " +
			"machine, it is fio's and a plain thread's in the same run.",
		"Counts have an interval of 95 % (Wilson): what the share of all such trials may be. If trials are " +
			"few, the limit allows for chance, and gives the number.",
		"A check that crashes, takes too long or reports nothing makes its claim fail. What this machine " +
			"can't measure is left out, with the reason.",
		"No real Mac and no real Thunderbolt hub was tested here, only disks in memory, file systems under " +
			"limits, and models. Of real hubs there are the published figures that goshen-ridge.yaml is fitted " +
			"to.",
		"A pass says that hubbench measures correctly. It says nothing about how fast this machine's disks " +
			"are.",
	}}
}

// id is where the claim's evidence stands in the page.
func (j *Judged) id() string { return "claim-" + j.Name }

// show adds the claim with its evidence: more than eight findings are folded up, but for those that fail.
func (j *Judged) show(doc *report.Document) {
	doc.Add(report.Heading{Text: j.Title, ID: j.id()})
	if j.Sentence != "" {
		doc.Add(report.Sentence{Text: "“" + strings.ReplaceAll(j.Sentence, "`", "") + "”"})
	}
	how := "How it is measured: " + j.Method
	if j.Source != "" {
		how += " Source: " + j.Source
	}
	doc.Add(report.Sentence{Text: how})
	switch verdict := string(j.Verdict); {
	case j.Beyond:
		doc.Add(report.Sentence{Text: "Not measured: " + j.Reason + "."})
	case j.Reason != "":
		doc.Add(report.Warning{Text: unit.Capital(verdict) + "; " + j.Reason})
	}
	t := &report.Table{Title: "Evidence: " + j.Title, Columns: []report.Column{
		{Head: "What was measured"}, {Head: "Result"}, {Head: "Found", Numbers: true}, {Head: "Held to"},
		{Head: "Truth", Numbers: true}, {Head: "From, to", Numbers: true, Drop: 1},
	}}
	failing := &report.Table{Title: "Findings that fail: " + j.Title, Columns: t.Columns}
	for i := range j.Findings {
		f := &j.Findings[i]
		row := rowOf(f)
		t.Rows = append(t.Rows, row)
		if f.Left == "" && !f.Pass {
			failing.Rows = append(failing.Rows, row)
		}
	}
	if n := len(t.Rows); n > 8 {
		if len(failing.Rows) > 0 {
			doc.Add(failing)
		}
		title := fmt.Sprintf("All %d findings, of which %d hold", n, tallyOf(j.Findings).held)
		doc.Add(&report.Details{ID: j.id() + "-all", Title: title, Blocks: []report.Block{t}})
	} else if n > 0 {
		doc.Add(t)
	}
}

func rowOf(f *evidence.Finding) []report.Cell {
	row := []report.Cell{
		{Text: f.Case}, {Text: "holds", Sign: report.Good}, {Text: show(f.Measured, f.Unit)}, {Text: f.Limit},
		{Text: show(f.Truth, f.Unit)}, {},
	}
	of := f.Unit
	if strings.HasPrefix(of, "of ") {
		of = ""
	}
	switch {
	case f.Left != "":
		return []report.Cell{row[0], {Text: "left out", Small: f.Left, Sign: report.Doubt}, {}, row[3], {}, {}}
	case !f.Pass:
		row[1] = report.Cell{Text: "fails", Strong: true, Sign: report.Bad}
	}
	if f.Low != f.High {
		row[5].Text = show(f.Low, of) + " to " + show(f.High, of)
	}
	return row
}

// show writes a number of a finding with its unit: whole numbers with all of their digits, others with three.
func show(value float64, of string) string {
	switch {
	case of == "B/s":
		return unit.FormatRate(value)
	case of == "s":
		return unit.FormatSeconds(value)
	case of == "ns":
		return unit.FormatSeconds(value / 1e9)
	case of == "B" && value >= 1000:
		return unit.FormatBytes(int64(value))
	}
	number := strconv.FormatFloat(value, 'g', 3, 64)
	if size := math.Abs(value); size < 1e9 && (value == math.Trunc(value) || size >= 100) {
		number = strconv.FormatFloat(value, 'f', 0, 64)
	}
	return strings.TrimSpace(number + " " + of)
}
