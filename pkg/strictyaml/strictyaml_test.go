package strictyaml

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/test/check"
)

// sample is a file with a value of every kind.
type sample struct {
	Name     string        `yaml:"name,required"`
	Pause    string        `yaml:"pause"`
	Flush    string        `yaml:"flush" is:"none | fsync | full"`
	Depth    int           `yaml:"depth" is:"1 to 1024"`
	Speedup  float64       `yaml:"speedup" is:"0.01 to 1000"`
	Keep     bool          `yaml:"keep"`
	Block    int64         `yaml:"block" is:"512 B to 1 GiB"`
	Read     float64       `yaml:"read" is:"1 B/s to 1 TB/s"`
	Fill     float64       `yaml:"fill" is:"1% to 95%"`
	Cooldown time.Duration `yaml:"cooldown" is:"0 s to 1 h"`
	Inner    struct {
		A string `yaml:"a"`
	} `yaml:"inner"`
	Items []string      `yaml:"items"`
	Open  Named[string] `yaml:"open" is:"read | write"`
}

// readSample also returns what open says, as A: read.
func readSample(data string) (s sample, open []string, err error) {
	doc, err := Parse("t.yaml", []byte(data))
	if err != nil {
		return s, nil, err
	}
	Of(&s).Read(doc.Root())
	for _, e := range s.Open.Entries {
		open = append(open, e.Key+": "+e.To)
	}
	s.Open.Entries = nil
	return s, open, doc.Err()
}

func TestRead(t *testing.T) {
	tests := []struct {
		name, data string
		want       sample
	}{
		{"least", "name: a", sample{Name: "a"}},
		{"document marks", "---\nname: a\n...\n", sample{Name: "a"}},
		{"byte order mark and CRLF", "\ufeffname: a\r\ndepth: 4\r\n", sample{Name: "a", Depth: 4}},
		{"JSON", `{"name": "a", "keep": true, "items": ["x"]}`, sample{Name: "a", Keep: true, Items: []string{"x"}}},
		{"no and yes are text", "name: no", sample{Name: "no"}},
		{"literal", "name: |-\n  a\n", sample{Name: "a"}},
		{"everything", `# a comment
name: 'a: b'   # another
pause: "press \"Enter\""
flush: fsync
depth: 4
speedup: 20
keep: true
block: 8 MiB
read: 2.8 GB/s
fill: 12.5%
cooldown: 30 s
inner: {a: x}
items: [x, "1"]
open:
  A: read
  1: write
`, sample{
			Name: "a: b", Pause: `press "Enter"`, Flush: "fsync", Depth: 4, Speedup: 20, Keep: true, Block: 8 << 20,
			Read: 2.8e9, Fill: 0.125, Cooldown: 30 * time.Second,
			Inner: struct {
				A string `yaml:"a"`
			}{"x"},
			Items: []string{"x", "1"},
		}},
		{"plain numbers", "name: a\nblock: 4096\nread: 1000\nspeedup: 0.5",
			sample{Name: "a", Block: 4096, Read: 1000, Speedup: 0.5}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, open, err := readSample(tt.data)
			check.Must(t, err)
			check.Same(t, "sample", tt.want, got)
			if strings.Contains(tt.data, "open") {
				check.Same(t, "open", []string{"A: read", "1: write"}, open)
			}
		})
	}
}

