package strictyaml

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// MaxName is how many characters a name may have.
const MaxName = 64

// Breaks are the characters that would garble the line of a terminal or log they stand in, as in a regular expression.
const Breaks = "\\x00-\\x1f\\x7f-\\x9f\u2028\u2029"

// Name is the name of a disk, a phase or the scenario. It may be in any script and hold any character, as reports show it
// as plain text, but it appears in lines of a terminal.
func Name(to *string) Value {
	return Line(to, Schema{"maxLength": MaxName, "pattern": "^[^ " + Breaks + "]([^" + Breaks + "]*[^ " + Breaks + "])?$"},
		func(n Node, name string) string {
			switch {
			case utf8.RuneCountInString(name) > MaxName:
				return fmt.Sprintf("is longer than %d characters; shorten it", MaxName)
			case strings.TrimSpace(name) != name:
				return Quote(name) + " begins or ends with a space; delete it"
			}
			return ""
		})
}

// FileName is a name that becomes a file name or part of one, as those of scenarios, phases and disks do.
func FileName(to *string) Value {
	plain := Name(to)
	return Value{
		Read: func(n Node) {
			plain.Read(n)
			switch {
			case strings.ContainsAny(*to, `/\`):
				n.Errorf(`%s %s contains / or \; use another character`, n.Label(), Quote(*to))
			case *to == "." || *to == "..":
				n.Errorf("%s %s means a folder; write a name", n.Label(), Quote(*to))
			}
		},
		Schema: func() Schema {
			s := plain.Schema()
			s["not"] = Schema{"pattern": `[/\\]|^\.\.?$`}
			return s
		},
	}
}

// Line is a text of one line. wrong says what is wrong with it and what to try.
func Line(to *string, schema Schema, wrong func(Node, string) string) Value {
	return Value{
		Read: func(n Node) {
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
				n.Errorf("%s %s contains a control character or line break; delete it", n.Label(), Quote(text))
			default:
				*to = text
			}
		},
		Schema: func() Schema {
			schema["type"], schema["minLength"] = "string", 1
			return schema
		},
	}
}

// breaksLine reports whether a character is one of Breaks.
func breaksLine(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
}
