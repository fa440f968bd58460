package main

import (
	"fmt"
	"os"
	"strings"
)

// equivalents are the mutants that are no errors. They are known by what they change and the line that it stands in, so that they
// are found again when other lines come and go.
type equivalents map[[4]string]bool

// readEquivalents reads paragraphs of three parts: the file, the line and the change, each on a line of its own, then the reason.
func readEquivalents(name string) (equivalents, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	known := equivalents{}
	for i, paragraph := range strings.Split(strings.TrimSpace(string(text)), "\n\n") {
		lines := strings.Split(paragraph, "\n")
		if strings.HasPrefix(lines[0], "#") {
			continue
		}
		if len(lines) < 4 {
			return nil, fmt.Errorf("%s: paragraph %d: give the file, the line, the change and the reason", name, i+1)
		}
		before, after, ok := strings.Cut(lines[2], " -> ")
		if !ok {
			return nil, fmt.Errorf("%s: paragraph %d: no change in %q", name, i+1, lines[2])
		}
		known[[4]string{lines[0], strings.TrimSpace(lines[1]), strings.TrimSpace(before), strings.TrimSpace(after)}] = true
	}
	return known, nil
}

func (e equivalents) has(m mutant) bool { return e[[4]string{m.file, m.source, m.before, m.after}] }
