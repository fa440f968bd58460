package report

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// OfDoctor says what to fix before anything is measured, or that all is well.
func OfDoctor(c *trace.Checkup) *Document {
	doc := &Document{Kind: "checkup", Title: "doctor", Started: dateText(c.Date), Tool: c.Tool,
		Data: c}
	var paths []string
	list := map[trace.Verdict][]trace.Check{}
	for _, check := range c.Checks {
		list[check.Verdict] = append(list[check.Verdict], check)
		if check.Path != "" && !slices.Contains(paths, check.Path) {
			paths = append(paths, check.Path)
		}
	}
	failed, doubtful := list[trace.Fail], list[trace.Warn]
	p := &Page{Kicker: []string{joined(", ", c.Host, c.System,
		pick(len(paths) > 0, unit.Plural(len(paths), "disk"), ""))}}
	doc.Page = p
	again := []Action{{Title: "Fix it, then check again", Command: doctorCommand("doctor", paths),
		Detail: "It takes up to a minute per disk."}}
	switch n := len(failed); {
	case n > 0:
		p.Headline = pick(n == 1, "One thing", fmt.Sprintf("%d things", n)) +
			" to fix before you measure" + pick(n == 1, ": "+onDisk(failed[0]), "")
		p.Actions = again
	case len(doubtful) > 0:
		p.Headline = "Ready to measure, with " + unit.Plural(len(doubtful), "doubt")
		p.Actions = again
	default:
		p.Headline = "Ready to measure"
		p.Actions = []Action{{Title: "Measure",
			Detail:  "Each disk alone, then together. It says first what it will write.",
			Command: doctorCommand("run", paths)}}
	}
	if clean := cleanDisks(paths, append(failed, doubtful...)); len(clean) > 0 {
		p.Sub = unit.List(clean) + pick(len(clean) == 1, " passes", " pass") +
			" all that can be checked here."
	}
	if n := len(failed); n > 0 {
		p.Numbers = append(p.Numbers, Number{Value: fmt.Sprint(n), Tone: Bad,
			Text: "must be fixed" +
				pick(len(doubtful) > 0, fmt.Sprintf(", %d should be", len(doubtful)), "")})
	}
	passed, skipped := list[trace.Pass], list[trace.Skip]
	p.Numbers = append(p.Numbers, Number{
		Value: fmt.Sprintf("%d of %d", len(passed), len(c.Checks)), Text: "checks pass"})
	if n := len(skipped); n > 0 {
		p.Numbers = append(p.Numbers, Number{Value: fmt.Sprint(n),
			Text: "could not be checked on this system"})
	}
	hero := &Verdicts{}
	for _, check := range failed {
		hero.List = append(hero.List, judged(Bad, check, len(paths)))
	}
	for _, check := range doubtful {
		hero.List = append(hero.List, judged(Caution, check, len(paths)))
	}
	if hero.List == nil {
		hero.List = readyDisks(paths, passed)
	}
	p.Hero = hero
	doc.Add(checkDetails(unit.Plural(len(passed), "check")+" "+
		pick(len(passed) == 1, "passes", "pass"), passed),
		checkDetails(fmt.Sprint(len(skipped))+" could not be checked", skipped))
	return doc
}

// doctorCommand returns a command for folders.
func doctorCommand(name string, paths []string) string {
	words := []string{"hubbench", name}
	for _, path := range paths {
		words = append(words, cells.Shell(path))
	}
	return strings.Join(words, " ")
}

// onDisk says whose fault it is.
func onDisk(check trace.Check) string {
	if check.Path == "" {
		return "this computer"
	}
	return check.Path
}

// cleanDisks returns the folders of disks that nothing is wrong with.
func cleanDisks(paths []string, doubts []trace.Check) (clean []string) {
	for _, path := range paths {
		doubted := false
		for _, check := range doubts {
			doubted = doubted || check.Path == path
		}
		if !doubted {
			clean = append(clean, path)
		}
	}
	return clean
}

// judged says what a check found, and of several disks on which, unless that says it already.
func judged(sign Sign, check trace.Check, disks int) Judged {
	j := Judged{Sign: sign, What: unit.Capital(check.Measured),
		Why: asSentence(check.Text), ToDo: asSentence(check.Advice)}
	if on := onDisk(check); disks > 1 && !strings.Contains(check.Measured, on) {
		j.On = on
	}
	return j
}

// readyDisks says of each disk, and of the computer, that it is ready, and what shows it.
func readyDisks(paths []string, passed []trace.Check) (list []Judged) {
	found := map[[2]string]string{}
	for _, check := range passed {
		found[[2]string{check.Path, check.Name}] = check.Measured
	}
	for _, path := range paths {
		list = append(list, Judged{Sign: Good, What: path + " is ready",
			Why: asSentence(found[[2]string{path, "direct"}])})
	}
	return append(list, Judged{Sign: Good, What: "The computer is ready",
		Why: asSentence(found[[2]string{"", "start"}])})
}

// checkDetails lists checks that need no attention.
func checkDetails(title string, checks []trace.Check) *Details {
	t := table("Checks", words("Looked for", "Disk", "Found")).dropFirst("Found")
	t.Sentences = true
	for _, check := range checks {
		t.add(unit.Capital(check.Finds), check.Path, check.Measured)
	}
	return &Details{Title: title, Printed: true, Blocks: shown([]Block{t})}
}

// Unsound is what a report says of a check of the machine that failed before the run.
func Unsound(check trace.Check, date string) string {
	return fmt.Sprintf("hubbench doctor, %s: %s failed: %s", dateText(date), check.Subject(),
		check.Sentence())
}
