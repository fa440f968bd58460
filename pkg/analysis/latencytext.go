package analysis

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/quantile"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// note says which figures of a latency are missing, and why; empty where none is.
func note(l *Latency) string {
	if l.Requests == 0 {
		return "no whole second of its requests lies within the overlap"
	}
	var fewer, unsure []string
	for _, q := range []struct {
		name     string
		ns       *int64
		interval *[2]int64
		n        int64
	}{{"p50", l.P50NS, l.P50CI95, 2}, {"p99", l.P99NS, l.P99CI95, 100}, {"p99.9", l.P999NS, l.P999CI95, 1000}} {
		switch {
		case q.ns == nil:
			fewer = append(fewer, fmt.Sprintf("%s needs %s", q.name, unit.FormatCount(int(quantile.MinRequests(q.n)))))
		case q.interval == nil:
			unsure = append(unsure, q.name)
		}
	}
	var texts []string
	if fewer != nil {
		texts = append(texts, fmt.Sprintf("only %s requests: %s", unit.FormatCount(int(l.Requests)), unit.List(fewer)))
	}
	if unsure != nil && l.Seconds < quantile.MinSeconds {
		texts = append(texts, fmt.Sprintf("no error bars: they need %d s of requests", quantile.MinSeconds))
	} else if unsure != nil {
		texts = append(texts, "no error bars for "+unit.List(unsure)+": the slow requests come from too few seconds")
	}
	return strings.Join(texts, "; ")
}

// answered says how long the requests of a disk that does not go as fast as it can took: "C answered 4 KiB
// reads in 9.8 ms while B wrote and in 120 µs alone (p99)". It is empty where too few were recorded.
func (en english) answered(p *Phase, disk string) string {
	l := p.Disks[disk].Latency
	if l == nil {
		return ""
	}
	by := l.Alone
	if by == nil {
		by = &quantile.Figures{}
	}
	now, alone, which, sure := l.P99NS, by.P99NS, "p99", l.P99CI95 != nil && by.P99CI95 != nil
	if now == nil || alone == nil && l.Alone != nil || l.Longer != nil && l.Longer.Quantile == 0.5 {
		now, alone, which, sure = l.P50NS, by.P50NS, "median", l.P50CI95 != nil && by.P50CI95 != nil
	}
	if now == nil {
		return ""
	}
	text := fmt.Sprintf("%s in %s", requestsOf(p, disk, "answered"), requestTime(*now))
	if beside := others(en.Order, p, disk); len(beside) > 0 {
		text += " while " + did(p, beside)
	}
	if alone == nil {
		return text + " (" + which + ")"
	}
	longer := pick(sure, "; the difference is within noise", "; too few requests to rule out noise")
	if l.Longer != nil {
		longer = times(l.Longer)
	}
	return text + fmt.Sprintf(" and in %s alone (%s%s)", requestTime(*alone), which, longer)
}

// requestsOf is "C answered 4 KiB reads", or "A answered its requests".
func requestsOf(p *Phase, disk, verb string) string {
	probe := p.Paced[disk].Probe
	if probe == 0 {
		return fmt.Sprintf("%s %s its requests", disk, verb)
	}
	what := map[trace.Role]string{trace.Read: "reads", trace.Write: "writes"}[p.Disks[disk].Op]
	return fmt.Sprintf("%s %s %s %s", disk, verb, unit.FormatBlock(probe), what)
}

// times is "; 82 times as long, 71 to 94 with 95 % confidence".
func times(c *quantile.Change) string {
	text := "; " + twoFigures(c.Times) + " times as long"
	if c.CI95 != nil {
		text += fmt.Sprintf(", %s to %s with 95 %% confidence", twoFigures(c.CI95[0]), twoFigures(c.CI95[1]))
	}
	return text
}

// figures writes a ratio with two significant figures, or all of those before the point.
func twoFigures(v float64) string {
	return strconv.FormatFloat(v, 'f', pick(v >= 10, 0, 1), 64)
}

func requestTime(ns int64) string { return unit.FormatSeconds(float64(ns) / 1e9) }

// slowed says whose requests took longer than alone, and when.
func (en english) slowed() []string {
	var longer []situation
	for _, p := range en.Phases {
		for _, disk := range en.Order {
			l := p.Disks[disk].Latency
			if l != nil && l.Longer != nil && p.Paced[disk].Limited() && p.Search == nil {
				longer = append(longer, situation{
					Phase: &p, disk: disk, what: requestsOf(&p, disk, "answers"), outcome: p.Name,
				})
			}
		}
	}
	tellApart(en.Order, longer)
	return Each(longer, func(s situation) string {
		l := s.Disks[s.disk].Latency.Longer
		return fmt.Sprintf("%s in %s instead of %s %s", s.what, requestTime(l.ToNS), requestTime(l.FromNS), s.when)
	})
}
