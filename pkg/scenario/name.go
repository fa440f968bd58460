package scenario

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hubbench/hubbench/pkg/strictyaml"
)

// Limits of texts, in characters.
const (
	maxName = 64
	maxText = 4096 // a path, a label or a pause
)

// breaks are the characters that would garble the line of a terminal or log they stand in, as in a regular expression.
const breaks = "\\x00-\\x1f\\x7f-\\x9f\u2028\u2029"

// name is the name of a disk, a phase or the scenario. It may be in any script and hold any sign, as reports show it
// as plain text, but it stands in lines of a terminal.
func name(to *string) strictyaml.Value {
	return line(to, strictyaml.Schema{"maxLength": maxName, "pattern": "^[^ " + breaks + "]([^" + breaks + "]*[^ " + breaks + "])?$"},
		func(n strictyaml.Node, name string) string {
			switch {
			case utf8.RuneCountInString(name) > maxName:
				return fmt.Sprintf("is longer than %d characters; shorten it", maxName)
			case strings.TrimSpace(name) != name:
				return strictyaml.Quote(name) + " begins or ends with a space; delete it"
			}
			return ""
		})
}

// fileName is a name that becomes part of file names, as the scenario's and its phases' do.
func fileName(to *string) strictyaml.Value {
	plain := name(to)
	return strictyaml.Value{
		Read: func(n strictyaml.Node) {
			plain.Read(n)
			switch {
			case strings.ContainsAny(*to, `/\`):
				n.Errorf(`%s %s contains / or \; use another character`, n.Label(), strictyaml.Quote(*to))
			case *to == "." || *to == "..":
				n.Errorf("%s %s means a folder; write a name", n.Label(), strictyaml.Quote(*to))
			}
		},
		Schema: func() strictyaml.Schema {
			s := plain.Schema()
			s["not"] = strictyaml.Schema{"pattern": `[/\\]|^\.\.?$`}
			return s
		},
	}
}

// text is a text of one line, such as a label.
func text(to *string) strictyaml.Value {
	return line(to, strictyaml.Schema{"maxLength": maxText, "pattern": "^[^" + breaks + "]*$"},
		func(n strictyaml.Node, text string) string {
			switch {
			case utf8.RuneCountInString(text) > maxText:
				return fmt.Sprintf("is longer than %d characters; shorten it", maxText)
			case isWindowsPath(n.Escaped()):
				return fmt.Sprintf(`is in double quotes, where \ starts an escape sequence; use single quotes: '%s'`, n.Escaped())
			}
			return ""
		})
}

// onDrive matches a path on a drive of Windows that does not begin at the drive's top: D:, or D:data.
var onDrive = regexp.MustCompile(`^[A-Za-z]:([^/\\]|$)`)

// folder is the path of a folder.
func folder(to *string) strictyaml.Value {
	plain := text(to)
	return strictyaml.Value{
		Read: func(n strictyaml.Node) {
			plain.Read(n)
			switch drive := onDrive.FindString(*to); {
			case *to == "~" || strings.HasPrefix(*to, "~/"):
				n.Errorf("~ is not expanded here; write the folder's full path")
			case drive != "":
				n.Errorf(`%s is whatever folder of drive %s a program is in; write the folder's full path, such as '%s\hubbench'`, strictyaml.Quote(*to), drive[:2], drive[:2])
			}
		},
		Schema: func() strictyaml.Schema {
			s := plain.Schema()
			s["not"] = strictyaml.Schema{"pattern": "^~(/|$)|" + onDrive.String()}
			return s
		},
	}
}

// line is a text of one line. wrong says what is wrong with it and what to try.
func line(to *string, schema strictyaml.Schema, wrong func(strictyaml.Node, string) string) strictyaml.Value {
	return strictyaml.Value{
		Read: func(n strictyaml.Node) {
			text, ok := n.Text()
			if !ok {
				return
			}
			switch why := wrong(n, text); {
			case text == "":
				n.Errorf("%s is empty; write one", n.Label())
			case why != "":
				n.Errorf("%s %s", n.Label(), why)
			case strings.ContainsFunc(text, breaksLine):
				n.Errorf("%s %s contains a control character or line break; delete it", n.Label(), strictyaml.Quote(text))
			default:
				*to = text
			}
		},
		Schema: func() strictyaml.Schema {
			schema["type"], schema["minLength"] = "string", 1
			return schema
		},
	}
}

// isWindowsPath reports whether a text looks like a folder on a drive or a share of Windows.
func isWindowsPath(text string) bool {
	return strings.HasPrefix(text, `\\`) || len(text) > 2 && text[1] == ':' && text[2] == '\\'
}

// breaksLine reports whether a character is one of the breaks.
func breaksLine(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
}
