package picture

import (
	"bytes"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// tidy makes an SVG of gonum's a third of its size, and readable without Liberation's fonts: coordinates to a
// tenth of a point, lines relative to the point before.
func tidy(svg []byte) []byte {
	svg = bytes.ReplaceAll(svg, []byte("font-family:Liberation Sans;font-variant:normal;"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;"))
	svg = bytes.ReplaceAll(svg, []byte("font-weight:normal;font-style:normal;"), nil)
	return regexp.MustCompile(`d="[^"]*"`).ReplaceAllFunc(svg, func(path []byte) []byte {
		short, ok := shortPath(string(path[len(`d="`) : len(path)-1]))
		if !ok {
			return path
		}
		return []byte(`d="` + short + `"`)
	})
}

// shortPath rewrites a path of the commands that gonum's SVG has: M, L, A and Z with absolute coordinates.
// It reports false for any other.
func shortPath(path string) (string, bool) {
	var out strings.Builder
	var x, y int // the last point, in tenths
	for len(path) > 0 {
		command := path[0]
		end := strings.IndexAny(path[1:], "MLAZ") + 1
		if end == 0 {
			end = len(path)
		}
		numbers := strings.FieldsFunc(path[1:end], func(r rune) bool { return r == ' ' || r == ',' })
		path = path[end:]
		values := make([]float64, len(numbers))
		for i, number := range numbers {
			value, err := strconv.ParseFloat(number, 64)
			if err != nil {
				return "", false
			}
			values[i] = value
		}
		switch {
		case command == 'Z' && len(values) == 0:
			out.WriteByte('z')
			continue
		case command == 'M' && len(values) == 2:
			x, y = tenths(values[0]), tenths(values[1])
			out.WriteString("M" + tenth(x) + "," + tenth(y))
			continue
		case command == 'A' && len(values) == 7:
			toX, toY := tenths(values[5]), tenths(values[6])
			out.WriteString("a" + tenth(tenths(values[0])) + "," + tenth(tenths(values[1])) + " 0 " + numbers[3] + " " + numbers[4] + " " +
				tenth(toX-x) + "," + tenth(toY-y))
			x, y = toX, toY
			continue
		case command != 'L' || len(values) != 2:
			return "", false
		}
		toX, toY := tenths(values[0]), tenths(values[1])
		switch {
		case toX == x && toY == y:
		case toY == y:
			out.WriteString("h" + tenth(toX-x))
		case toX == x:
			out.WriteString("v" + tenth(toY-y))
		default:
			out.WriteString("l" + tenth(toX-x) + "," + tenth(toY-y))
		}
		x, y = toX, toY
	}
	return out.String(), true
}

func tenths(x float64) int { return int(math.Round(10 * x)) }

// tenth writes tenths as a decimal number, as short as can be: 5 is ".5", 30 is "3".
func tenth(n int) string {
	text := strconv.FormatFloat(float64(n)/10, 'f', -1, 64)
	if short, ok := strings.CutPrefix(text, "0."); ok {
		return "." + short
	}
	if short, ok := strings.CutPrefix(text, "-0."); ok {
		return "-." + short
	}
	return text
}
