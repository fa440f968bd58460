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
		{"formats", "files of a run, every key of each, and what programs can rely on"},
		{"columns", "every column of hubbench table and of a catalogue"},
		{"safety", "what hubbench writes and removes; checks before a run; exit codes"},
		{"model", "hub profiles: simulate, fit, predict, advise"},
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

// format lists the keys of a format: of each what it means, its type, its unit, and since when it is there.
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
		kind, as, again := strings.Cut(kind, "=")
		meaning := part[5]
		if format, path, other := strings.Cut(as, "/"); other {
			meaning += " Its keys are those of " + strings.TrimPrefix(path+" of "+format, " of ") + "."
		} else if again {
			meaning += " Its keys are those of " + as + "."
		}
		about := []string{strings.ReplaceAll(kind, ",", " and ")}
		if part[3] != "" {
			about = append(about, part[3])
		}
		if null {
			about = append(about, "may be null")
		}
		if optional {
			about = append(about, "optional")
		}
		out.WriteString(define(key, meaning+" ["+strings.Join(append(about, "v"+part[4]), ", ")+"]"))
	}
	return out.String(), err
}

// keyLine is a key in its list: whether it may be absent, its type, its unit if it is a number, since when it is
// there, and what it means.
var keyLine = regexp.MustCompile(`^(\S+) (\S+)(?: (\S+))? v(\S+): (.+)\n?$`)

func define(term, meaning string) string { return term + "\n: " + meaning + "\n\n" }

func definitions[T any](items []T, of func(T) (term, meaning string)) string {
	var list strings.Builder
	for _, item := range items {
		list.WriteString(define(of(item)))
	}
	return list.String()
}

// columns lists those of a grain that all have, or its own alone.
func columns(g table.Grain, every bool) (string, error) {
	since, err := pages.ReadFile("keys/columns.txt")
	list := slices.DeleteFunc(g.Columns(), func(c table.Column) bool { return c.Every != every })
	return definitions(list, func(c table.Column) (string, string) {
		about := []string{c.Type}
		if c.Unit != "" {
			about = append(about, c.Unit)
		}
		if c.Null {
			about = append(about, "may be null")
		}
		line := regexp.MustCompile(`(?m)^` + g.Name + " " + c.Name + " (.*)$").FindSubmatch(since)
		if line != nil {
			about = append(about, string(line[1]))
		}
		return c.Name, c.About + ". [" + strings.Join(about, ", ") + "]"
	}), err
}

type grain struct{ Title, About, Columns string }

func grains() (list []grain, err error) {
	for _, g := range table.Grains() {
		text, err := columns(g, false)
		if err != nil {
			return nil, err
		}
		list = append(list, grain{"--grain " + g.Name, g.About, text})
	}
	return list, nil
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
