package work

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/hubbench/hubbench/pkg/unit"
)

// Who says which disks do what, in their order: "A writes, B and C read", "A writes, the rest
// read", "all write". It is asked for all disks of a run; those without a verb are idle.
func Who(disks []string, all map[string]Work) string {
	order, who := grouped(disks, func(disk string) Verb { return all[disk].Does() })
	order = slices.DeleteFunc(order, func(v Verb) bool { return v == Verb{} })
	slices.SortStableFunc(order, func(a, b Verb) int { // Probes come last.
		return cmp.Compare(min(1, all[who[a][0]].Probe), min(1, all[who[b][0]].Probe))
	})
	idle := who[Verb{}]
	var parts []string
	var rest Verb
	for _, does := range order {
		switch n := len(who[does]); {
		case n > 2 && n == len(disks):
			return "all " + does.Several
		case n > 3 && len(order) == 1 && len(idle) < 3:
			return "all but " + unit.List(idle) + " " + does.Several
		case n > 2 && len(idle) == 0 && n >= len(who[rest]):
			rest = does
		}
	}
	for _, does := range order {
		if does != rest {
			parts = append(parts, unit.List(who[does])+" "+does.Of(len(who[does])))
		}
	}
	if rest != (Verb{}) {
		parts = append(parts, "the rest "+rest.Several)
	}
	return strings.Join(parts, ", ")
}

// shorthand is a group of disks and what it does in the names that studies once gave their phases:
// "A+C W", "rest R".
var shorthand = regexp.MustCompile(`^(?:, )?(.+?) ([RW])(?:$|,| |-\d)`)

// Title returns what to call a phase where a person reads of it. A name that is only a pattern of
// letters (WWW-2), or who does what in fewer words (A W, rest R), becomes who does what, with
// whatever follows it: "all write (2)", "A writes, direct". Any other name stays.
func Title(name string, disks []string, all map[string]Work) string {
	after, ok := afterPattern(name, disks, all)
	if !ok {
		after, ok = afterShorthand(name, disks, all)
	}
	title := Who(disks, all)
	if !ok {
		after, ok = strings.CutPrefix(name, title)
	}
	if !ok || title == "" || utf8.RuneCountInString(title) > maxTitle || after != "" &&
		!strings.ContainsAny(after[:1],
			" -") {
		return name
	}
	for _, said := range []string{" streams", " mix", " pace", " probe"} {
		after = strings.TrimPrefix(after, said)
	}
	if number := regexp.MustCompile(`^(-\d+)+`).FindString(after); number != "" {
		title += " (" + number[1:] + ")"
		after = after[len(number):]
	}
	if after = strings.TrimSpace(after); after != "" && after[0] != '-' {
		title += ", "
	}
	return title + after
}

// maxTitle is how many characters may say who does what; the pattern says more than a longer list
// of disks.
const maxTitle = 64

// pattern is letters of disks, and what follows them.
var pattern = regexp.MustCompile(`^([RW-]*?[RW-])($|-\d.*| .*)$`)

// afterPattern returns what follows the letters in a name that begins with one for each disk that
// works, in any order of the disks, and a dash for any of the others.
func afterPattern(name string, disks []string, all map[string]Work) (after string, ok bool) {
	parts := pattern.FindStringSubmatch(name)
	if parts == nil {
		return "", false
	}
	var letters []byte
	for _, disk := range disks {
		if letter := all[disk].Op.Letter(); letter != '-' {
			letters = append(letters, letter)
		}
	}
	named := []byte(strings.ReplaceAll(parts[1], "-", ""))
	slices.Sort(letters)
	slices.Sort(named)
	return parts[2], slices.Equal(named, letters)
}

