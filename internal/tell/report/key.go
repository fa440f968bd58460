package report

// LegendKey is a disk, or a run of a comparison, with what always goes with it: its colour and its
// symbol.
type LegendKey struct {
	Name  string `json:"name"`
	Label string `json:"label"` // the name, cut in its middle if it is long, and unlike the others'
	Does  string `json:"-"`     // reading, writing; empty for neither
	Where string `json:"-"`     // what it is and hangs on
	Index int    `json:"index"` // its place among all
}

// Colour is the key's index into Colours. After the last of these the symbols shift, so that
// sixty-four keys differ in colour or symbol.
func (k LegendKey) Colour() int { return k.Index % len(Colours(false)) }

// Symbol is the key's index into Outlines.
func (k LegendKey) Symbol() int {
	n := len(Outlines())
	return (k.Index + k.Index/n) % n
}

// Colours are safe for colour-blind readers (after Okabe and Ito, "Color Universal Design", 2008),
// darkened or lightened to stand out from the page. The style sheet has the same as --c0 to --c7.
func Colours(dark bool) []string {
	if dark {
		return []string{"#56b4e9", "#e69f00", "#2fc79a", "#e08fbf", "#f0e442", "#9ccdf2", "#ff8f5a",
			"#cfd4da"}
	}
	return []string{"#0072b2", "#d55e00", "#009e73", "#b0548f", "#8f6400", "#3389c4", "#6b6b00",
		"#4d4d4d"}
}

// Outlines are the symbols' corners, as the points of a polygon in SVG: within 10 of its middle, y
// grows downwards. The first has none: it is a circle.
func Outlines() []string {
	return []string{
		"",
		"0,-9 9.5,7.5 -9.5,7.5",
		"0,-10 10,0 0,10 -10,0",
		"-7.5,-7.5 7.5,-7.5 7.5,7.5 -7.5,7.5",
		"0,9 9.5,-7.5 -9.5,-7.5",
		"-3,-9 3,-9 3,-3 9,-3 9,3 3,3 3,9 -3,9 -3,3 -9,3 -9,-3 -3,-3",
		"0,-10 2.6,-3.4 9.5,-3.1 4.1,1.3 5.9,8.1 0,4.2 -5.9,8.1 -4.1,1.3 -9.5,-3.1 -2.6,-3.4",
		"-9,0 -4.5,-8 4.5,-8 9,0 4.5,8 -4.5,8",
	}
}

func pick[T any](first bool, a, b T) T {
	if first {
		return a
	}
	return b
}
