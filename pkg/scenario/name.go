package scenario

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/hubbench/hubbench/pkg/strictyaml"
)

// maxText is how many characters a path, a label or a pause may have.
const maxText = 4096

// text is a text of one line, such as a label.
func text(to *string) strictyaml.Value {
	return strictyaml.Line(to, strictyaml.Schema{"maxLength": maxText, "pattern": "^[^" + strictyaml.Breaks + "]*$"},
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

func folder(to *string) strictyaml.Value {
	plain := text(to)
	return strictyaml.Value{
		Read: func(n strictyaml.Node) {
			plain.Read(n)
			switch drive := onDrive.FindString(*to); {
			case *to == "~" || strings.HasPrefix(*to, "~/"):
				n.Errorf("~ is not expanded here; write the folder's full path")
			case drive != "":
				n.Errorf(`%s is relative to a program's current folder on drive %s; write the folder's full path, such as '%s\hubbench'`, strictyaml.Quote(*to), drive[:2], drive[:2])
			}
		},
		Schema: func() strictyaml.Schema {
			s := plain.Schema()
			s["not"] = strictyaml.Schema{"pattern": "^~(/|$)|" + onDrive.String()}
			return s
		},
	}
}

// isWindowsPath reports whether a text looks like a folder on a drive or a share of Windows.
func isWindowsPath(text string) bool {
	return strings.HasPrefix(text, `\\`) || len(text) > 2 && text[1] == ':' && text[2] == '\\'
}