func TestMistakes(t *testing.T) {
	tests := []struct{ name, data, want string }{
		{"empty", "", "1:1: the file is empty; write its keys, one key: value to a line"},
		{"only comments", "# a\n\n# b\n",
			"1:1: the file is empty; write its keys, one key: value to a line"},
		{"a word", "hello", `1:1: the file is "hello", not a mapping; try lines of key: value, or {key: value, ...}`},
		{"a list", "- a\n- b", `1:1: the file is a list, not a mapping; try lines of key: value, or {key: value, ...}`},
		{"missing key misspelt", "naame: a", `1:1: unknown key "naame"; try name`},
		{"missing comes with others", "depth: 0",
			"1:1: the key name is missing; add it\n1:8: depth is 0; try 1 to 1024"},
		{"unknown keys", "name: a\nname2: b\ndepht: 3",
			"2:1: unknown key \"name2\"; try name\n3:1: unknown key \"depht\"; try depth"},
		{"the beginning of a key", "name: a\ncool: 1 s", `2:1: unknown key "cool"; try cooldown`},
		{"a share without its sign", "name: a\nfill: 0.5", `2:7: fill: share "0.5": the % is missing; try a number with %, such as 50%`},
		{"a share of more than all", "name: a\nfill: 120%", `2:7: fill is "120%"; try 1% to 95%`},
		{"swapped letters", "name: a\ndepht: 3", `2:1: unknown key "depht"; try depth`},
		{"far from any", "name: a\ninner: {colour: b}", `2:9: unknown key "colour"; try a`},
		{"missing key", "depth: 3", "1:1: the key name is missing; add it"},
		{"duplicate key", "name: a\ndepth: 1\nname: b", `3:1: key "name" is already on line 1; delete one of the two`},
		{"duplicate in flow", "name: a\nopen: {A: read, 'A': write}", `2:17: key "A" is already on line 2; delete one of the two`},
		{"no value", "name:\ndepth: 1", "1:6: name has no value; write one, or delete the key"},
		{"null", "name: a\ndepth: ~", "2:8: depth has no value; write one, or delete the key"},
		{"number for text", "name: 12", `1:7: name is 12, not text; try "12", in quotes`},
		{"list for text", "name: [a]",
			"1:7: name is a list, not text; try one word or a text in quotes"},
		{"text for number", "name: a\ndepth: many", `2:8: depth is "many", not a whole number; try 1 to 1024`},
		{"quoted number", "name: a\ndepth: '3'", `2:8: depth is "3", not a whole number; try 1 to 1024`},
		{"fraction", "name: a\ndepth: 1.5",
			"2:8: depth is 1.5, not a whole number; try 1 to 1024"},
		{"whole fraction", "name: a\ndepth: 1.0",
			"2:8: depth is 1.0, not a whole number; try 1 to 1024"},
		{"octal", "name: a\ndepth: 0o17",
			"2:8: depth is 0o17, not a whole number; try 1 to 1024"},
		{"infinite", "name: a\nspeedup: .inf",
			"2:10: speedup is .inf, not a number; try 0.01 to 1000"},
		{"not a number", "name: a\nspeedup: nan", `2:10: speedup is "nan"; try 0.01 to 1000`},
		{"out of range", "name: a\ndepth: 0", "2:8: depth is 0; try 1 to 1024"},
		{"out of int64", "name: a\ndepth: 99999999999999999999", `2:8: depth is "99999999999999999999"; try 1 to 1024`},
		{"out of range, float", "name: a\nspeedup: 1001",
			"2:10: speedup is 1001; try 0.01 to 1000"},
		{"out of range, size", "name: a\nblock: 1 B", `2:8: block is "1 B"; try 512 B to 1 GiB`},
		{"out of range, rate", "name: a\nread: 0", `2:7: read is 0; try 1 B/s to 1 TB/s`},
		{"out of range, time", "name: a\ncooldown: 61 min", `2:11: cooldown is "61 min"; try 0 s to 1 h`},
		{"bad size", "name: a\nblock: 8 M", `2:8: block: size "8 M": "M" may mean powers of 1000 (MB) or of 1024 (MiB); try a number with B, KB, MB, GB, KiB, MiB or GiB, such as 2 MB`},
		{"size of a kind", "name: a\nblock: true",
			"2:8: block is true, not a size; try 512 B to 1 GiB"},
		{"not a boolean", "name: a\nkeep: yes", `2:7: keep is "yes", not true or false; try one of the two, without quotes`},
		{"another word for false", "name: a\nkeep: Off", `2:7: keep is "Off", not true or false; try one of the two, without quotes`},
		{"no word for either", "name: a\nkeep: maybe", `2:7: keep is "maybe", not true or false; try one of the two, without quotes`},
		{"near word", "name: a\nflush: fsinc", `2:8: flush is "fsinc"; try fsync`},
		{"no near word", "name: a\nflush: x", `2:8: flush is "x"; try none, fsync or full`},
		{"text for list", "name: a\nitems: x", `2:8: items is "x", not a list; try one "- ..." line for each item, or [..., ...]`},
		{"value of a mapping within", "name: a\nopen: {A: 3}", `2:11: open.A is 3, not text; try "3", in quotes`},
		{"number in list", "name: a\nitems: [x, 1]", `2:12: item 2 of items is 1, not text; try "1", in quotes`},
		{"text for mapping", "name: a\ninner: x", `2:8: inner is "x", not a mapping; try lines of key: value, or {key: value, ...}`},
		{"several, by line", "nme: b\nflush: x\ndepth: 0\ninner: [a]", `1:1: unknown key "nme"; try name
2:8: flush is "x"; try none, fsync or full
3:8: depth is 0; try 1 to 1024
4:8: inner is a list, not a mapping; try lines of key: value, or {key: value, ...}`},
		{"long value", "name: a\nflush: " + strings.Repeat("y", 1000), `2:8: flush is "` + strings.Repeat("y", 40) + `..."; try none, fsync or full`},
		{"hostile value", "name: a\nflush: \"\\n\\e[31m</script>\"", `2:8: flush is "\n\x1b[31m</script>"; try none, fsync or full`},
		{"hostile key", "name: a\n\"\\n\": x", `2:1: unknown key "\n"; try name, pause, flush, depth, speedup, keep, block, read, fill, cooldown, inner, items or open`},
		{"control character", "name: a\n \x00", "2:2: control character U+0000; delete it"},
		{"not UTF-8", "name: a\nb: \xff",
			"2:4: byte 0xff is not UTF-8 text; save the file as UTF-8"},
		{"UTF-16", "\xff\xfen\x00", "1:1: byte 0xff is not UTF-8 text; save the file as UTF-8"},
		{"tab", "name: a\ninner:\n\ta: b", "3:1: a tab indents this line; indent with spaces"},
		{"reserved", "name: @a",
			"1:7: '@' is a reserved character in YAML; put the value in quotes"},
		{"colon in text", "name: a: b",
			"1:7: a key: value is not allowed here; check the indentation, or put a text with a colon in quotes"},
		{"open quote", "name: \"a\ndepth: 1\n", `1:7: the quote opened here is never closed; close it, or use single quotes if there is a \ in it`},
		{"open single quote", "name: 'a", "1:7: the quote opened here is never closed; close it"},
		{"Windows path", `name: "D:\data"`, `1:11: in double quotes \ starts an escape sequence, and this is not one; put the text in single quotes, such as 'D:\data'`},
		{"no space after colon", "name: a\ninner: {a:/x}", `2:9: "a:/x" lacks a space after its colon; write a: /x`},
		{"open bracket", "name: a\nitems: [x\n",
			"2:8: not valid YAML (sequence end token ']' not found); check the indentation, brackets and quotes here"},
		{"list amid mapping", "- a\nname: b",
			"2:1: not valid YAML (value is not allowed in this context); check the indentation, brackets and quotes here"},
		{"anchor", "name: &x a", `1:7: "&" is YAML syntax that is not supported here; write plain keys and values, or put the text in quotes`},
		{"alias", "name: *x", `1:7: "*" is YAML syntax that is not supported here; write plain keys and values, or put the text in quotes`},
		{"merge", "name: a\n<<: {depth: 1}", `2:1: "<<" is YAML syntax that is not supported here; write plain keys and values, or put the text in quotes`},
		{"tag", "name: !!str 1", `1:7: "!!str" is YAML syntax that is not supported here; write plain keys and values, or put the text in quotes`},
		{"complex key", "? name\n: a", `1:1: "?" is YAML syntax that is not supported here; write plain keys and values, or put the text in quotes`},
		{"directive", "%YAML 1.2\n---\nname: a", `1:1: "%" is YAML syntax that is not supported here; write plain keys and values, or put the text in quotes`},
		{"two documents", "name: a\n---\nname: b",
			"2:1: a second document starts here; keep one document per file"},
		{"10 MB", strings.Repeat("name: a # 12345\n", 10e6/16),
			"1:1: the file is over 1 MiB; try the right file, or fewer values"},
		{"deep flow", "name: " + strings.Repeat("[", 1e6),
			"1:39: nested too deep; check the brackets and indentation"},
		{"deep list", strings.Repeat("- ", 5e5),
			"1:101: nested too deep; check the brackets and indentation"},
		{"deep block", deepBlock(101),
			"101:102: nested too deep; check the brackets and indentation"},
		{"many values", "items: [" + strings.Repeat("a,", 1e5),
			"1:50006: more than 50000 values and punctuation marks; shorten the lists"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := readSample(tt.data)
			if err == nil {
				t.Fatal("no error")
			}
			check.Same(t, "mistakes", strings.Split(tt.want, "\n"), lines(err))
			if e := (*Error)(nil); !errors.As(err, &e) || e.File != "t.yaml" {
				t.Errorf("%T %v is no *Error of t.yaml", err, err)
			}
		})
	}
}

