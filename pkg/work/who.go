package work

import (
	"fmt"
	"strings"

	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Who says which disks do what, in their order: "A, B write; C reads".
func Who(disks []string, all map[string]Work) string {
	var order []doing
	who := map[doing][]string{}
	for _, disk := range disks {
		does := all[disk].doing()
		if who[does] == nil {
			order = append(order, does)
		}
		who[does] = append(who[does], disk)
	}
	var parts []string
	for _, does := range order {
		text := does.several
		if len(who[does]) == 1 {
			text = does.one
		}
		parts = append(parts, strings.Join(who[does], ", ")+" "+text)
	}
	return strings.Join(parts, "; ")
}

// doing is what one disk does, and what several do.
type doing struct{ one, several string }

// with is the same with more words behind it.
func (d doing) with(words string) doing { return doing{d.one + words, d.several + words} }

// verb is a regular verb of what disks do.
func verb(word string) doing { return doing{word + "s", word} }

func (w Work) doing() doing {
	var does doing
	switch {
	case len(w.Streams) > 0:
		return streaming(w.Streams)
	case w.Probe > 0:
		return doing{"is", "are"}.with(" probed by " + unit.FormatBlock(w.Probe))
	case w.Reads > 0:
		does = doing{"reads and writes", "read and write"}.with(fmt.Sprintf(" %.0f/%.0f", 100*w.Reads, 100*(1-w.Reads)))
	default:
		does = verb(string(w.Op))
	}
	if w.Pace > 0 {
		does = does.with(" at up to " + unit.FormatBytes(int64(w.Pace)) + "/s")
	}
	return does
}

// streaming says what streams do: "plays 4 streams".
func streaming(specs []stream.Spec) doing {
	count, does := 0, "play"
	for _, spec := range specs {
		count += spec.Count
		if spec.Record {
			does = "record"
		}
	}
	if count == 1 {
		return verb(does).with(" 1 stream")
	}
	return verb(does).with(fmt.Sprintf(" %d streams", count))
}
