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

// maxRows is how many findings of a claim are shown unfolded.
const maxRows = 8

// document is the page: the verdict first, then what it means, all claims in a table, and each with its evidence.
func (p *Proof) document() *report.Document {
	doc := &report.Document{Kind: "proof", Title: "hubbench's claims, measured", Started: p.started(), Tool: p.Tool, Data: p}
	doc.Add(report.Sentence{Text: p.verdict(), Lead: true}, report.Sentence{Text: p.machineLine()})
	for i := range p.Claims {
		if c := &p.Claims[i]; c.Verdict == Fails {
			doc.Add(report.Warning{Text: fmt.Sprintf("%s fails: %s", c.Name, c.Reason)})
		}
	}
	doc.Add(report.Sentence{Text: p.findings()}, p.table(), meaning())
	for i := range p.Claims {
		p.Claims[i].show(doc)
	}
	doc.Add(p.commands())
	return doc
}

// commands are what was run, for those who want to run one of them.
func (p *Proof) commands() *report.Details {
	t := &report.Table{Title: "Commands", Note: "In the folder of hubbench's source code.", Columns: []report.Column{{Head: "Command"}, {Head: "For"}, {Head: "What came out"}}}
	for i := range p.Commands {
		c := &p.Commands[i]
		row := []report.Cell{{Text: c.Run}, {Text: strings.Join(c.Claims, ", ")}, {Text: "interrupted before it"}}
		if c.Ran {
			row[2].Text = c.outcome()
		}
		t.Rows = append(t.Rows, row)
	}
	return &report.Details{ID: "commands", Title: "All commands, to measure one thing again", Blocks: []report.Block{t}}
}

func (p *Proof) started() string {
	at, err := time.Parse(time.RFC3339, p.Date)
	if err != nil {
		return p.Date
	}
	return at.Format("2 January 2006, 15:04 MST")
}

func (p *Proof) machineLine() string {
	how := map[Set]string{
		Short: "the short set, with fewer trials", Usual: "the usual set", Full: "the full set, with the numbers of trials that the manual's figures are from",
	}[p.Set]
	return fmt.Sprintf("hubbench %s on %s; %s, in %s.", p.Tool, p.Machine, how, unit.FormatSeconds(p.Seconds))
}

// findings says how many there are.
func (p *Proof) findings() string {
	findings, failed := 0, 0
	for i := range p.Claims {
		n, bad := p.Claims[i].counts()
		findings, failed = findings+n, failed+bad
	}
	return fmt.Sprintf("%s, %d of which hold.", unit.Plural(findings, "finding"), findings-failed)
}

// sign is that of a verdict.
func (v Verdict) sign() report.Sign {
	return map[Verdict]report.Sign{Holds: report.Good, Fails: report.Bad, Unmeasured: report.Doubt}[v]
}

