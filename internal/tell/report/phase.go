package report

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/unit"
)

// phase shows a phase: what it comes to, its timeline, and a table of its disks; everything else
// is folded.
func (r *runDoc) phase(index int) *Details {
	v := r.view(index)
	found := v.found
	d := &Details{ID: phaseID(index), Name: found.Name, Title: found.Title, Phase: true}
	// Else the title says it.
	if does := r.whoDoes(found, nobody); !strings.HasPrefix(found.Title, does) {
		d.Does = does
	}
	if found.Search != nil {
		d.Fold = "Tries of " + found.Search.Search
	}
	for _, w := range found.Warnings {
		d.Add(Warning{w.Text})
	}
	if found.Verdict != r.outcome.Headline { // else the answer says it
		d.Add(Sentence{Text: found.Verdict, Lead: true})
	}
	d.Add(v.streamTable(), v.timeChart(), v.diskTable())
	d.Add(v.streamCharts()...)
	files := v.ofFiles()
	fold := func(title string, printed bool, blocks ...Block) {
		d.Add(&Details{Title: title, Printed: printed, Blocks: shown(blocks)})
	}
	fold("Changes and recoveries", true, v.changeTable(), v.recoveryTable())
	fold("Latency", true, v.latencyTable())
	fold("Links and temperatures", true, v.linksTable(), v.temperatureChart())
	fold("Every file: speed against size, against bytes moved", false,
		files.sizeChart(), v.sizesTable(), files.bytesChart(), v.filesTable())
	for _, c := range Collect[*Chart](d.Blocks) {
		c.Phase = found.Title
	}
	for _, t := range Collect[*Table](d.Blocks) {
		t.Phase = found.Title
	}
	return d
}

// withoutOthers is what the analysis found of a disk's rate without the others; nil if the run does
// not show it.
func withoutOthers(found *analysis.PhaseResult, disk string) *analysis.DiskContention {
	c := contentionOf(found, disk)
	if c.Retention == nil || found.Paced[disk].IsPaced() {
		return nil
	}
	return &c
}

// noReference says why a disk is not compared with its rate without the others.
func noReference(c analysis.DiskContention) string {
	return cmp.Or(map[string]string{
		analysis.NoneChanged: "rate changed", analysis.NoneAloneChanged: "rate alone changed",
		analysis.NoneTooLittle: "too short alone", analysis.NoneUnlike: "other work alone",
		analysis.NoneExceeded: "baseline is lower",
	}[c.NoReference], unmeasured)
}

// contentionOf is what the analysis holds a disk against, if anything.
func contentionOf(found *analysis.PhaseResult, disk string) (c analysis.DiskContention) {
	if found.Contention != nil {
		c = found.Contention.Disks[disk]
	}
	return c
}

// unmeasured stands for what was not measured alone either.
const unmeasured = "no baseline"

// keptCells returns what a disk keeps of its baseline, and that.
func (v *phaseView) keptCells(w *analysis.DiskContention) (kept, baseline Cell) {
	from := pick(w.Reference == analysis.ReferenceLater, "without ", "alone in ")
	baseline = v.rateCell(*w.ReferenceRate)
	baseline.Small = from + shorten(w.ReferenceFrom, maxLabel)
	kept = shareCell(*w.Retention)
	kept.Heat = *w.Retention
	if ci := w.RetentionCI; ci != nil { // "47 ± 1%"
		kept.Text = fmt.Sprintf("%.0f ± %.0f%%", perCent**w.Retention,
			math.Ceil(perCent*ci.Half()-roundingError))
	}
	return kept, baseline
}

