package report

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// sign is what a verdict is marked with.
func sign(verdict stream.Verdict) Sign {
	return map[stream.Verdict]Sign{stream.Clean: Good, stream.Strained: Caution,
		stream.Drops: Bad}[verdict]
}

// verdictCell is a verdict with its mark.
func verdictCell(verdict stream.Verdict) Cell {
	if verdict == "" {
		return Cell{Text: none}
	}
	return Cell{Text: string(verdict), Sign: sign(verdict), Strong: true}
}

// framesText is how many frames were dropped: "311 of 6,000 (5.2 %)", "1 of 6,000 (0.017 %)".
func framesText(late, due int) string {
	text := unit.FormatCount(late) + " of " + unit.FormatCount(due)
	if late > 0 {
		text += " (" + unit.FormatPercent(Round(float64(late)/float64(due), 2)) + ")"
	}
	return text
}

// verdictNote says what the verdicts mean.
const verdictNote = "Clean: no frame was dropped, and the buffer never fell below half. " +
	"Strained: no frame was dropped, but the buffer fell below half. " +
	"A frame is dropped that has not been read, or written, when it is due; " +
	"the buffer is how long a disk may stall before that."

// streamTable is a row for the streams of each disk.
func (v *phaseView) streamTable() *Table {
	t := table("Streams", words("Disk", "Streams", "Verdict"),
		numbers("Dropped frames", "With all others busy", "Longest stall", "Lowest buffer"),
		words("Dropped while"))
	t.dropFirst("With all others busy", "Longest stall", "Dropped while")
	if len(v.a.Phases) == 1 { // else the answer's table says it
		t.Note = verdictNote
	}
	for i := range v.found.StreamTotals {
		total := &v.found.StreamTotals[i]
		key := v.key(total.Disk)
		listed := strings.TrimSpace(workOf(v.found, total.Disk).Listed())
		what := Cell{
			Text:  Clean(cmp.Or(listed, unit.Plural(total.Streams, "stream"))),
			Small: pick(total.Op == trace.Write, "recorded", "played"),
		}
		verdict := verdictCell(total.Verdict)
		if total.Streams > 1 && (total.Late > 0 || total.Verdict == stream.Strained) {
			verdict.Small = "worst in stream " + Clean(total.Worst)
		}
		withOthers := "" // "250 of 2,200 in 22 s"
		if b := total.WithOthers; b != nil {
			withOthers = unit.FormatCount(b.Late) + " of " + unit.FormatCount(b.Due) + " in " +
				unit.FormatSeconds(b.TestedS) + pick(b.Verdict == "", ": too short", "")
		}
		// "0.31 of 1 s"; a trace may not say how large it is.
		buffer := fmt.Sprintf("%.2f", math.Floor(100*total.LowestBufferS+1e-6)/100) +
			pick(total.BufferS > 0, " of "+Write(Seconds, Round(total.BufferS, 3)), " s")
		stall := ""
		var while []string // the others that were busy whenever frames were dropped
		if total.Late > 0 {
			stall = unit.FormatSeconds(total.LongestStallS)
			for _, name := range total.LateWhile {
				while = append(while, v.label(name)+" "+workOf(v.found, name).Does().One)
			}
		}
		t.add(&key, what, verdict, framesText(total.Late, total.Due), withOthers, stall, buffer,
			strings.Join(while, ", "))
	}
	return t
}
