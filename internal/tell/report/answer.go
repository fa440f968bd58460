package report

import "slices"

// Answer is what a document comes to: the first screen of its page, the first page in print, and all that a terminal shows
// unless it is asked for more. The blocks of the document hold what is behind it and say nothing of it again.
type Answer struct {
	Headline string
	Doubts   []string // why the numbers cannot be trusted: shown before the headline
	Figure   *Figure  // the one that shows it; nil if the table does
	Table    *Table   // its numbers
	Findings []string // the three that matter most, at most
	Advice   []string // how to connect the disks, or what to do next
	Sure     string   // how sure, in a line
}

// Blocks are the answer as blocks, in the order in which they are read.
func (a *Answer) Blocks() []Block {
	var out []Block
	for _, doubt := range a.Doubts {
		out = append(out, Warning{doubt})
	}
	out = append(out, Sentence{Text: a.Headline, Lead: true})
	if a.Figure != nil {
		out = append(out, a.Figure)
	}
	if a.Table != nil {
		out = append(out, a.Table)
	}
	for _, items := range [][]string{a.Findings, a.Advice} {
		if len(items) > 0 {
			out = append(out, List{Items: items})
		}
	}
	if a.Sure != "" {
		out = append(out, Sentence{Text: a.Sure})
	}
	return out
}

// without leaves out what the answer says word for word.
func (a *Answer) without(blocks []Block) []Block {
	var out []Block
	for _, block := range blocks {
		switch b := block.(type) {
		case Sentence:
			if b.Text == a.Headline {
				continue
			}
		case List:
			b.Items = slices.DeleteFunc(slices.Clone(b.Items), func(text string) bool { return slices.Contains(a.Findings, text) })
			if block = b; len(b.Items) == 0 {
				continue
			}
		case *Details:
			b.Blocks = a.without(b.Blocks)
		}
		out = append(out, block)
	}
	return out
}
