package session

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/internal/test/check"
)

// A search may write as much as all its tries do, each disk in the try that has it write most, and
// the question before a run says so; but no try moves more than the link carries, and none goes
// faster than the search may try.
func TestWearOfASearch(t *testing.T) {
	for _, tt := range []struct {
		name, phase, want string
	}{
		// 32 tries of 20 s, with up to 12 streams of 207.375 MB/s.
		{"streams recorded",
			"{streams: {A: {record: prores-4444-xq-uhd-25}}, roles: {B: read}, search: {streams: A, most: 12}, hold: 20 s}", "This will write at most 1.59 TB to the disks in total."},
		// As much of the link as there is, though A may write as well: 32 x 20 s x 3.94 GB/s, and
		// nothing to read beforehand.
		{"beside a writer",
			"{streams: {A: {record: prores-4444-xq-uhd-25}}, roles: {B: write}, search: {streams: A, most: 12}, hold: 20 s}", "This will write at most 2.52 TB to the disks in total."},
		// 24 tries of 3 s, at up to 50 MB/s: 3.6 GB.
		{"a pace",
			"{streams: {A: {rate: 5 MB/s}}, roles: {B: write}, search: {pace: B, most: 50 MB/s}, hold: 3 s}", ""},
		{"one of many streams",
			"{streams: {A: {record: prores-4444-xq-uhd-25, count: 12}}, stop: 1 min}",
			"This will write about 149 GB to the disks in total."},
		{"less than is worth a question",
			"{streams: {A: {record: prores-4444-xq-uhd-25, count: 12}}, stop: 10 s}", ""},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "t.yaml")
		text := "version: 1\nname: t\ndisks: [{name: A, path: a}, {name: B, path: b}]\nworkload: {sizes: [20 MB], files: 3}\nphases: [" + tt.phase + "]\n"
		check.Must(t, os.WriteFile(path, []byte(text), 0o600))
		ready, err := prepare.Load(path, func(string) {})
		check.Must(t, err)
		plan, err := Forecast(ready)
		check.Must(t, err)
		check.Same(t, tt.name, tt.want, wear(plan.Total, 1))
	}
}
