package work

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/hubbench/hubbench/pkg/unit"
)

// Key is one thing by which works differ, named as the scenario has it.
type Key string

// The keys that are no plain field of Work. How many files there are, which ones a seed draws from
// a range, when the phase stops, how long the disks rest before it and what becomes of the files
// afterwards change how long it is measured and in which state, but not of what.
const (
	KeyOp      Key = "op"      // A disk reads and writes at different rates.
	KeyMix     Key = "mix"     // Doing both at once has a third speed.
	KeyStreams Key = "streams" // They say what is asked for, and how long a frame may take.
	// The size of a request is most of its latency, their distance what the disk does between
	KeyProbe Key = "probe"
	KeyPace  Key = "pace" // The rate is what the work asks for.
	// Each file costs time of its own, which matters more the smaller it is.
	KeySizes Key = "sizes"
	// Ascending sizes are time: the window sees only the small ones.
	KeyOrder Key = "order"
	// Passes of another kind: their rests, their longest time, one file again and again
	KeyTest    Key = "test"
	KeyUnknown Key = "unknown" // One of the works was not recorded.
)

// row is what works have by a key: how two of them are compared, and the words for one.
type row struct {
	key   Key
	same  func(w, o *Work) bool
	words func(w *Work) string
	has   func(w *Work) bool // has is whether the work has it at all; nil: all have.

	// limits says that a disk whose work has it does not go as fast as it can: see IsPaced.
	limits bool
}

// rows are the keys in the order of Differs and Text, which tables that are kept have: first what
// is asked for, and after KeyUnknown how the same files are moved.
var rows = [...]row{
	{key: KeyOp, same: func(w, o *Work) bool {
		return w.Op == o.Op
	}, words: func(w *Work) string { return string(w.Op) }},
	{key: KeyMix, same: func(w, o *Work) bool { return w.Reads == o.Reads },
		words: func(w *Work) string {
			if w.Reads == 0 {
				return none
			}
			return fmt.Sprintf("%.0f/%.0f", 100*w.Reads, 100*(1-w.Reads))
		}},
	{key: KeyStreams, limits: true, words: streamsText,
		same: func(w, o *Work) bool { return slices.Equal(w.Streams, o.Streams) }},
	{key: KeyProbe, limits: true, same: func(w, o *Work) bool {
		return w.Probe == o.Probe && (w.Every == o.Every || !w.Declared() || !o.Declared())
	}, words: func(w *Work) string {
		if w.Probe == 0 {
			return none
		}
		return unit.FormatBlock(w.Probe) + " every " + unit.FormatDuration(w.Every)
	}},
	{key: KeyPace, limits: true, same: func(w, o *Work) bool { return w.Pace == o.Pace },
		words: func(w *Work) string {
			if w.Pace == 0 {
				return "no limit"
			}
			return unit.FormatRate(w.Pace)
		}},
	fieldRow("Think"),
	{key: KeyTest, same: func(w, o *Work) bool {
		return w.Test == o.Test && w.OneFile == o.OneFile && w.Cap == o.Cap && w.Rest == o.Rest
	}, words: testText},
	{key: KeySizes, same: (*Work).sameSizes, words: sizesText, has: hasFiles},
	{key: KeyOrder, same: func(w, o *Work) bool { return w.order() == o.order() }, has: hasFiles,
		words: func(w *Work) string { return cmp.Or(w.order(), "no order") }},
	{key: KeyUnknown, same: func(w, o *Work) bool {
		return w.Declared() == o.Declared()
	}, words: func(w *Work) string {
		if w.Declared() {
			return "written down"
		}
		return "not recorded"
	}},
	fieldRow("Mode"),
	fieldRow("Block"),
	fieldRow("Depth"),
	fieldRow("Access"),
	fieldRow("Flush"),
	fieldRow("Preallocate"),
	fieldRow("Verify"),
	fieldRow("Footprint"),
	fieldRow("Fill"),
	fieldRow("WarmUp"),
}

const none = "none"

func hasFiles(w *Work) bool { return !w.HasNoFiles() }

