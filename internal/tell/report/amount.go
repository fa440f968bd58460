package report

import (
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/unit"
)

// The cells of numbers are written for people, and plain for programs that reckon with them.

// plainFigures is how many figures plain numbers have that people read in other units.
const plainFigures = 4

// rateCell returns the cell of a rate.
func (s Scale) rateCell(rate float64) Cell {
	text := s.Number(rate)
	return Cell{Text: text, Plain: [2]string{text}, Unit: s.Unit}
}

// marginCell returns the cell of a margin, or of the interval in its place.
func (s Scale) marginCell(margin string) Cell {
	if margin == "" || strings.Contains(margin, " to ") {
		return Cell{Text: margin}
	}
	return Cell{Text: margin, Plain: [2]string{margin}, Unit: s.Unit}
}

// rateOrNone returns the cell of a rate that may be missing.
func (s Scale) rateOrNone(rate *float64) Cell {
	if rate == nil {
		return Cell{Text: none}
	}
	return s.rateCell(*rate)
}

// rateSpan returns the cell of rates from low to high.
func (s Scale) rateSpan(low, high float64, to string) Cell {
	ends := [2]string{s.Number(low), s.Number(high)}
	return Cell{Text: ends[0] + to + ends[1], Plain: ends, Unit: s.Unit}
}

// shareCell returns the cell of a share of a whole.
func shareCell(share float64) Cell {
	text := percent(share)
	return Cell{Text: text, Plain: [2]string{strings.TrimSuffix(text, "%")}, Unit: "%"}
}

// changeCell returns the cell of a change.
func changeCell(change float64) Cell {
	return Cell{Text: Change(change), Plain: [2]string{plainSign(signed(change))}, Unit: "%"}
}

// changeSpanCell returns the cell of the interval of a change; empty if there is none.
func changeSpanCell(v *stats.Interval) Cell {
	if v == nil {
		return Cell{}
	}
	ends := [2]string{plainSign(signed(v[0])), plainSign(signed(v[1]))}
	return Cell{Text: ChangeSpan(v), Plain: ends, Unit: "%"}
}

// plainSign writes the sign of a number as programs read it.
func plainSign(number string) string {
	return strings.TrimPrefix(strings.Replace(number, "−", "-", 1), "+")
}

// bytesCell returns the cell of a size.
func bytesCell(bytes int64) Cell {
	plain := strconv.FormatFloat(Round(float64(bytes)/1e9, plainFigures), 'f', -1, 64)
	return Cell{Text: unit.FormatBytes(bytes), Plain: [2]string{plain}, Unit: "GB"}
}

// secondsCell returns the cell of a time that is written in the given words.
func secondsCell(seconds float64, text string) Cell {
	plain := strconv.FormatFloat(Round(seconds, plainFigures), 'f', -1, 64)
	return Cell{Text: text, Plain: [2]string{plain}, Unit: "s"}
}
