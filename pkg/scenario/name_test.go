package scenario

import (
	"strings"
	"testing"
)

// Names in any script are accepted, and words of several scripts beside one another; what makes one
// look like another is not.
func TestOwnName(t *testing.T) {
	for name, refused := range map[string]string{
		"Диск 1 SSD":   "",
		"диск1-A":      "",
		"混ぜるテストA":      "",
		"한글漢字":         "",
		"⚙️ Mac":       "",
		"cafe\u0301 2": "",
		"1А":           "",
		"A\u0410":      "mixes Cyrillic and Latin letters",
		"\u0391B":      "mixes Greek and Latin letters",
		"a\u200db":     "invisible character U+200D",
		"a\u2066b":     "invisible character U+2066",
		"a\u3164b":     "invisible character U+3164",
		"a\u00adb":     "invisible character U+00AD",
	} {
		_, err := Load("s.yaml",
			[]byte("version: 1\nname: n\nphases: [{pattern: W}]\ndisks: [{name: \""+name+
				"\", path: /a}]"))
		if refused == "" && err != nil || refused != "" &&
			(err == nil || !strings.Contains(err.Error(), refused)) {
			t.Errorf("%+q: %v, want %q", name, err, refused)
		}
	}
	for _, pair := range [][2]string{{"Straße", "STRASSE"}, {"Σίσυφος", "ΣΊΣΥΦΟΣ"}, {"K", "\u212a"},
		{"ﬁle", "FILE"}, {"⚙", "⚙️"}} {
		if folded(pair[0]) != folded(pair[1]) {
			t.Errorf("%s and %s differ: %q, %q", pair[0], pair[1], folded(pair[0]), folded(pair[1]))
		}
	}
	if folded("A1") == folded("A2") {
		t.Error("A1 and A2 are the same")
	}
}
