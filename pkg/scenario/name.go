package scenario

import (
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

// readName reads the name of a disk, a phase or the scenario. It may be in any script and hold any sign,
// as reports show it as plain text, but it stands in lines of a terminal.
func readName(m *strictyaml.Mapping, key string, to *string) {
	n, ok := m.Get(key)
	if !ok {
		return
	}
	name, ok := n.Text()
	switch {
	case !ok:
	case name == "":
		n.Errorf("%s is empty; write a short name", key)
	case utf8.RuneCountInString(name) > maxName:
		n.Errorf("%s is longer than %d characters; shorten it", key, maxName)
	case strings.TrimSpace(name) != name:
		n.Errorf("%s %s begins or ends with a space; delete it", key, strictyaml.Quote(name))
	case strings.ContainsFunc(name, breaksLine):
		n.Errorf("%s %s contains a control character or line break; delete it", key, strictyaml.Quote(name))
	default:
		*to = name
	}
}

// readFileName reads a name that becomes part of file names, as the scenario's and its phases' do.
func readFileName(m *strictyaml.Mapping, key string, to *string) {
	readName(m, key, to)
	n, _ := m.Get(key)
	switch {
	case strings.ContainsAny(*to, `/\`):
		n.Errorf(`%s %s contains / or \; use another character`, key, strictyaml.Quote(*to))
	case *to == "." || *to == "..":
		n.Errorf("%s %s means a folder; write a name", key, strictyaml.Quote(*to))
	}
}

// readText reads a text of one line, such as a path.
func readText(m *strictyaml.Mapping, key string, to *string) {
	n, ok := m.Get(key)
	if !ok {
		return
	}
	text, ok := n.Text()
	switch {
	case !ok:
	case text == "":
		n.Errorf("%s is empty; write it, or delete the key", key)
	case utf8.RuneCountInString(text) > maxText:
		n.Errorf("%s is longer than %d characters; shorten it", key, maxText)
	case isWindowsPath(n.Escaped()):
		n.Errorf(`%s is in double quotes, where \ starts an escape sequence; use single quotes: '%s'`, key, n.Escaped())
	case strings.ContainsFunc(text, breaksLine):
		n.Errorf("%s %s contains a control character or line break; delete it", key, strictyaml.Quote(text))
	default:
		*to = text
	}
}

// mappingWith reads a mapping. For a word in place of one it suggests the mapping in which the word is key's value.
func mappingWith(n strictyaml.Node, label, key string) *strictyaml.Mapping {
	if n.Kind() == strictyaml.Text {
		n.Errorf("%[1]s is %[2]s, not a mapping; try %[1]s: {%[3]s: %[2]s}", label, strictyaml.Quote(n.Raw()), key)
	}
	return n.Mapping() // of two mistakes in one place the first counts
}

// isWindowsPath reports whether a text looks like a folder on a drive or a share of Windows.
func isWindowsPath(text string) bool {
	return strings.HasPrefix(text, `\\`) || len(text) > 2 && text[1] == ':' && text[2] == '\\'
}

// breaksLine reports whether a character would garble the line of a terminal or log it stands in.
func breaksLine(r rune) bool {
	return unicode.IsControl(r) || r == '\u2028' || r == '\u2029'
}
