package report

import (
	"fmt"

	"github.com/hubbench/hubbench/pkg/foreign"
	"github.com/hubbench/hubbench/pkg/unit"
)

// OfScores lists what summaries of other tools say.
func OfScores(scores []foreign.Score) *Document {
	doc := &Document{Kind: "scores", Title: "Scores of other tools", Data: scores}
	top := 0.0
	for _, s := range scores {
		top = max(top, s.Rate)
	}
	scale := unit.ScaleFor(top)
	t := table("Scores", word("Disk"), word("Test"), word("Direction"), number(scale.Unit), number("IOPS"), number("Latency", 1))
	t.ID = "scores"
	for _, s := range scores {
		iops, latency := "", ""
		if s.IOPS > 0 {
			iops = fmt.Sprintf("%.1f", s.IOPS)
		}
		if s.LatencyS > 0 {
			latency = fmt.Sprintf("%.4g ms", 1e3*s.LatencyS)
		}
		t.add(s.Disk, s.Test, s.Op, scale.Number(s.Rate), iops, latency)
	}
	doc.Add(t, Sentence{Text: "Scores are rates of whole tests: nothing says when the bytes moved, so they say nothing about disks that work at once."})
	return doc
}
