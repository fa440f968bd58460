// Package manual is the reference that hubbench carries: what `hubbench help TOPIC` prints, and the
// man pages of topics. A topic is a Markdown file of this folder; lists of which the code has a
// table (scenario keys, presets, checks) are filled in from that table, so that they cannot differ
// from it. It describes no commands: those describe themselves. Start at Topics.
package manual

import (
	"embed"
	"regexp"
	"strings"
	"text/template"

	"github.com/hubbench/hubbench/configs"
	"github.com/hubbench/hubbench/internal/machine/check"
	"github.com/hubbench/hubbench/internal/tell/table"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/scenario"
)

//go:embed *.md keys
var pages embed.FS

// Topic is one page of the manual.
type Topic struct {
	Name  string
	Short string // in one line
}

// Topics lists the pages.
func Topics() []Topic {
	return []Topic{
		{"scenario", "every key of a scenario, presets, studies"},
		{"report", "what the numbers, findings and warnings mean; glossary"},
		{"methods", "how rates are measured, and how far to trust them"},
		{"formats", "files of a run, every key of each, and what programs can rely on"},
		{"columns", "every column of hubbench table and of a catalogue"},
		{"safety", "what hubbench writes and removes; checks before a run; exit codes"},
		{"model", "hub profiles: simulate, fit, predict"},
		{"platforms", "systems it was tested on, and how"},
		{"doctor", "what doctor checks"},
	}
}

// Markdown is the page. Definition lists are a term on a line, and ": " before what it means.
func (t Topic) Markdown() (string, error) {
	page, err := template.New("").Funcs(template.FuncMap{
		"keys":       scenarioKeys,
		"presets":    presets,
		"checks":     checks,
		"profiles":   profiles,
		"runcolumns": func() (string, error) { return columns(table.Grains()[0], true) },
		"grains":     grains,
		"format":     format,
		"profile":    profileKeys,
	}).ParseFS(pages, t.Name+".md")
	if err != nil {
		return "", err
	}
	var text strings.Builder
	err = page.ExecuteTemplate(&text, t.Name+".md", nil)
	return text.String(), err
}

func define(term, meaning string) string { return term + "\n: " + meaning + "\n\n" }

// keyLine is a key in its list: whether it may be absent, its type, its unit if it is a number,
// since when it is there, and what it means.
var keyLine = regexp.MustCompile(`^(\S+) (\S+)(?: (\S+))? v(\S+): (.+)\n?$`)

// format lists the keys of a format: of each what it means, its type, its unit, and since when it
// is there.
func format(name string) (string, error) {
	text, err := pages.ReadFile("keys/" + name + ".txt")
	var out strings.Builder
	for line := range strings.Lines(string(text)) {
		part := keyLine.FindStringSubmatch(line)
		if part == nil {
			out.WriteString(line)
			continue
		}
		key, optional := strings.CutSuffix(part[1], "?")
		kind, null := strings.CutSuffix(part[2], "|null")
		unit, since, meaning := part[3], part[4], part[5]
		kind, listed, _ := strings.Cut(kind, "=")
		if listed != "" { // its keys are listed elsewhere, perhaps in another format
			other, path, found := strings.Cut(listed, "/")
			if found {
				listed = strings.TrimPrefix(path+" of "+other, " of ")
			}
			meaning += " Its keys are those of " + listed + "."
		}
		about := []string{strings.ReplaceAll(kind, ",", " and ")}
		if unit != "" {
			about = append(about, unit)
		}
		if null {
			about = append(about, "may be null")
		}
		if optional {
			about = append(about, "optional")
		}
		out.WriteString(define(key, meaning+" ["+strings.Join(about, ", ")+", v"+since+"]"))
	}
	return out.String(), err
}

// columns lists those of a grain that all have, or its own alone.
func columns(g table.Grain, every bool) (list string, err error) {
	versions, err := pages.ReadFile("keys/columns.txt")
	for _, c := range g.Columns() {
		if c.Every != every {
			continue
		}
		about := c.Type
		if c.Unit != "" {
			about += ", " + c.Unit
		}
		if c.Null {
			about += ", may be null"
		}
		_, since, _ := strings.Cut("\n"+string(versions), "\n"+g.Name+" "+c.Name+" ")
		since, _, _ = strings.Cut(since, "\n")
		list += define(c.Name, c.About+". ["+about+", "+since+"]")
	}
	return list, err
}

func grains() (text string, err error) {
	for _, g := range table.Grains() {
		own, err := columns(g, false)
		if err != nil {
			return "", err
		}
		text += "## --grain " + g.Name + "\n\nA row is " + g.About + ".\n\n" + own
	}
	return text, nil
}

func presets() (list string) {
	for _, p := range scenario.Presets() {
		list += define(p.Name, p.About+".")
	}
	return list
}

// checks lists those that plan and run make, or doctor.
func checks(when string) (list string) {
	for _, c := range check.Table() {
		due := map[string]check.When{"preflight": check.Plan, "doctor": check.Doctor}[when]
		if c.When&due == 0 {
			continue
		}
		finds := c.Finds
		if due == check.Plan && c.When&check.Must != 0 {
			finds += "; it can't be skipped"
		}
		list += define(c.Code, finds+".")
	}
	return list
}

func profiles() (list string, err error) {
	for _, name := range configs.Hubs() {
		source, _ := configs.Hub(name)
		profile, err := hub.Load(name, source)
		if err != nil {
			return "", err
		}
		about := profile.About
		if profile.Source != "" {
			about += " (" + string(profile.Source) + ")"
		}
		list += define(name, about+".")
	}
	return list, nil
}
