package html

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/internal/render/chart"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
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
	window := overlapTile(found)
	if working == 1 {
		out := diskTiles(in, found)
		for i := range out {
			out[i].Label = "alone, " + out[i].Label
			out[i].Lines = append(speedLines(found, scale), out[i].Lines[1:]...) // its share of the bytes is all of them
		}
		window.Label = "at work"
		return append(out, window)
	}
	together := number(key("overlap", "rate"), o.Rate, scale.Rate(o.Rate))
	together.Label = allOf(working) + " together"
	together.Lines = speedLines(found, scale)
	out := append([]tile{together, window}, diskTiles(in, found)...)
	if i := slowest(found); i >= 0 {
		slowest := found.Recoveries[i]
		lag := number(key("recoveries", i, "lag_s"), *slowest.LagS, unit.FormatSeconds(*slowest.LagS))
		lag.Label = "slowest recovery"
		lag.Lines = []string{slowest.Disk + ", after " + slowest.After + " ended", "from " + scale.Number(slowest.FromRate) + " to " + rate(scale, slowest.ToRate) + " " + scale.Unit}
		out = append(out, lag)
	}
	fair := number(key("overlap", "jain"), o.Jain, strconv.FormatFloat(o.Jain, 'f', 2, 64))
	fair.Label = "fairness"
	fair.Lines = []string{"Jain's index", "1: equal, " + strconv.FormatFloat(1/float64(working), 'f', 2, 64) + ": one has all"}
	return append(out, fair)
}

// overlapTile is the tile of the window: its length, its place, its bytes and what to doubt about it.
func overlapTile(found *analysis.Phase) tile {
	o := found.Overlap
	window := number(key("overlap", "duration_s"), o.DurationS, unit.FormatSeconds(o.DurationS))
	window.Label = "overlap"
	window.Lines = []string{
		"from " + chart.Clock(o.StartS, o.EndS) + " to " + chart.Clock(o.EndS, o.EndS) + " s",
		unit.FormatBytes(o.Bytes) + " moved",
	}
	for _, warning := range found.Warnings {
		if warning.Disk == "" {
			window.Warnings = append(window.Warnings, warning.Text)
		}
	}
	return window
}

// speedLines say what the overlap's total means.
func speedLines(found *analysis.Phase, scale chart.Scale) []string {
	o := found.Overlap
	lines := []string{strconv.FormatFloat(o.Rate*8/1e9, 'f', 1, 64) + " Gb/s on the link"}
	if c := found.Contention; c != nil && c.Ceiling != nil {
		lines = append(lines, scale.Number(c.Ceiling.Rate)+": a limit the disks share")
	}
	if o.ReadRate > 0 && o.WriteRate > 0 {
		lines = append(lines, scale.Number(o.ReadRate)+" read + "+scale.Number(o.WriteRate)+" written")
	}
	if o.CI95 != nil {
		lines = append(lines, interval(scale, o.CI95))
	}
	return lines
}

// diskTiles are one tile per working disk: its rate in the overlap, or where there is none in all.
func diskTiles(in Input, found *analysis.Phase) []tile {
	var out []tile
	scale := chart.ScaleOf(in.Analysis)
	for _, d := range in.Run.Disks {
		if found.Roles[d.Name] == trace.Idle || found.Roles[d.Name] == "" {
			continue
		}
		face := look(in.Run, d.Name)
		var t tile
		if o := found.Overlap; o != nil {
			part := o.Disks[d.Name]
			t = number(key("overlap", "disks", d.Name, "rate"), part.Rate, scale.Rate(part.Rate))
			t.Lines = append(t.Lines, percent(part.Share)+" of the bytes")
			t.Share = against(scale, chart.AloneRate(found, d.Name), part.Rate)
		} else {
			t = tile{Value: "no rate"}
			if r := found.Disks[d.Name].Rate; r != nil {
				t = number(key("disks", d.Name, "rate"), *r, scale.Rate(*r))
			}
			t.Lines = append(t.Lines, "no overlap to compare")
		}
		t.Label, t.Disk = verb(found.Roles[d.Name]), &face
		if q := found.Disks[d.Name].Quote; q != nil && q.Kind == analysis.QuoteLater {
			t.Lines = append(t.Lines, "better quoted: "+scale.Number(q.Rate)+", "+quoted(q.Kind))
		}
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
func against(scale chart.Scale, alone *chart.Alone, shared float64) *meter {
	if alone == nil {
		return nil
	}
	top := max(alone.Rate, shared)
	text := "of " + scale.Number(alone.Rate) + " " + alone.From
	if alone.Retention != nil {
		text = percent(*alone.Retention) + " " + text
	}
	return &meter{Part: fixed(100*shared/top, 1), Whole: fixed(100*alone.Rate/top, 1), Text: text}
}

func number(key string, raw float64, text string) tile {
	t := tile{Key: key, Raw: strconv.FormatFloat(raw, 'g', -1, 64), Value: text}
	if i := strings.LastIndexByte(text, ' '); i >= 0 {
		t.Value, t.Unit = text[:i], text[i+1:]
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

// count writes a whole number with its thousands apart.
func count(n int) string {
	text := strconv.Itoa(n)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// allOf stands for several disks: "both", "all three".
func allOf(n int) string {
	if n == 2 {
		return "both"
	}
	return "all " + words(n)
}

// words writes a small count as a word.
func words(n int) string {
	names := [...]string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"}
	if n < len(names) {
		return names[n]
	}
	return strconv.Itoa(n)
}
