package main

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
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
	mine := write(t, "mine/events.jsonl.zst", "precious\n")
	if code, _, errs := does(t, nil, append(args, "--out", "mine")...); code == exit.OK ||
		string(read(t, mine)) != "precious\n" {
		t.Errorf("over a folder with a run: exit code %d, %s", code, errs)
	}
	const atOnce = 8
	var made, named atomic.Int32
	var all sync.WaitGroup
	for range atOnce {
		all.Go(func() {
			if code, _, _ := does(t, nil, args...); code == exit.OK {
				made.Add(1)
			}
			code, _, errs := does(t, nil, append(slices.Clone(args), "--out", "one")...)
			if code == exit.OK {
				named.Add(1)
			} else if !strings.Contains(errs, "already holds a run") {
				t.Error(errs)
			}
		})
	}
	all.Wait()
	folders, err := os.ReadDir("results")
	must(t, err)
	if len(folders) != atOnce || made.Load() != atOnce || named.Load() != 1 {
		t.Errorf("%d imports at once: %d folders of %d that succeed; under one name %d",
			atOnce, len(folders), made.Load(), named.Load())
	}
	if text := read(t, "one/events.jsonl"); bytes.Count(text, []byte(`"type":"run"`)) != 1 {
		t.Errorf("the one folder holds\n%s", text)
	}
}
