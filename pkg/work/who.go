package work

import (
	"fmt"
	"strings"

	"github.com/hubbench/hubbench/pkg/unit"
)

// Who says which disks do what, in their order: "A, B write; C reads".
func Who(disks []string, all map[string]Work) string {
	var order []Verb
	who := map[Verb][]string{}
	for _, disk := range disks {
		does := all[disk].Does()
		if all[disk].Probe > 0 {
			does = does.with(all[disk].Listed())
		}
		if who[does] == nil {
			order = append(order, does)
		}
		who[does] = append(who[does], disk)
	}
	var parts []string
	for _, does := range order {
		parts = append(parts, strings.Join(who[does], ", ")+" "+does.Of(len(who[does])))
	}
	return strings.Join(parts, "; ")
}

// Verb is what one disk does or several do, what they did, and what they are doing.
type Verb struct{ One, Several, Past, Ing string }

// Of is the verb of so many disks.
func (v Verb) Of(disks int) string {
	if disks == 1 {
		return v.One
	}
	return v.Several
}

func (v Verb) with(words string) Verb {
	return Verb{v.One + words, v.Several + words, v.Past + words, v.Ing + words}
}

// Verb is what a disk does, but for what and how fast.
func (w Work) Verb() Verb {
	read, write := Verb{"reads", "read", "read", "reading"}, Verb{"writes", "write", "wrote", "writing"}
	if len(w.Streams) > 0 {
		read, write = Verb{"plays", "play", "played", "playing"}, Verb{"records", "record", "recorded", "recording"}
	}
	var reads, writes bool
	for _, s := range w.Streams {
		reads, writes = reads || !s.Record, writes || s.Record
	}
	switch {
	case w.Probe > 0:
		return Verb{"is probed", "are probed", "was probed", "probed"}
	case w.Reads > 0 || reads && writes:
		return Verb{read.One + " and " + write.One, read.Several + " and " + write.Several, read.Past + " and " + write.Past, read.Ing + " and " + write.Ing}
	case w.Op == Write || w.Op == "" && writes:
		return write
	case w.Op == Read || reads:
		return read
	}
	return Verb{}
}

// Does is the verb with how much and how fast, but for a probe, and streams by their number: "plays 4 streams", "writes at up to 200 MB/s".
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

// Listed follows the verb with how much and how fast, streams by their kinds: " 4 x ProRes 422 HQ UHD 25p".
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
	return text
}
