// Package manual is the reference that hubbench carries: what `hubbench help TOPIC` prints, and the man pages
// of topics. A topic is a Markdown file of this folder; lists of which the code has a table (scenario keys,
// presets, checks) are filled in from that table, so that they cannot differ from it. It describes no commands:
// those describe themselves. Start at Topics.
package manual

import (
	"embed"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/hubbench/hubbench/configs"
	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/internal/machine/doctor"
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
		{"formats", "run folders, events.jsonl, and every key of analysis.json"},
		{"columns", "every column of hubbench table and of a catalogue"},
		{"safety", "what hubbench writes and removes; checks before a run; exit codes"},
		{"model", "hub profiles: simulate, fit, predict, advise, mount"},
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
		"questions":  questions,
		"profiles":   profiles,
		"runcolumns": func() string { return columns(table.Grains()[0].Columns(), true) },
		"grains":     grains,
		"analysis":   func() (string, error) { return read("keys/analysis.txt") },
		"run":        func() (string, error) { return read("keys/run.txt") },
	}).ParseFS(pages, t.Name+".md")
	if err != nil {
		return "", err
	}
	var text strings.Builder
	err = page.ExecuteTemplate(&text, t.Name+".md", nil)
	return text.String(), err
}

// read is a list of keys as a definition list: a line of it is a key, a colon and what it means.
func read(path string) (string, error) {
	text, err := pages.ReadFile(path)
	if err != nil {
		return "", err
	}
	return regexp.MustCompile(`(?m)^(\S+): (.*)\n`).ReplaceAllString(string(text), "$1\n: $2\n\n"), nil
}

func define(term, meaning string) string { return term + "\n: " + meaning + "\n\n" }

func definitions[T any](items []T, of func(T) (term, meaning string)) string {
	var list strings.Builder
	for _, item := range items {
		list.WriteString(define(of(item)))
	}
	return list.String()
}

// columns lists those of every table, or those of one alone.
func columns(list []table.Column, every bool) string {
	list = slices.DeleteFunc(slices.Clone(list), func(c table.Column) bool { return c.Every != every })
	return definitions(list, func(c table.Column) (string, string) {
		if c.Unit != "" {
			return c.Name, c.About + ", in " + c.Unit + "."
		}
		return c.Name, c.About + "."
	})
}

type grain struct{ Title, About, Columns string }

func grains() (list []grain) {
	for _, g := range table.Grains() {
		list = append(list, grain{"--grain " + g.Name, g.About, columns(g.Columns(), false)})
	}
	return list
}

func presets() string {
	return definitions(scenario.Presets(), func(p scenario.Preset) (string, string) { return p.Name, p.About + "." })
}

func checks() string {
	return definitions(device.Codes(), func(c device.Code) (string, string) {
		if c.Always {
			return c.Name, c.Finds + "; it cannot be left out."
		}
		return c.Name, c.Finds + "."
	})
}

func questions() string {
	return definitions(doctor.Questions(), func(q doctor.Question) (string, string) { return q.Check, q.Asks + "?" })
}

func profiles() (string, error) {
	var list strings.Builder
	for _, name := range configs.Hubs() {
		source, _ := configs.Hub(name)
		profile, err := hub.Load(name, source)
		if err != nil {
			return "", err
		}
		origin := ""
		if profile.Source != "" {
			origin = " (" + string(profile.Source) + ")"
		}
		list.WriteString(define(name, profile.About+origin+"."))
	}
	return list.String(), nil
}