// table is all claims in a line each.
func (p *Proof) table() *report.Table {
	t := &report.Table{Title: "All claims", Note: "A finding is one thing that was measured and could have turned out wrong.", Columns: []report.Column{
		{Head: "Claim"}, {Head: "Verdict"}, {Head: "Findings that hold", Numbers: true}, {Head: "Measured in", Numbers: true, Drop: 1}, {Head: "Left out", Drop: 2},
	}}
	for i := range p.Claims {
		c := &p.Claims[i]
		n, failed := c.counts()
		row := []report.Cell{{Text: c.Title, Link: c.id()}, {Text: string(c.Verdict), Sign: c.Verdict.sign(), Strong: c.Verdict == Fails}, {}, {}, {}}
		if n > 0 {
			row[2].Text = fmt.Sprintf("%d of %d", n-failed, n)
		}
		if c.Seconds > 0 {
			row[3].Text = unit.FormatSeconds(math.Round(c.Seconds))
		}
		if c.Verdict != Fails {
			row[4].Text = strings.TrimPrefix(c.Reason, "left out: ")
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// meaning says what a pass is worth.
func meaning() report.List {
	return report.List{Title: "What a pass means, and what was not tested", Items: []string{
		"A claim holds if every finding was within the limit shown beside it. The limits are fixed in the tests, not chosen after the measurement.",
		"Truth is what was set beforehand: the rate that the kernel grants a device, the profile of a simulated or mounted hub, the numbers that a trace was generated with. No other benchmark's rates are used as the truth. For processor time and for how late threads are woken, which depend on the machine, it is fio's and a plain thread's in the same run.",
		"Counts have an interval of 95 % (Wilson): what the share of all such trials may be. If trials are few, the limit allows for chance, and gives the number.",
		"A check that crashes, takes too long or reports nothing makes its claim fail. What this machine can't measure is left out, with the reason.",
		"No real Mac and no real Thunderbolt hub was tested here, only disks in memory, file systems under limits, and models. Of real hubs there are the published figures that goshen-ridge.yaml is fitted to.",
		"A pass says that hubbench measures correctly. It says nothing about how fast this machine's disks are.",
	}}
}

// id is where the claim's evidence stands in the page.
func (j *Judged) id() string { return "claim-" + j.Name }

// counts are the findings that were measured, and those of them that fail.
func (j *Judged) counts() (n, failed int) {
	for _, f := range j.Findings {
		if f.Left == "" {
			n++
			if !f.Pass {
				failed++
			}
		}
	}
	return n, failed
}

// show adds the claim with its evidence.
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
	switch {
	case j.Beyond:
		doc.Add(report.Sentence{Text: "Not measured: " + j.Reason + "."})
	case j.Reason != "":
		doc.Add(report.Warning{Text: capital(string(j.Verdict)) + "; " + j.Reason})
	}
	t := &report.Table{Title: "Evidence: " + j.Title, Columns: []report.Column{
		{Head: "What was measured"}, {Head: "Result"}, {Head: "Found", Numbers: true}, {Head: "Held to"}, {Head: "Truth", Numbers: true}, {Head: "From, to", Numbers: true, Drop: 1},
	}}
	failing := &report.Table{Title: "Findings that fail: " + j.Title, Columns: t.Columns}
	for i := range j.Findings {
		row := rowOf(&j.Findings[i])
		t.Rows = append(t.Rows, row)
		if f := &j.Findings[i]; f.Left == "" && !f.Pass {
			failing.Rows = append(failing.Rows, row)
		}
	}
	switch n := len(t.Rows); {
	case n == 0:
	case n <= maxRows:
		doc.Add(t)
	default:
		if len(failing.Rows) > 0 {
			doc.Add(failing)
		}
		measured, failed := j.counts()
		doc.Add(&report.Details{ID: j.id() + "-all", Title: fmt.Sprintf("All %d findings, of which %d hold", n, measured-failed), Blocks: []report.Block{t}})
	}
}

func rowOf(f *evidence.Finding) []report.Cell {
	if f.Left != "" {
		return []report.Cell{{Text: f.Case}, {Text: "left out", Small: f.Left, Sign: report.Doubt}, {}, {Text: f.Limit}, {}, {}}
	}
	row := []report.Cell{{Text: f.Case}, {Text: "holds", Sign: report.Good}, {Text: show(f.Measured, f.Unit)}, {Text: f.Limit}, {Text: show(f.Truth, f.Unit)}, {}}
	if f.Low != f.High {
		low, high := show(f.Low, f.Unit), show(f.High, f.Unit)
		if strings.HasPrefix(f.Unit, "of ") {
			low, high = number(f.Low), number(f.High)
		}
		row[5].Text = low + " to " + high
	}
	if !f.Pass {
		row[1] = report.Cell{Text: "fails", Strong: true, Sign: report.Bad}
	}
	return row
}

// show writes a number of a finding with its unit.
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
	case of == "":
		return number(value)
	}
	return number(value) + " " + of
}

// number has the significant digits only: whole numbers all of theirs, others three.
func number(value float64) string {
	if value == math.Trunc(value) && math.Abs(value) < 1e9 {
		return strconv.FormatFloat(value, 'f', -1, 64)
	}
	if size := math.Abs(value); size >= 100 && size < 1e9 {
		return strconv.FormatFloat(value, 'f', 0, 64)
	}
	return strconv.FormatFloat(value, 'g', 3, 64)
}

// capital begins a sentence.
func capital(text string) string { return strings.ToUpper(text[:1]) + text[1:] }
