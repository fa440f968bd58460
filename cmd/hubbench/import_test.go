package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/hubbench/hubbench/internal/exit"
)

// ofFio is a log of bandwidth that fio writes, at a rate in KiB/s.
func ofFio(rate int) string {
	var text strings.Builder
	for ms := 500; ms <= 10_000; ms += 500 {
		fmt.Fprintf(&text, "%d, %d, 1, 0, 0\n", ms, rate)
	}
	return text.String()
}

// An import makes a folder of its own: it replaces nothing, and of several at once none is lost.
func TestImportReplacesNothing(t *testing.T) {
	t.Chdir(t.TempDir())
	write(t, "a_bw.1.log", ofFio(100_000))
	args := []string{"import", "a_bw.1.log", "--start", "a=0s"}
	for _, name := range []string{
		"events.jsonl", "events.jsonl.zst", "run.json", "analysis.json", "report.html",
		"scenario.yaml",
	} {
		mine := write(t, filepath.Join("mine "+name, name), "precious\n")
		code, _, errs := does(t, nil, append(args, "--out", filepath.Dir(mine))...)
		if code == exit.OK || string(read(t, mine)) != "precious\n" {
			t.Errorf("over a folder with %s: exit code %d, %s", name, code, errs)
		}
	}
	const atOnce = 8
	var made, named sync.Map
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() {
			if code, out, _ := does(t, nil, args...); code == exit.OK {
				made.Store(out[strings.Index(out, "report: "):], true)
			}
			code, _, errs := does(t, nil, append(slices.Clone(args), "--out", "one")...)
			if code == exit.OK {
				named.Store(code, true)
			} else if !strings.Contains(errs, "already holds a run") {
				t.Error(errs)
			}
		})
	}
	all.Wait()
	count := func(m *sync.Map) (n int) {
		m.Range(func(any, any) bool { n++; return true })
		return n
	}
	folders, err := os.ReadDir("results")
	must(t, err)
	if len(folders) != atOnce || count(&made) != atOnce || count(&named) != 1 {
		t.Errorf("%d imports at once: %d folders, %d of them reported; under one name %d",
			atOnce, len(folders), count(&made), count(&named))
	}
	if text := read(t, "one/events.jsonl"); bytes.Count(text, []byte(`"type":"run"`)) != 1 {
		t.Errorf("the one folder holds\n%s", text)
	}
}
