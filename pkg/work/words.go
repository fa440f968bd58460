package work

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/unit"
)

// Value is what the work has by a key, in words.
func (w Work) Value(k Key) string {
	none := func(text string) string { return cmp.Or(text, "none") }
	switch k {
	case KeyOp:
		return string(w.Op)
	case KeyMix:
		if w.Reads == 0 {
			return "none"
		}
		return fmt.Sprintf("%.0f/%.0f", 100*w.Reads, 100*(1-w.Reads))
	case KeyStreams:
		var specs []string
		for _, s := range w.Streams {
			specs = append(specs, s.String()+", buffer "+unit.FormatSeconds(s.Buffer.Seconds()))
		}
		return none(strings.Join(specs, "; "))
	case KeyProbe:
		if w.Probe == 0 {
			return "none"
		}
		return unit.FormatBlock(w.Probe) + " every " + unit.FormatSeconds(w.Every.Seconds())
	case KeyPace:
		if w.Pace == 0 {
			return "no limit"
		}
		return unit.FormatRate(w.Pace)
	case KeySizes:
		return w.sizesText()
	case KeyOrder:
		return cmp.Or(w.order(), "no order")
	case KeyIO:
		return none(w.Mode)
	case KeyBlock:
		return unit.FormatBlock(w.Block)
	case KeyDepth:
		return strconv.Itoa(w.Depth)
	case KeyAccess:
		return none(w.Access)
	case KeyFlush:
		return none(w.Flush)
	case KeyVerify:
		return none(w.Verify)
	case KeyPreallocate:
		return strconv.FormatBool(w.Preallocate)
	case KeyFootprint:
		if w.Footprint == 0 {
			return "no limit"
		}
		return unit.FormatBytes(w.Footprint)
	case KeyPrecondition:
		if w.Fill == 0 {
			return "none"
		}
		return unit.FormatPercent(w.Fill)
	case KeyWarmUp:
		return strconv.Itoa(w.WarmUp)
	case KeyTest:
		return none(w.testText())
	case KeyUnknown:
		if w.Declared() {
			return "written down"
		}
		return "not recorded"
	}
	return ""
}

// testText is the test, and how its passes go.
func (w Work) testText() string {
	var texts []string
	for _, part := range []struct {
		is   bool
		text string
	}{
		{w.Test != "", w.Test}, {w.OneFile, "one file again and again"}, {w.Cap > 0, "at most " + unit.FormatSeconds(w.Cap.Seconds()) + " each"},
		{w.Rest > 0, unit.FormatSeconds(w.Rest.Seconds()) + " apart"},
	} {
		if part.is {
			texts = append(texts, part.text)
		}
	}
	return strings.Join(texts, ", ")
}

// sizesText is the sizes of files: "1 GB", "2 MB to 2 GB".
func (w Work) sizesText() string {
	smallest, largest, drawn := w.Sizes.Min, w.Sizes.Max, ""
	switch {
	case w.Sizes.IsZero():
		smallest, _, largest = w.Seen.Range()
		if _, median, _ := w.Seen.Range(); largest > smallest {
			drawn = ", half of them up to " + unit.FormatBytes(median)
		}
	case len(w.Sizes.List) > 0:
		smallest, largest = w.Sizes.List[0], w.Sizes.List[0]
		for _, size := range w.Sizes.List {
			smallest, largest = min(smallest, size), max(largest, size)
		}
		if largest > smallest {
			drawn = fmt.Sprintf(", a list of %d", len(w.Sizes.List))
		}
	case w.Sizes.Distribution == LogUniform:
		drawn = ", " + LogUniform
	}
	if largest == 0 {
		return "none"
	}
	if smallest == largest {
		return unit.FormatBytes(largest)
	}
	return unit.FormatBytes(smallest) + " to " + unit.FormatBytes(largest) + drawn
}
