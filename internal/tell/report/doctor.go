package report

import (
	"fmt"
	"strings"

	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// OfDoctor says which checks of a machine failed, what that means for results, and what to do.
func OfDoctor(c *trace.Checkup) *Document {
	doc := &Document{Kind: "checkup", Title: "hubbench doctor", Started: when(c.Date), Tool: c.Tool, Data: c}
	count := map[trace.Verdict]int{}
	for _, check := range c.Checks {
		count[check.Verdict]++
	}
	lead := []string{fmt.Sprintf("%d of %s passed", count[trace.Pass], unit.Plural(len(c.Checks), "check"))}
	for _, v := range []struct {
		verdict trace.Verdict
		text    string
	}{{trace.Fail, "failed"}, {trace.Warn, "with a warning"}, {trace.Skip, "skipped"}} {
		if n := count[v.verdict]; n > 0 {
			lead = append(lead, fmt.Sprintf("%d %s", n, v.text))
		}
	}
	doc.Answer = &Answer{Headline: strings.Join(lead, ", ") + "."}
	doc.Add(Sentence{Text: fmt.Sprintf("%s, %s, hubbench %s, %s.", c.Host, c.System, c.Tool, when(c.Date))})
	of := map[string][]string{} // the disks of which the same is to be said
	for _, check := range c.Doubts() {
		of[check.Name+check.Text] = append(of[check.Name+check.Text], check.Path)
	}
	for _, check := range c.Doubts() {
		paths := of[check.Name+check.Text]
		if paths == nil {
			continue // with another disk
		}
		delete(of, check.Name+check.Text)
		text := fmt.Sprintf("%s: %s", check.Verdict, check.Name)
		if check.Path != "" {
			text += " on " + unit.List(paths)
		}
		text += fmt.Sprintf(": %s. %s", check.Measured, check.Text)
		if check.Advice != "" {
			text += " Try: " + check.Advice + "."
		}
		doc.Answer.Findings = append(doc.Answer.Findings, text)
	}
	t := &Table{Title: "Checks", Sentences: true, Columns: []Column{
		{Head: "Check"}, {Head: "Verdict"}, {Head: "Disk"}, {Head: "Measured", Drop: 1}, {Head: "What it means for results", Drop: 1}, {Head: "What to do", Drop: 1},
	}}
	for _, check := range c.Checks {
		t.Rows = append(t.Rows, []Cell{
			{Text: check.Name}, {Text: string(check.Verdict), Strong: check.Verdict == trace.Fail}, {Text: check.Path}, {Text: check.Measured}, {Text: check.Text}, {Text: check.Advice},
		})
	}
	doc.Add(t)
	return doc
}

// Unsound is what a report says of a check of the machine that failed before the run.
func Unsound(check trace.Check, date string) string {
	return fmt.Sprintf("hubbench doctor, %s: %s failed (%s). %s", when(date), check.Subject(), check.Measured, check.Text)
}
