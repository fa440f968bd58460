package html

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/internal/render/chart"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/unit"
)

// tile is one number of the first screen, with what it is and what to doubt about it.
type tile struct {
	Key      string // the number's place in analysis.json, below its phase
	Raw      string // the number as analysis.json has it
	Label    string
	Value    string
	Unit     string
	Lines    []string
	Disk     *disk
	Share    *meter
	Warnings []string
}

// meter is a bar of part against whole: both lengths in the 100 units of an SVG's width.
type meter struct {
	Part, Whole float64
	Text        string
}

// tiles answer the reader's questions in order: how much together, how long, who got what, how fair, how
// long the others needed afterwards.
func tiles(in Input, found *analysis.Phase) []tile {
	o := found.Overlap
	if o == nil {
		return diskTiles(in, found)
	}
	scale := chart.ScaleOf(in.Analysis)
	working := len(o.Disks)
	together := number(key("overlap", "rate"), o.Rate, scale.Rate(o.Rate))
	together.Label = "all " + words(working) + " together"
	if working == 1 {
		together.Label = "alone"
	}
	together.Lines = append(together.Lines, strconv.FormatFloat(o.Rate*8/1e9, 'f', 1, 64)+" Gb/s on the link")
	if o.ReadRate > 0 && o.WriteRate > 0 {
		together.Lines = append(together.Lines, scale.Number(o.ReadRate)+" read + "+scale.Number(o.WriteRate)+" written")
	}
	if o.CI95 != nil {
		together.Lines = append(together.Lines, interval(scale, o.CI95))
	}
	window := number(key("overlap", "duration_s"), o.DurationS, unit.FormatSeconds(o.DurationS))
	window.Label = "of overlap"
	window.Lines = []string{
		"from " + chart.Clock(o.StartS, o.EndS) + " to " + chart.Clock(o.EndS, o.EndS) + " s",
		unit.FormatBytes(o.Bytes) + " moved",
	}
	for _, warning := range found.Warnings {
		if warning.Disk == "" {
			window.Warnings = append(window.Warnings, warning.Text)
		}
	}
	out := append([]tile{together, window}, diskTiles(in, found)...)
	if i := slowest(found); i >= 0 {
		slowest := found.Recoveries[i]
		lag := number(key("recoveries", i, "lag_s"), *slowest.LagS, unit.FormatSeconds(*slowest.LagS))
		lag.Label = "to recover"
		lag.Lines = []string{slowest.Disk + ", after " + slowest.After + " ended", "from " + scale.Number(slowest.FromRate) + " to " + rate(scale, slowest.ToRate) + " " + scale.Unit}
		out = append(out, lag)
	}
	if working > 1 {
		fair := number(key("overlap", "jain"), o.Jain, strconv.FormatFloat(o.Jain, 'f', 2, 64))
		fair.Label = "fairness"
		fair.Lines = []string{"Jain's index", "1: equal, " + strconv.FormatFloat(1/float64(working), 'f', 2, 64) + ": one has all"}
		out = append(out, fair)
	}
	return out
}

// diskTiles are one tile per working disk: its rate in the overlap, or where there is none in all.
func diskTiles(in Input, found *analysis.Phase) []tile {
	var out []tile
	scale := chart.ScaleOf(in.Analysis)
	for _, d := range in.Run.Disks {
		if found.Roles[d.Name] == scenario.Idle || found.Roles[d.Name] == "" {
			continue
		}
		face := look(in.Run, d.Name)
		var t tile
		if o := found.Overlap; o != nil {
			part := o.Disks[d.Name]
			t = number(key("overlap", "disks", d.Name, "rate"), part.Rate, scale.Rate(part.Rate))
			t.Lines = append(t.Lines, percent(part.Share)+" of the bytes")
			t.Share = against(in.Analysis, found, d.Name, part.Rate)
		} else {
			t = tile{Value: "no rate"}
			if r := found.Disks[d.Name].Rate; r != nil {
				t = number(key("disks", d.Name, "rate"), *r, scale.Rate(*r))
			}
			t.Lines = append(t.Lines, "no overlap to compare")
		}
		t.Label, t.Disk = verb(found.Roles[d.Name]), &face
		for _, warning := range found.Warnings {
			if warning.Disk == d.Name {
				t.Warnings = append(t.Warnings, warning.Text)
			}
		}
		out = append(out, t)
	}
	return out
}

// against sets a disk's share of the hub beside what it does alone.
func against(a *analysis.Analysis, found *analysis.Phase, name string, shared float64) *meter {
	alone := chart.AloneRate(a, found, name)
	if alone == nil || alone.Rate <= 0 {
		return nil
	}
	top := max(alone.Rate, shared)
	return &meter{
		Part: fixed(100*shared/top, 1), Whole: fixed(100*alone.Rate/top, 1),
		Text: percent(shared/alone.Rate) + " of " + chart.ScaleOf(a).Number(alone.Rate) + " " + alone.From,
	}
}

func number(key string, raw float64, text string) tile {
	t := tile{Key: key, Raw: strconv.FormatFloat(raw, 'g', -1, 64), Value: text}
	for i := range text {
		if text[i] == ' ' {
			t.Value, t.Unit = text[:i], text[i+1:]
			break
		}
	}
	return t
}

// key is the number's place in the phase's part of analysis.json, as a JSON list of steps.
func key(steps ...any) string {
	text, err := json.Marshal(steps)
	if err != nil {
		panic(err) // strings and integers always encode
	}
	return string(text)
}

