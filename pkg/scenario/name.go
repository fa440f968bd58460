package scenario

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	yaml "github.com/hubbench/hubbench/pkg/strictyaml"
)

// ownName is a name that results show: all of it can be seen. Traces may hold any.
func ownName(to *string) yaml.Value {
	return yaml.FileName(to).Then(func(n yaml.Node) {
		for _, r := range *to {
			if unicode.In(r, unicode.Cf, unicode.Other_Default_Ignorable_Code_Point) {
				n.Errorf("%s %s contains the invisible character %U; delete it", n.Label(), yaml.Quote(*to), r)
				return
			}
		}
	})
}

// folded is what names that look the same have in common: case, compatible forms of letters and how emoji are shown
// make no difference.
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
	same := func(other string) bool { return folded(other) == form }
	if i := slices.IndexFunc(others, same); i >= 0 {
		but := ""
		if others[i] != name {
			but = ", the same but for the case or form of its letters"
		}
		at.Errorf("there is a %s %s already%s; give each its own name", kind, yaml.Quote(others[i]), but)
	}
}
