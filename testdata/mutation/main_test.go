package main

import (
	"os"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

const code = `package p

const most = 0.5

func f(list []int, ok bool) (n int) {
	for i, v := range list {
		if v == 3 || ok {
			continue
		}
		n += max(-v, 2*i)
	}
	if n > 7 {
		n--
		println(
			n)
	}
	switch {
	case n < 0:
		n = 1
	}
	if func() bool { return ok }() && n == 2 {
		return 9
	}
	return n
}
`

// Each change stands once, in the order of the file.
func TestMutantsIn(t *testing.T) {
	list, err := mutantsIn("pkg/p/p.go", code)
	check.Must(t, err)
	var got []string
	for _, m := range list {
		got = append(got, m.before+" -> "+m.after)
	}
	want := []string{
		"0.5 -> 1e+00",
		"if v == 3 || ok { ... -> { }",
		"v == 3 || ok -> !(v == 3 || ok)",
		"v == 3 -> v != 3",
		"v == 3 -> v == 4",
		"v == 3 || ok -> v == 3 && ok",
		"continue -> {}",
		"continue -> break",
		"n += max(-v, 2*i) -> {}",
		"n += max(-v, 2*i) -> n -= max(-v, 2*i)",
		"max(-v, 2*i) -> min(-v, 2*i)",
		"-v -> v",
		"2*i -> 3*i",
		"2*i -> 2/i",
		"if n > 7 { ... -> { }",
		"n > 7 -> n >= 7",
		"n > 7 -> n <= 7",
		"n > 7 -> n > 8",
		"n-- -> {}",
		"n-- -> n++",
		"println( ... -> { }",
		"n < 0 -> n <= 0",
		"n < 0 -> n >= 0",
		"n < 0 -> n < 1",
		"n = 1 -> {}",
		"1 -> 2",
		"if func() bool { return ok }() && n == 2 { ... -> { }",
		"func() bool { return ok }() && n == 2 -> !(func() bool { return ok }() && n == 2)",
		"func() bool { return ok }() && n == 2 -> func() bool { return ok }() || n == 2",
		"n == 2 -> n != 2",
		"n == 2 -> n == 3",
		"9 -> 10",
	}
	check.Same(t, "mutants", want, got)
	if first := list[0]; first.line != 3 || first.col != 14 || first.source != "const most = 0.5" {
		t.Errorf("the first is %+v", first)
	}
	for _, m := range list {
		if strings.Count(string(m.written), "\n") != strings.Count(code, "\n") {
			t.Errorf("%s: lines come or go", m)
		}
	}
}

// Known equivalents are found by file, line and change, wherever the line stands.
func TestEquivalents(t *testing.T) {
	read := func(text string) (map[string]bool, error) {
		name := t.TempDir() + "/equivalent.txt"
		check.Must(t, os.WriteFile(name, []byte(text), 0o600))
		return readEquivalents(name)
	}
	const known7 = "pkg/p/p.go\nif n > 7 {\nn > 7 -> n >= 7\n"
	known, err := read("# What this is.\n\n" + known7 + "Nothing is 7.\n")
	check.Must(t, err)
	list, err := mutantsIn("pkg/p/p.go", "\n\n"+code)
	check.Must(t, err)
	var got []string
	for _, m := range list {
		if known[m.key()] {
			got = append(got, m.String())
		}
	}
	check.Same(t, "known", []string{"pkg/p/p.go:14:7: n > 7 -> n >= 7"}, got)
	if _, err := read(known7); err == nil {
		t.Error("an equivalent without a reason is taken")
	}
}