// diskTable is a row per disk, all of it of the overlap; without one, of the whole phase. It is nil
// if no disk worked.
func (v *phaseView) diskTable() *Table {
	if len(v.found.Disks) == 0 {
		return nil
	}
	o := v.found.Overlap
	working := v.working()
	t := table("Each disk", words("Disk", "Does"),
		numbers(v.Unit, "±", "Share", "Keeps", "Baseline", "Recovered in", "Bytes"))
	t.dropFirst("Recovered in", "Bytes", "Share", "±", "Baseline")
	t.ID = "disks"
	together := o != nil && len(o.Disks) > 1
	twoWay := func(read, written float64) string {
		return v.Number(read) + " read + " + v.Number(written) + " written"
	}
	compared, wide := false, false
	for _, key := range working {
		stats := v.found.Disks[key.Name]
		cached := stats.CachedWrites > 0
		rate := v.rateOrNone(stats.Rate)
		bytes := stats.Bytes
		margin := ""
		var share, kept, reference, recovered Cell
		if o != nil {
			part := o.Disks[key.Name]
			rate = v.rateCell(part.Rate)
			margin = v.margin(part.CI95, part.Rate)
			bytes = part.Bytes
			if t := stats.Throttle; t != nil {
				rate.Small = v.Number(t.FromRate) + ", then " + v.Number(t.ToRate)
			} else if part.ReadRate > 0 {
				rate.Small = twoWay(part.ReadRate, part.Rate-part.ReadRate)
			}
			if together {
				share = shareCell(part.Share)
			}
		}
		rate.Strong = !cached
		if cached {
			rate.Small = ofCache
		}
		w := withoutOthers(v.found, key.Name)
		switch {
		case v.limited(key.Name) && len(working) > 1:
			margin = ""
			kept = Cell{Text: none, Small: ownPace, NoReference: true}
		case w != nil:
			kept, reference = v.keptCells(w)
			compared = true
		case together:
			kept = Cell{Text: noReference(contentionOf(v.found, key.Name)), NoReference: true}
		}
		if lag := v.longestRecovery(key.Name); lag >= 0 {
			recovered = secondsCell(lag, analysis.Seconds(lag))
		}
		does := pick(v.found.Paced[key.Name].Probe > 0, "probe",
			workOf(v.found, key.Name).Verb().Several)
		wide = wide || strings.Contains(margin, " to ")
		t.add(&key, does, rate, v.marginCell(margin), share, kept, reference, recovered, bytesCell(bytes))
	}
	if o == nil {
		t.Note = "Of the whole phase: bytes over the time with a file in transfer."
		return t
	}
	if together {
		sum := v.rateCell(o.Rate)
		sum.Strong = !v.cached()
		margin := v.margin(o.CI95, o.Rate)
		wide = wide || strings.Contains(margin, " to ")
		if o.ReadRate > 0 && o.WriteRate > 0 {
			sum.Small = twoWay(o.ReadRate, o.WriteRate)
		}
		t.add("together", "", sum, v.marginCell(margin), "", "", "", "", bytesCell(o.Bytes))
	}
	t.Note = v.overlapNote(compared, wide)
	return t
}

// cached reports whether a rate of the phase is this computer's cache's.
func (v *phaseView) cached() bool {
	for _, d := range v.found.Disks {
		if d.CachedWrites > 0 {
			return true
		}
	}
	return false
}

// longestRecovery is how long a disk took to recover, in seconds; below nothing if it did not.
func (v *phaseView) longestRecovery(disk string) float64 {
	longest := -1.0
	for _, r := range v.found.Recoveries {
		if r.Disk == disk && r.LagS != nil {
			longest = max(longest, *r.LagS)
		}
	}
	return longest
}

// overlapNote says what the numbers of the disks' table are; wide: an interval is wider than its
// rate.
func (v *phaseView) overlapNote(compared, wide bool) string {
	o := v.found.Overlap
	note := "In the overlap of " + unit.FormatSeconds(o.DurationS) + ", from " +
		clock(o.StartS, o.EndS) +
		" to " + clock(o.EndS, o.EndS) + " s."
	if o.CI95 != nil {
		note += " ±: half the 95% confidence interval" +
			pick(wide, ", or if that is more than the rate itself the interval from low to high.",
				".")
	}
	elsewhere := false
	unlimited := 0
	for _, key := range v.working() {
		elsewhere = elsewhere || keptElsewhere(v.found, key.Name)
		if !v.limited(key.Name) {
			unlimited++
		}
	}
	if compared {
		note += " Baseline: the same disk without the others" +
			pick(elsewhere, ", in the time between changes.", ".")
	}
	if len(o.Disks) > 1 && unlimited > 1 {
		note += fmt.Sprintf(" Jain's fairness index: %.2f.", o.Jain)
	}
	return note + pick(len(o.Disks) > 1 && unlimited < len(o.Disks), " "+ownPaceNote, "")
}

// keptElsewhere reports whether what a disk kept is of another rate than the overlap's: rates are
// held against each other between changes. Less than a twentieth is not worth a word.
func keptElsewhere(found *analysis.PhaseResult, disk string) bool {
	c := withoutOthers(found, disk)
	return c != nil && c.Rate > 0 &&
		math.Abs(c.Rate/found.Overlap.Disks[disk].Rate-1) >= maxShareGap
}

// maxListed is how many changes are listed: more are of use to no one.
const maxListed = 60

