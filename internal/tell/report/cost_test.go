package report

import (
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// costDoc is the document of a run whose disks were measured on the hub and on ports of their own.
func costDoc(costs ...analysis.HubCost) *Document {
	a := &analysis.Analysis{Scale: unit.ScaleFor(2e9), Order: []string{"A", "C"}, HubCosts: costs,
		Phases: []analysis.PhaseResult{
			{Name: "p", Overlap: &analysis.Overlap{Rate: 2.8e9}}, {Name: "q"},
		}}
	return OfRun(RunData{Analysis: a, AnswerAlone: true})
}

func cost(disk string, op trace.Role, rate, direct float64) analysis.HubCost {
	const half = 0.01
	loss := 1 - rate/direct
	return analysis.HubCost{
		Disk: disk, Op: op, Rate: rate, DirectRate: direct,
		Loss: loss, CI95: &stats.Interval{loss - half, loss + half},
		Lost: loss > 0.1, Nothing: loss+half < 0.1,
	}
}

// A reason is ruled out by what the run has moved through the same hub, and by nothing else.
func TestReasons(t *testing.T) {
	ruledOut := func(doc *Document) string {
		var out []string
		for _, list := range Collect[*Verdicts](doc.Blocks) {
			for _, j := range list.List {
				if j.On == "ruled out" {
					out = append(out, j.Why)
				}
			}
		}
		return strings.Join(out, " ")
	}
	write := cost("A", trace.Write, 1.46e9, 2.19e9)
	slow := cost("A", trace.Write, 0.9e9, 2.19e9)
	read := cost("A", trace.Read, 2.59e9, 2.7e9)
	other := cost("C", trace.Write, 2.8e9, 2.8e9)
	const usb = "USB at 10 Gb/s carries 1.06 GB/s at best, and A "
	const lanes = " Two PCIe lanes carry 1.76 GB/s at best, and A "
	const writes, reads = "writes at 1.46 GB/s through the hub.",
		"reads at 2.59 GB/s through the hub."
	for _, tt := range []struct {
		name  string
		costs []analysis.HubCost
		want  string
	}{
		{"nothing", []analysis.HubCost{slow}, ""},
		{"faster than USB", []analysis.HubCost{write}, usb + writes},
		{"the other direction", []analysis.HubCost{write, read}, usb + reads + lanes + reads},
		{"another disk", []analysis.HubCost{slow, other},
			"C writes at 2.80 GB/s through the same link."},
	} {
		check.Same(t, tt.name, tt.want, ruledOut(costDoc(tt.costs...)))
	}
	if doc := costDoc(other); doc.Blocks != nil {
		t.Errorf("reasons for a cost of nothing: %v", doc.Blocks)
	}
}

// The answer says the largest cost, what it takes, and what to do; or that there is none.
func TestCosts(t *testing.T) {
	page := costDoc(
		cost("A", trace.Write, 1.46e9, 2.19e9),
		cost("A", trace.Read, 2.59e9, 2.71e9),
		cost("C", trace.Write, 2.8e9, 2.8e9),
	).Page
	check.Same(t, "big", &Big{
		Number: "−33", Unit: "%", Tone: Bad,
		Text: "A writes 1.46 instead of 2.19 GB/s", Detail: "95% confidence: −34% to −32%",
	}, page.Big)
	const others = "A reads 4.4% slower on the hub. C writes as fast as on its own port."
	check.Same(t, "sub", others, page.Sub)
	longer := Number{Value: "7.6 min", Text: "longer to write 2 TB: 22.8 instead of 15.2 min"}
	check.Same(t, "numbers", []Number{longer}, page.Numbers)
	check.Same(t, "action", "Write to A on its own port. It gains 0.730 GB/s.", page.Actions[0].Sentence())
	check.Same(t, "changes", [][]string{
		{"A writes", "2.19", "1.46", "−33%", "−34% to −32%"},
		{"A reads", "2.71", "2.59", "−4.4%", "−5.4% to −3.4%"},
		{"C writes", "2.80", "2.80", "none", "−1.0% to +1.0%"},
	}, wordsOf(page.Hero.(*Rows).Table()))
	check.Same(t, "what the axis names", []string{"0", "USB 1.06", "2 lanes 1.76", "TB 3/4 3.40"},
		analysis.Each(page.Hero.(*Rows).Axis.Ticks, func(tick RulerTick) string { return tick.Text }))

	page = costDoc(cost("C", trace.Write, 2.8e9, 2.8e9)).Page
	check.Same(t, "big", &Big{
		Number: "0", Unit: "%", Tone: Good,
		Text: "C writes 2.80 GB/s on both", Detail: "95% confidence: −1.0% to +1.0%",
	}, page.Big)
	const leave = "Leave C on the hub. Another port would gain 1% at most."
	check.Same(t, "action", leave, page.Actions[0].Sentence())
}
