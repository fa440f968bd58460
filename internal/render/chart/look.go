package chart

// Colours are the disks' colours, safe for colour-blind readers (after Okabe and Ito, "Color Universal
// Design", 2008), darkened or lightened to stand out from the page. The style sheet has the same as --c0 to --c7.
func Colours(dark bool) []string {
	if dark {
		return []string{"#56b4e9", "#e69f00", "#2fc79a", "#e08fbf", "#f0e442", "#9ccdf2", "#ff8f5a", "#cfd4da"}
	}
	return []string{"#0072b2", "#d55e00", "#009e73", "#b0548f", "#8f6400", "#3389c4", "#6b6b00", "#4d4d4d"}
}

// Corner is a point of a symbol's outline, which lies within 10 of its middle; y grows downwards.
type Corner struct{ X, Y float64 }

// Shapes are the outlines of the disks' symbols. The first has no corners: it is a circle.
func Shapes() [][]Corner {
	return [][]Corner{
		nil,
		{{0, -9}, {9.5, 7.5}, {-9.5, 7.5}},
		{{0, -10}, {10, 0}, {0, 10}, {-10, 0}},
		{{-7.5, -7.5}, {7.5, -7.5}, {7.5, 7.5}, {-7.5, 7.5}},
		{{0, 9}, {9.5, -7.5}, {-9.5, -7.5}},
		{{-3, -9}, {3, -9}, {3, -3}, {9, -3}, {9, 3}, {3, 3}, {3, 9}, {-3, 9}, {-3, 3}, {-9, 3}, {-9, -3}, {-3, -3}},
		{{0, -10}, {2.6, -3.4}, {9.5, -3.1}, {4.1, 1.3}, {5.9, 8.1}, {0, 4.2}, {-5.9, 8.1}, {-4.1, 1.3}, {-9.5, -3.1}, {-2.6, -3.4}},
		{{-9, 0}, {-4.5, -8}, {4.5, -8}, {9, 0}, {4.5, 8}, {-4.5, 8}},
	}
}

// Look gives the colour and the symbol of the disk at a place in the run's list. After the eighth the pairs
// shift, so that sixty-four disks differ in one or the other.
func Look(index int) (colour, shape int) {
	const n = 8
	return index % n, (index + index/n) % n
}
