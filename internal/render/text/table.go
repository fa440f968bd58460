package text

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// most is how many columns a line may take.
const most = 100

// table is rows of cells, the first row the heads. Columns without a value in any row are left out.
type table [][]string

func (t table) print(out io.Writer) {
	var keep []int
	for column := range t[0] {
		if slices.ContainsFunc(t[1:], func(row []string) bool { return row[column] != "" }) {
			keep = append(keep, column)
		}
	}
	widths := make([]int, len(t[0]))
	used := 0
	for _, column := range keep {
		for _, row := range t {
			widths[column] = max(widths[column], columns(clean(row[column])))
		}
		used += widths[column] + 2
	}
	// The first column holds names, and only names can be too long.
	widths[0] -= min(max(0, used-most), max(0, widths[0]-8))
	for _, row := range t {
		var line strings.Builder
		for _, column := range keep {
			text := clip(clean(row[column]), widths[column])
			pad := strings.Repeat(" ", widths[column]-columns(text))
			if column < 2 { // words to the left, numbers to the right
				line.WriteString("  " + text + pad)
			} else {
				line.WriteString("  " + pad + text)
			}
		}
		fmt.Fprintln(out, strings.TrimRight(line.String(), " "))
	}
}

// wrap prints text in lines of at most so many columns, the first after prefix, the others under it.
func wrap(out io.Writer, prefix, text string) {
	words := glue(strings.Fields(clean(text)))
	if len(words) == 0 {
		return
	}
	indent := columns(prefix)
	line := prefix
	for i, word := range words {
		word = clip(word, most-indent)
		switch {
		case i == 0:
			line += word
		case columns(line)+1+columns(word) > most:
			fmt.Fprintln(out, line)
			line = strings.Repeat(" ", indent) + word
		default:
			line += " " + word
		}
	}
	fmt.Fprintln(out, line)
}

// glue joins a number and the short word after it, its unit, so that no line break parts them.
func glue(words []string) []string {
	var out []string
	for i, word := range words {
		if i > 0 && len(word) <= 5 && strings.ContainsAny(words[i-1][len(words[i-1])-1:], "0123456789") {
			out[len(out)-1] += " " + word
			continue
		}
		out = append(out, word)
	}
	return out
}