// fieldRow returns the key of a field that has the tag key.
func fieldRow(name string) row {
	has := map[string]func(w *Work) bool{
		"blocks": func(w *Work) bool { return w.Mode != ModeApp },
		"writes": (*Work).writes,
	}
	field, _ := reflect.TypeFor[Work]().FieldByName(name)
	tag := field.Tag
	value := func(w *Work) reflect.Value {
		return reflect.ValueOf(w).Elem().FieldByIndex(field.Index)
	}
	return row{
		key: Key(tag.Get("key")), limits: tag.Get("paced") != "", has: has[tag.Get("of")],
		same: func(w, o *Work) bool { return value(w).Equal(value(o)) },
		words: func(w *Work) string {
			v := value(w)
			zero := cmp.Or(tag.Get("zero"), none)
			switch v := v.Interface().(type) {
			case time.Duration:
				if v > 0 {
					return unit.FormatDuration(v)
				}
			case int64:
				if v > 0 && tag.Get("unit") == "binary" {
					return unit.FormatBlock(v)
				}
				if v > 0 {
					return unit.FormatBytes(v)
				}
			case float64:
				if v > 0 {
					return unit.FormatPercent(v)
				}
			default:
				return cmp.Or(fmt.Sprint(v), zero)
			}
			return zero
		},
	}
}

// Differs returns the keys by which two works mean different rates.
func (w Work) Differs(o Work) []Key {
	var keys []Key
	for _, r := range rows {
		if r.has != nil && !(r.has(&w) && r.has(&o)) || r.key == KeyOrder &&
			slices.Contains(keys, KeySizes) {
			continue
		}
		if r.same(&w, &o) {
			continue
		}
		if keys = append(keys, r.key); r.key == KeyUnknown {
			break
		}
	}
	return keys
}

// Value returns what the work has by a key, in words.
func (w Work) Value(k Key) string { return rows[k.row()].words(&w) }

// Text returns all of the work but its direction: "sizes 1 GB, io direct, block 8 MiB, ...". It is
// empty if the work was not written down.
func (w Work) Text() string {
	var parts []string
	for _, r := range rows {
		if w.Declared() && r.key != KeyOp && (r.has == nil || r.has(&w)) &&
			!r.same(&w, &Work{Mode: w.Mode + "?"}) {
			parts = append(parts, string(r.key)+" "+r.words(&w))
		}
	}
	return strings.Join(parts, ", ")
}

// IsPaced reports whether the disk's rate is that of its work: it does not go as fast as it can,
// and what it moves says nothing of what it could.
func (w Work) IsPaced() bool {
	for _, r := range rows {
		if r.limits && !r.same(&w, &Work{}) {
			return true
		}
	}
	return false
}

func (k Key) row() int {
	for i, r := range rows {
		if r.key == k {
			return i
		}
	}
	return -1
}

// Limits reports whether work that has the key is limited by it.
func (k Key) Limits() bool { return rows[k.row()].limits }

// Ways returns the keys of how files are moved, whichever they are.
func Ways() []Key {
	var keys []Key
	for _, r := range rows[KeyUnknown.row()+1:] {
		keys = append(keys, r.key)
	}
	return keys
}

func streamsText(w *Work) string {
	var specs []string
	for _, s := range w.Streams {
		specs = append(specs, s.String()+", buffer "+unit.FormatDuration(s.Buffer))
	}
	return cmp.Or(strings.Join(specs, "; "), "none")
}

// testText returns the test, and how its passes go.
func testText(w *Work) string {
	texts := []string{w.Test}
	if w.OneFile {
		texts = append(texts, "one file again and again")
	}
	if w.Cap > 0 {
		texts = append(texts, "at most "+unit.FormatDuration(w.Cap)+" each")
	}
	if w.Rest > 0 {
		texts = append(texts, unit.FormatDuration(w.Rest)+" apart")
	}
	texts = slices.DeleteFunc(texts, func(text string) bool { return text == "" })
	return cmp.Or(strings.Join(texts, ", "), "none")
}

// sizesText returns the sizes of files: "1 GB", "2 MB to 2 GB".
func sizesText(w *Work) string {
	smallest := w.Sizes.Min
	largest := w.Sizes.Max
	drawn := ""
	switch {
	case w.Sizes.IsZero():
		smallest, _, largest = w.Seen.Range()
		if _, median, _ := w.Seen.Range(); largest > smallest {
			drawn = ", half of them up to " + unit.FormatBytes(median)
		}
	case len(w.Sizes.List) > 0:
		smallest = slices.Min(w.Sizes.List)
		largest = slices.Max(w.Sizes.List)
		if largest > smallest {
			drawn = fmt.Sprintf(", a list of %d", len(w.Sizes.List))
		}
	case w.Sizes.Distribution == LogUniform:
		drawn = ", " + LogUniform
	}
	if largest == 0 {
		return "none"
	}
	if smallest == largest {
		return unit.FormatBytes(largest)
	}
	return unit.FormatBytes(smallest) + " to " + unit.FormatBytes(largest) + drawn
}
