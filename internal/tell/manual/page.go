package manual

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Page is a page of the manual as a file: of a topic, or of a command, which describes itself.
type Page struct {
	Name    string // hubbench-run
	Section int    // section of the man pages: 1 for commands, 7 for topics
	Short   string // in one line
	Body    string // Markdown as in Topic.Markdown, without a title
}

// Page is the topic as a file.
func (t Topic) Page() (Page, error) {
	page, err := t.Markdown()
	_, body, _ := strings.Cut(page, "\n\n")
	return Page{"hubbench-" + t.Name, 7, t.Short, body + "\n\n## See also\n\nhubbench(1)\n"}, err
}

// File is the page's name as a man page; with .md after it, as a Markdown file.
func (p Page) File() string { return fmt.Sprintf("%s.%d", p.Name, p.Section) }

// Markdown is the page for a site or an editor: other pages are links, and a definition list is one
// of bullets.
func (p Page) Markdown() string {
	term := regexp.MustCompile(`(?m)^(\S.*)\n: `)
	body := term.ReplaceAllStringFunc(p.Body, func(match string) string {
		return "- `" + strings.TrimSuffix(strings.ReplaceAll(match, "`", ""), "\n: ") + "`: "
	})
	link := regexp.MustCompile(`\b(hubbench[a-z-]*)\((\d)\)`)
	title := fmt.Sprintf("# %s(%d)\n\n%s.\n\n", p.Name, p.Section, unit.Capital(p.Short))
	return title + link.ReplaceAllString(body, "[$1($2)]($1.$2.md)") + "\n"
}

// Roff is the page for man, in the macros that man of every system knows. The date may be empty.
func (p Page) Roff(version, date string) string {
	var out strings.Builder
	fmt.Fprintf(&out, ".TH %s %d %q %q\n.SH NAME\n%s \\- %s\n", strings.ToUpper(p.Name), p.Section,
		date, "hubbench "+version,
		roff(p.Name), roff(p.Short))
	after := "" // what stands before a paragraph: nothing if that follows a heading
	for i, block := range blocks(p.Body) {
		heading, isHeading := strings.CutPrefix(block, "## ")
		if i == 0 && !isHeading {
			out.WriteString(".SH DESCRIPTION\n")
		}
		term, meaning, defines := strings.Cut(block, "\n: ")
		switch {
		case isHeading:
			if p.Section == 1 || heading == "See also" {
				heading = strings.ToUpper(heading) // else keys of files, of which the case matters
			}
			out.WriteString(".SH " + roff(heading) + "\n")
			after = ""
			continue
		case strings.HasPrefix(block, "    "):
			out.WriteString(after + ".RS 4\n.EX\n")
			for line := range strings.SplitSeq(block, "\n") {
				line = literal(strings.TrimPrefix(line, "    "))
				out.WriteString(literalStart.ReplaceAllString(line, `\&$0`) + "\n")
			}
			out.WriteString(".EE\n.RE\n")
		case defines:
			out.WriteString(".TP\n\\fB" + roff(words(term)) + "\\fR\n" + roff(meaning) + "\n")
		case strings.HasPrefix(block, "- "):
			for item := range strings.SplitSeq(strings.TrimPrefix(block, "- "), "\n- ") {
				out.WriteString(".IP \\(bu 2\n" + roff(item) + "\n")
			}
		default:
			out.WriteString(after + roff(block) + "\n")
		}
		after = ".PP\n"
	}
	return out.String()
}

// roff is a paragraph in short lines, with its code in bold.
func roff(text string) string {
	parts := strings.Split(literal(strings.Join(strings.Fields(text), " ")), "`")
	for i := 1; i < len(parts); i += 2 {
		parts[i] = `\fB` + parts[i] + `\fR`
	}
	lines := cells.Wrap(strings.Join(parts, ""), "", 80)
	return literalStart.ReplaceAllString(strings.Join(lines, "\n"), `\&$0`)
}

// literalStart is the beginning of a line that man would take for a request.
var literalStart = regexp.MustCompile(`(?m)^[.']`)

// literal is text as it is: hyphens that can be copied, and no character that man of some system
// does not know.
func literal(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	return regexp.MustCompile(`[^\x00-\x7f]`).ReplaceAllStringFunc(text, func(r string) string {
		return fmt.Sprintf(`\[u%04X]`, []rune(r)[0])
	})
}
