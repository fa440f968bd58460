package report

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
