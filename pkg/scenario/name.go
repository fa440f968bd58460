package scenario

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	yaml "github.com/hubbench/hubbench/pkg/strictyaml"
)

// ownName is a name that results show: it looks like no other, as far as its letters tell. Traces
// may hold any.
type ownName string

// Value returns a name that can be that of a file.
func (o *ownName) Value() yaml.Value {
	to := (*string)(o)
	return yaml.FileName(to).Then(func(n yaml.Node) {
		word := "" // its script
		for _, r := range *to {
			if unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point) {
				n.Errorf("%s %s contains the invisible character %U; delete it", n.Label(),
					yaml.Quote(*to), r)
				return
			}
			script := scriptOf(r)
			if word != "" && script != "" && word != script {
				scripts := []string{word, script}
				slices.Sort(scripts)
				n.Errorf("%s %s mixes %s letters in one word; write it in one script",
					n.Label(), yaml.Quote(*to), strings.Join(scripts, " and "))
				return
			}
			if script != "" || !unicode.In(r, unicode.L, unicode.M, unicode.N) {
				word = script
			}
		}
	})
}

// scriptOf returns the script that a letter belongs to. It is empty for what is no letter, and for
// letters that words hold beside others: those that Chinese, Japanese and Korean write together.
func scriptOf(r rune) string {
	shared := []string{"Common", "Inherited", "Han", "Hiragana", "Katakana", "Bopomofo", "Hangul"}
	for script, letters := range unicode.Scripts {
		if unicode.Is(letters, r) && !slices.Contains(shared, script) {
			return script
		}
	}
	return ""
}

// folded returns what names that look the same have in common: case, compatible forms of letters
// and how emoji are shown make no difference.
func folded(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.Is(unicode.Variation_Selector, r) {
			return -1
		}
		return r
	}, norm.NFKC.String(name))
	return strings.ReplaceAll(strings.ToLower(strings.ToUpper(name)), "ß", "ss")
}

// alreadyThere reports a name that another thing of its kind has, or has but for how it is written.
func alreadyThere(at yaml.Node, kind, name string, others []string) {
	form := folded(name)
	for _, other := range others {
		switch {
		case other == name:
			at.Errorf("there is a %s %s already; give each its own name", kind, yaml.Quote(other))
		case folded(other) == form:
			at.Errorf("there is a %s %s already, the same but for the case or form of its "+
				"letters; give each its own name",
				kind, yaml.Quote(other))
		}
	}
}
