package history

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/tell/output"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/pkg/compare"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/unit"
)

// CompareOptions compares runs with the first ones.
type CompareOptions struct {
	output.Output
	Gate      bool // Gate says that FailAbove is given.
	FailAbove string
	Certain   bool
	History   []string
	Names     []string // what to call the base and the new runs; empty for their own names
}

// parseLimit reads --fail-above: a share from 0 to below 1.
func parseLimit(text string) (float64, error) {
	percent, err := strconv.ParseFloat(strings.TrimSpace(strings.TrimSuffix(text, "%")), 64)
	if err != nil || !(percent >= 0 && percent < 100) {
		return 0, exit.Usagef("--fail-above %s: give a percentage from 0 to below 100, such as 5",
			text)
	}
	return percent / 100, nil
}

// checkSides refuses options that don't fit so many runs, of which those before index dash are
// repeats.
func (o *CompareOptions) checkSides(runs, dash int) error {
	if o.Certain && !o.Gate {
		return exit.Usagef("--certain is about --fail-above; add --fail-above PCT")
	}
	if o.Names != nil && (len(o.Names) != 2 || runs > 2 && dash < 0) {
		return exit.Usagef("--names is for two states: give one name for each, such as " +
			"--names before,after")
	}
	if dash >= 0 && (dash == 0 || dash == runs) {
		return exit.Usagef("give the repeats of one measurement, --, and those of the other")
	}
	return nil
}

// Run compares the runs in paths; those before index dash are repeats, unless it is below 0.
func (o *CompareOptions) Run(paths []string, dash int) error {
	limit := 0.0
	if o.Gate {
		var err error
		if limit, err = parseLimit(o.FailAbove); err != nil {
			return err
		}
	}
	if err := o.checkSides(len(paths), dash); err != nil {
		return err
	}
	runs, err := o.LoadAll(paths)
	if err != nil {
		return err
	}
	first := runs[0]
	shown := runs                            // the runs whose kind the document says
	if o.IsForOthers() && o.History != nil { // What a page shows has lost its host.
		if first, err = recorded.Load(paths[0]); err != nil {
			return err
		}
	}
	history, err := historyIn(o.History)
	if err != nil {
		return err
	}
	samples, notCounted := earlierSamples(history, first, runs)
	var all []compare.Input
	for i, name := range o.NamesOf(paths) {
		r := runs[i]
		all = append(all, compare.Input{Label: name, Trace: r.Trace, Analysis: r.Analysis,
			Method: r.Method()})
	}
	base := all[:1]
	others := slices.Collect(slices.Chunk(all[1:], 1))
	if dash > 0 {
		base = all[:dash]
		others = [][]compare.Input{all[dash:]}
		shown = []*recorded.Run{runs[0], runs[dash]}
	}
	c := compare.Groups(base, others, samples)
	c.LeftOut = notCounted
	if o.Names != nil && len(c.Pairs) == 1 {
		c.Named = true
		c.Base.Label, c.Pairs[0].Label = o.Names[0], o.Names[1]
	}
	if o.Gate {
		c.Against(limit, o.Certain)
	}
	// A run that was cut short before its first phase did not measure something else.
	for _, pair := range c.Pairs {
		if len(pair.Phases)+len(pair.Searches) == 0 && len(pair.OnlyInNew) > 0 {
			return exit.Usagef("%s and %s have no phase of the same name or work: "+
				"nothing to compare", c.Base.Label, pair.Label)
		}
	}
	doc := report.OfComparison(c)
	doc.Tool = o.Tool
	doc.Simulated = true
	for _, r := range shown {
		doc.Simulated = doc.Simulated && report.Simulated(r.Trace)
		if hub.Source(r.Analysis.ProfileOrigin) == hub.Specified {
			doc.Model = hub.Specified // the comparison is no surer than the less sure of its runs
		}
	}
	if err := o.Send(doc); err != nil || !o.Gate {
		return err
	}
	gate := fmt.Sprintf("gate of %s %s", unit.FormatPercent(c.Gate.Limit), report.Gate(c.Gate))
	code := 0
	switch c.Gate.Outcome {
	case compare.CrossedIt:
		code = exit.Threshold
	case compare.CannotJudge:
		code = exit.Partial
	case compare.Passed:
		return nil
	}
	return exit.Errorf(code, "%s", gate)
}