// afterShorthand returns what follows the groups in a name of disks and letters.
func afterShorthand(name string, disks []string, all map[string]Work) (after string, ok bool) {
	left := slices.DeleteFunc(slices.Clone(disks), func(disk string) bool {
		return all[disk].Op.Letter() == '-'
	})
	after = name
	for group := shorthand.FindStringSubmatch(after); group !=
		nil; group = shorthand.FindStringSubmatch(after) {
		if after != name && !strings.HasPrefix(after, ", ") {
			break
		}
		named := strings.Split(group[1], "+")
		after = strings.TrimPrefix(after, ", ")[len(group[1])+2:]
		n := len(left)
		left = slices.DeleteFunc(left, func(disk string) bool {
			return (slices.Contains(named, disk) || group[1] == "all" || group[1] == "rest") &&
				string(all[disk].Op.Letter()) == group[2]
		})
		if group[1] != "all" && group[1] != "rest" && n-len(left) != len(named) {
			return "", false
		}
	}
	return after, after != name && len(left) == 0
}

// Verb is what one disk does or several do, what they did, and what they are doing.
type Verb struct{ One, Several, Past, Ing string }

// Of returns the verb of that many disks.
func (v Verb) Of(disks int) string {
	if disks == 1 {
		return v.One
	}
	return v.Several
}

func (v Verb) with(words string) Verb {
	return Verb{v.One + words, v.Several + words, v.Past + words, v.Ing + words}
}

// grouped returns the disks by what they do, and that in the order of the disks.
func grouped(disks []string, does func(disk string) Verb) (order []Verb, who map[Verb][]string) {
	who = map[Verb][]string{}
	for _, disk := range disks {
		v := does(disk)
		if who[v] == nil {
			order = append(order, v)
		}
		who[v] = append(who[v], disk)
	}
	return order, who
}

// Clauses say what disks do, those together that do the same: "A and B write", "C reads". Form
// picks the verb's.
func Clauses(
	disks []string, does func(disk string) Verb, form func(v Verb, disks int) string,
) []string {
	order, who := grouped(disks, does)
	var texts []string
	for _, v := range order {
		texts = append(texts, unit.List(who[v])+" "+form(v, len(who[v])))
	}
	return texts
}

// Verb returns what a disk does, except for what and how fast.
func (w Work) Verb() Verb {
	read := Verb{"reads", "read", "read", "reading"}
	write := Verb{"writes", "write", "wrote", "writing"}
	if len(w.Streams) > 0 {
		read = Verb{"plays", "play", "played", "playing"}
		write = Verb{"records", "record", "recorded", "recording"}
	}
	var reads, writes bool
	for _, s := range w.Streams {
		reads = reads || !s.Record
		writes = writes || s.Record
	}
	switch {
	case w.Probe > 0:
		return Verb{"is probed", "are probed", "was probed", "probed"}
	case w.Reads > 0 || reads && writes:
		return Verb{read.One + " and " + write.One, read.Several + " and " + write.Several,
			read.Past + " and " + write.Past, read.Ing + " and " + write.Ing}
	case w.Op == Write || w.Op == "" && writes:
		return write
	case w.Op == Read || reads:
		return read
	}
	return Verb{}
}

// Does returns the verb with how much and how fast, except for a probe, and streams by their
// number: "plays 4 streams", "writes at up to 200 MB/s".
func (w Work) Does() Verb {
	switch {
	case w.Probe > 0:
		return w.Verb()
	case len(w.Streams) == 0:
		return w.Verb().with(w.Listed())
	}
	n := 0
	for _, s := range w.Streams {
		n += s.Count
	}
	does := w.Verb().with(" " + unit.Plural(n, "stream"))
	does.Several += " each"
	return does
}

// Listed follows the verb with how much and how fast, streams by their kinds: " 4 x ProRes 422 HQ
// UHD 25p".
func (w Work) Listed() string {
	text := ""
	switch {
	case len(w.Streams) > 0:
		var specs []string
		for _, s := range w.Streams {
			specs = append(specs, s.String())
		}
		return " " + unit.List(specs)
	case w.Probe > 0:
		return " " + unit.FormatBlock(w.Probe) + " at a time"
	case w.Reads > 0:
		text = fmt.Sprintf(" %.0f/%.0f", 100*w.Reads, 100*(1-w.Reads))
	}
	if w.Pace > 0 {
		text += " at up to " + unit.FormatBytes(int64(w.Pace)) + "/s"
	}
	if w.Think > 0 {
		text += " with " + unit.FormatDuration(w.Think) + " pauses"
	}
	return text
}