// changeTable lists the changes that need more words than the timeline has for them, starts, ends,
// recoveries and the falls that the verdict tells left out; nil if there are none.
func (v *phaseView) changeTable() *Table {
	t := table("What else changed", numbers("At, s", "Until, s"), words("Disks", "What"),
		numbers("From, "+v.Unit, "To, "+v.Unit), words("Cause"))
	t.dropFirst("Disks", "Until, s", "Cause")
	t.ID = "changes"
	var list []analysis.Change
	for _, c := range v.inOrder(v.found.Changes) {
		fell := c.Kind == analysis.KindOwnFall && len(c.Disks) == 1 &&
			v.found.Disks[c.Disks[0]].Throttle != nil
		if !fell && !isOwn(&c) && c.Kind != analysis.KindRecovery {
			list = append(list, c)
		}
	}
	summed, swings := false, false
	for i, c := range list {
		sum := len(c.Disks) > 1 && (c.Kind == analysis.KindSharedFall ||
			c.Kind == analysis.KindStall || len(c.Each) == 0)
		summed = summed || sum
		swings = swings || c.Recurs()
		if i >= maxListed {
			continue
		}
		until := pick(c.EndS > c.StartS, clock(c.EndS, v.endS), "")
		names := analysis.Each(c.Disks, v.label)
		from, to := []string{v.Number(c.FromRate)}, []string{v.Number(c.ToRate)}
		if len(c.Each) > 1 && !sum {
			from, to = nil, nil
			for k, disk := range c.Disks {
				s := c.Of(disk)
				from = append(from, names[k]+" "+v.Number(s.FromRate))
				to = append(to, names[k]+" "+v.Number(s.ToRate))
			}
		}
		t.add(clock(c.StartS, v.endS), until, strings.Join(names, ", "),
			analysis.ChangeLabel(&c, len(v.lanes), v.label),
			strings.Join(from, ", "), strings.Join(to, ", "), analysis.ChangeCause(&c, v.label))
	}
	more := len(list) - maxListed
	t.Note = joined(" ",
		pick(summed, "Rates of several disks are their sum, unless each is named.", ""),
		pick(swings, "A swing lists its upper and its lower level.", ""),
		pick(more > 0, unit.Plural(more, "more change")+" left out.", ""))
	return t
}

// recoveryTable is what each disk gained after another ended.
func (v *phaseView) recoveryTable() *Table {
	t := table("Recovery", words("Disk", "After"),
		numbers("At, s", "Took", "From, "+v.Unit, "To, "+v.Unit))
	for _, r := range v.found.Recoveries {
		key := v.key(r.Disk)
		lag := Cell{Text: r.Reason}
		if r.LagS != nil {
			lag = secondsCell(*r.LagS, analysis.Seconds(*r.LagS))
		}
		t.add(&key, v.label(r.After)+" ended", secondsCell(r.AtS, clock(r.AtS, r.AtS)), lag,
			v.rateCell(r.FromRate), v.rateOrNone(r.ToRate))
	}
	return t
}

// linksTable is what went over each link of the disks' paths, against what such links can carry.
func (v *phaseView) linksTable() *Table {
	t := table("What the links carried", words("Link", "Disks", "Direction"),
		numbers("Carried, "+v.Unit, "Can carry", "Used"))
	t.ID = "links"
	t.Note = "All disks at work. What a link can carry is what links of its kind have been seen " +
		"to carry one way."
	for _, u := range v.found.Links {
		link := fmt.Sprintf("%s, %s", u.Segment, u.Link) +
			pick(u.Could == "", "", " (fell back from "+u.Could+")")
		t.add(link, unit.List(analysis.Each(u.Disks, v.label)), string(u.Op), v.rateCell(u.Rate),
			v.rateCell(u.Capacity), shareCell(u.Share))
	}
	return t
}

// disksWithFiles are the disks of which single files are told: those of streams and probes are
// nobody's.
func (v *phaseView) disksWithFiles() (keys []LegendKey) {
	for _, key := range v.working() {
		if !v.found.Paced[key.Name].HasNoFiles() {
			keys = append(keys, key)
		}
	}
	return keys
}

// filesTable is a row per disk over the rates of its single files, in the whole phase, with the one
// to quote and what other ways of averaging make of them.
func (v *phaseView) filesTable() *Table {
	rate := v.rateOrNone
	t := table("File by file", words("Disk"),
		numbers("Files", "Bytes", "Rate to quote", "Median", "5th – 95th percentile", "Variation",
			"Whole phase", "Mean", "Trimmed mean", "Least squares", "Theil–Sen"))
	t.dropFirst("Least squares", "Theil–Sen", "Whole phase", "Mean", "Trimmed mean")
	t.ID = "files"
	t.Note = "Rates in " + v.Unit + ", of single files in the whole phase. " +
		"Whole phase: all bytes over the time with a file in transfer. " +
		"Trimmed: without the fastest and slowest fifth. " +
		"Least squares, Theil–Sen: regressions of time on size."
	kinds := map[string]string{
		analysis.QuoteOverlap: "in the overlap", analysis.QuoteLater: "after its fall",
		analysis.QuoteSettled: "once it had settled", analysis.QuoteMean: "over time",
	}
	for _, key := range v.disksWithFiles() {
		s := v.found.Disks[key.Name]
		quote := Cell{Text: none}
		variation, spread := Cell{Text: none}, Cell{Text: none}
		if q := s.Quote; q != nil {
			quote = v.rateCell(q.Rate)
			quote.Small = cmp.Or(kinds[q.Kind], q.Kind)
			quote.Strong = true
			if s.CachedWrites > 0 {
				quote.Small = ofCache
				quote.Strong = false
			}
		}
		if s.CV != nil {
			variation = shareCell(*s.CV)
		}
		if s.P05 != nil && s.P95 != nil {
			spread = v.rateSpan(*s.P05, *s.P95, " – ")
		}
		t.add(&key, s.Files, bytesCell(s.Bytes), quote, rate(s.Median),
			spread, variation,
			rate(s.Rate), rate(s.Mean), rate(s.Trimmed20), rate(s.OLSRate), rate(s.TheilSenRate))
	}
	return t
}