// lines are the mistakes of t.yaml, without its name.
func lines(err error) []string {
	several, ok := errors.AsType[Errors](err)
	if !ok {
		return []string{strings.TrimPrefix(err.Error(), "t.yaml:")}
	}
	all := make([]string, len(several))
	for i, e := range several {
		all[i] = strings.TrimPrefix(e.Error(), "t.yaml:")
	}
	return all
}

// Several mistakes are one line if an error is one.
func TestErrors(t *testing.T) {
	_, _, err := readSample("nme: b\nflush: x\ndepth: 0")
	check.Same(t, "several", `t.yaml:1:1: unknown key "nme"; try name (and 2 more)`, err.Error())
	if first, ok := errors.AsType[*Error](err); !ok || first.Line != 1 {
		t.Errorf("got %v as the first, want that of line 1", first)
	}
}

// A hostile file name must not break the one line.
func TestErrorFileName(t *testing.T) {
	_, err := Parse("a\nb.yaml", nil)
	const want = `"a\nb.yaml":1:1: the file is empty; write its keys, one key: value to a line`
	check.Same(t, "error", want, err.Error())
}

func deepBlock(depth int) string {
	var b strings.Builder
	for i := range depth {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}

// Whatever the bytes: no panic, and an error is one line that names a place in the file.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"", "name: a", "name: 'a: b'\nitems: [x, {y: 1}]\nopen:\n  - |\n   z\n", "a: &x 1\nb: *x",
		"- - -\n- ? a", "a:\n b:\n  c: \"\\ud800\"\n",
		"{a, b: {c: [1.5, .inf, 0x1f, 2 MB]}}", "---\n...\n%", "\ufeff\r\n\t", "a: >+2\n   x",
		"\"a\nb\": c", "a: !!binary x", ": :", "[?x]", "a: 'it''s'",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := Parse("f.yaml", data)
		if err == nil {
			visit(doc.Root(), 0)
			err = doc.Err()
		}
		if err == nil {
			return
		}
		var e *Error
		if !errors.As(err, &e) {
			t.Fatalf("%T is no *Error", err)
		}
		if lines := strings.Count(string(data), "\n") + strings.Count(string(data), "\r") +
			1; e.Line < 1 || e.Column < 1 || e.Line > lines+1 {
			t.Errorf("place %v is outside a file of %d lines", e.Pos, lines)
		}
		if strings.ContainsAny(err.Error(), "\n\r\x00") || !strings.Contains(e.Msg, "; ") {
			t.Errorf("not one line with what to try: %q", err)
		}
	})
}

// visit reads every value in every way.
func visit(n Node, depth int) {
	if depth > maxDepth+maxIndent {
		panic("deeper than Parse allows")
	}
	switch n.Kind() {
	case List:
		for _, item := range n.Items() {
			visit(item, depth+1)
		}
	case Map:
		m := n.Mapping()
		for _, p := range m.Pairs() {
			visit(p.Value, depth+1)
		}
	default:
		s := sample{}
		for _, field := range []string{"Name", "Flush", "Depth", "Speedup", "Keep", "Block", "Read",
			"Fill", "Cooldown"} {
			Field(&s, field).Read(n)
		}
		Of(&s).Read(n)
	}
}