// slowest is the index of the recovery that took longest, or -1.
func slowest(found *analysis.Phase) int {
	at := -1
	for i, r := range found.Recoveries {
		if r.LagS != nil && (at < 0 || *r.LagS > *found.Recoveries[at].LagS) {
			at = i
		}
	}
	return at
}

// row is a disk's line in the tables. They give rates as bare numbers: their heads name the unit.
type row struct {
	disk
	Op, Window, CI, Share, Alone, AloneFrom, Files, Bytes, Rate, Median, Spread string
	Mean, Trimmed, CV, OLS, Latency, TheilSen, Remark                           string
}

func rows(in Input, found *analysis.Phase) []row {
	scale := chart.ScaleOf(in.Analysis)
	var out []row
	for _, d := range in.Run.Disks {
		stats, ok := found.Disks[d.Name]
		if !ok {
			continue
		}
		r := row{disk: look(in.Run, d.Name), Op: string(stats.Op), Files: strconv.Itoa(stats.Files), Bytes: unit.FormatBytes(stats.Bytes),
			Rate: rate(scale, stats.Rate), Median: rate(scale, stats.Median), Spread: span(scale, stats.P05, stats.P95), Window: none, Share: none, Alone: none, CI: none}
		r.Mean, r.Trimmed, r.OLS, r.TheilSen = rate(scale, stats.Mean), rate(scale, stats.Trimmed20), rate(scale, stats.OLSRate), rate(scale, stats.TheilSenRate)
		r.CV, r.Latency, r.Remark = none, none, remark(stats, scale)
		if stats.CV != nil {
			r.CV = percent(*stats.CV)
		}
		if stats.OLSLatencyS != nil {
			r.Latency = unit.FormatSeconds(*stats.OLSLatencyS)
		}
		if found.Overlap != nil {
			if part, ok := found.Overlap.Disks[d.Name]; ok {
				r.Window, r.Share = scale.Number(part.Rate), percent(part.Share)
				if part.CI95 != nil {
					r.CI = span(scale, &part.CI95[0], &part.CI95[1])
				}
			}
		}
		if alone := chart.AloneRate(in.Analysis, found, d.Name); alone != nil {
			r.Alone, r.AloneFrom = scale.Number(alone.Rate), alone.From
		}
		out = append(out, r)
	}
	return out
}

// remark says what a mean would hide.
func remark(stats analysis.Disk, scale chart.Scale) string {
	var parts []string
	if t := stats.Throttle; t != nil {
		parts = append(parts, "throttled at "+unit.FormatBytes(int64(t.AtBytes))+": "+scale.Number(t.FromRate)+" to "+scale.Number(t.ToRate))
	}
	if k := stats.SizeKnee; k != nil {
		parts = append(parts, "changes at files of "+unit.FormatBytes(int64(k.AtBytes))+": "+scale.Number(k.BelowRate)+" to "+scale.Number(k.AboveRate))
	}
	if stats.Bimodal != nil && *stats.Bimodal {
		parts = append(parts, "two speeds: no mean tells of both")
	}
	if parts == nil {
		return none
	}
	return strings.Join(parts, "; ")
}

// stage is a line of the table of stages.
type stage struct {
	From, To, Rate string
	Active         []disk
}

// stages lists them but for those too short to matter, mostly the workers' different starts; short is their number.
func stages(in Input, found *analysis.Phase) (out []stage, short int) {
	scale := chart.ScaleOf(in.Analysis)
	end := 0.0
	for _, s := range found.Stages {
		end = max(end, s.EndS)
	}
	for _, s := range found.Stages {
		if s.EndS-s.StartS < end/1000 {
			short++
			continue
		}
		line := stage{From: chart.Clock(s.StartS, end), To: chart.Clock(s.EndS, end), Rate: scale.Number(s.Rate)}
		for _, name := range s.Active {
			line.Active = append(line.Active, look(in.Run, name))
		}
		out = append(out, line)
	}
	return out, short
}

// recovery is a line of the table of recoveries.
type recovery struct {
	disk
	After, At, Lag, From, To string
}

func recoveryRows(in Input, found *analysis.Phase) []recovery {
	scale := chart.ScaleOf(in.Analysis)
	var out []recovery
	for _, r := range found.Recoveries {
		lag := r.Reason
		if r.LagS != nil {
			lag = unit.FormatSeconds(*r.LagS)
		}
		out = append(out, recovery{look(in.Run, r.Disk), r.After, chart.Clock(r.AtS, r.AtS), lag, scale.Number(r.FromRate), rate(scale, r.ToRate)})
	}
	return out
}

// none stands where there is no number.
const none = "–"

func rate(scale chart.Scale, r *float64) string {
	if r == nil {
		return none
	}
	return scale.Number(*r)
}

func span(scale chart.Scale, low, high *float64) string {
	if low == nil || high == nil {
		return none
	}
	return scale.Number(*low) + " – " + scale.Number(*high)
}

func interval(scale chart.Scale, ci *analysis.Interval) string {
	return "95 % sure: " + span(scale, &ci[0], &ci[1])
}

func percent(fraction float64) string {
	return strconv.FormatFloat(100*fraction, 'f', 0, 64) + " %"
}

// words writes a small count as a word.
func words(n int) string {
	names := [...]string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}
	if n < len(names) {
		return names[n]
	}
	return strconv.Itoa(n)
}
