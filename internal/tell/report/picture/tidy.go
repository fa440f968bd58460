package picture

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// tidy makes an SVG of gonum's a third of its size, and readable without Liberation's fonts: coordinates to a
// tenth of a point, lines relative to the point before.
func tidy(svg []byte) []byte {
	svg = bytes.ReplaceAll(svg, []byte("font-family:Liberation Sans;font-variant:normal;"),
		[]byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;"))
	svg = bytes.ReplaceAll(svg, []byte("font-weight:normal;font-style:normal;"), nil)
	return regexp.MustCompile(`d="[^"]*"`).ReplaceAllFunc(svg, func(path []byte) []byte {
		short, ok := shortPath(string(path[len(`d="`) : len(path)-1]))
		if !ok {
			return path
		}
		return []byte(`d="` + short + `"`)
	})
}

// plainPath is a path of the commands that gonum's SVG has: M, L, A and Z with absolute coordinates.
var plainPath = regexp.MustCompile(`^([ML][-0-9.e]+,[-0-9.e]+|A([-0-9.e]+[ ,]){6}[-0-9.e]+|Z)*$`)

// shortPath rewrites such a path, and reports false for any other.
func shortPath(path string) (string, bool) {
	if !plainPath.MatchString(path) {
		return "", false
	}
	var out strings.Builder
	var x, y int // the last point, in tenths
	for len(path) > 0 {
		command, end := path[0], 1+strings.IndexAny(path[1:], "MLAZ")
		if end == 0 {
			end = len(path)
		}
		numbers := strings.FieldsFunc(path[1:end], func(r rune) bool { return r == ' ' || r == ',' })
		if path = path[end:]; command == 'Z' {
			out.WriteByte('z')
			continue
		}
		toX, toY := tenths(numbers[len(numbers)-2]), tenths(numbers[len(numbers)-1])
		switch {
		case command == 'M':
			out.WriteString("M" + tenth(toX) + "," + tenth(toY))
		case command == 'A':
			fmt.Fprintf(&out, "a%s,%s 0 %s %s %s,%s", tenth(tenths(numbers[0])), tenth(tenths(numbers[1])),
				numbers[3], numbers[4], tenth(toX-x), tenth(toY-y))
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

func tenths(number string) int {
	value, _ := strconv.ParseFloat(number, 64) // plainPath has looked at it
	return int(math.Round(10 * value))
}

// tenth writes tenths as a decimal number, as short as can be: 5 is ".5", 30 is "3".
func tenth(n int) string {
	text := strconv.FormatFloat(float64(n)/10, 'f', -1, 64)
	if -10 < n && n < 10 && n != 0 {
		text = strings.Replace(text, "0.", ".", 1)
	}
	return text
}
