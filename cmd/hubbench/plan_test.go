package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/txtar"

	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/forecast"
	"github.com/hubbench/hubbench/pkg/hardware"
)

// planned is what `hubbench plan` says of a scenario on folders a, b and c, without what depends on
// the machine. It is Markdown, which holds all columns at full width.
func planned(t *testing.T, body string) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "s.yaml")
	for _, folder := range []string{"a", "b", "c"} {
		must(t, os.Mkdir(filepath.Join(dir, folder), 0o755))
	}
	write(t, path, "version: 1\nname: t\nallow_system_disk: true\n"+body)
	_, out, errs := does(t, nil, "plan", path, "--format", "md")
	machine := regexp.MustCompile(`(?m)^(> .*|All checks passed\.|## t|1 GB = .*)\n\n?|^\| Disk \| Folder .*\n(\| .*\n|\|-.*\n)+\n`)
	said := strings.TrimSpace(machine.ReplaceAllString(out, ""))
	if said == "" {
		t.Fatalf("no plan: %s%s", out, errs)
	}
	return said + "\n"
}

// What plan says of the scenarios in testdata.
func TestPlanTables(t *testing.T) {
	archive, err := txtar.ParseFile(filepath.Join("testdata", "plans.txtar"))
	must(t, err)
	for pair := range slices.Chunk(archive.Files, 2) {
		t.Run(pair[0].Name, func(t *testing.T) {
			t.Parallel() // each waits to see who else uses the disk
			check.Same(t, pair[1].Name, string(pair[1].Data), planned(t, string(pair[0].Data)))
		})
	}
}

// The answer of plan fits a screen, however many phases there are.
func TestPlanFitsAScreen(t *testing.T) {
	for _, tt := range []struct {
		disks, lines int
		body         string
	}{
		{3, 15, "study: matrix"}, {3, 15, "workload: {preset: saturation}"},
		{12, 25, "study: [solo, all_but_one, all]"},
		{3, 15,
			"workload: {files: 5}\nphases: [{pattern: WWW}, {pattern: RRR}, {pattern: WRR}, {pattern: RWW}, {pattern: W--}, {pattern: -W-}, {pattern: --W}]"},
	} {
		path := filepath.Join(t.TempDir(), "s.yaml")
		text := "version: 1\nname: t\nhub: {profile: goshen-ridge}\ndisks:\n"
		for i := range tt.disks {
			text += fmt.Sprintf("  - {name: D%d, simulate: {profile: %c}}\n", i, "ABC"[i%3])
		}
		write(t, path, text+tt.body+"\n")
		out := prints(t, "plan", path)
		lines := strings.Split(strings.TrimSuffix(out, "\n"), "\n")
		if len(lines) > tt.lines || slices.ContainsFunc(lines, func(l string) bool {
			return utf8.RuneCountInString(l) > 100
		}) {
			t.Errorf("%s: %d lines, want %d of 100 columns at most:\n%s", tt.body, len(lines),
				tt.lines, out)
		}
	}
}

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
		write(t, path, text)
		ready, err := prepare.Load(path, func(string) {})
		must(t, err)
		plan, err := forecastPlan(ready)
		must(t, err)
		check.Same(t, tt.name, tt.want, wear(plan.Total, 1))
	}
}

// The demo of a whole study must not try anyone's patience: each phase also takes a moment to begin
// and to end.
func TestStudyDemoTakesNotLong(t *testing.T) {
	ready, err := prepare.Load(filepath.Join("..", "..", "configs", "study-demo.yaml"),
		func(string) {})
	must(t, err)
	forecasts, err := forecast.Of(ready.Plan, ready.Profile, nil)
	must(t, err)
	total := forecast.Total(forecasts)
	const moment = 300 * time.Millisecond
	took := time.Duration(float64(total.Min)/ready.Plan.Hub.Speedup) +
		time.Duration(len(forecasts))*moment
	if took > 90*time.Second {
		t.Errorf("%d phases take about %s, want at most 90 s", len(forecasts), took)
	}
}

// A disk that fell to USB 2 is said, and its times are those of its link.
func TestPlanUsesNegotiatedLinks(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	path := write(t, filepath.Join(dir, "s.yaml"),
		"version: 1\nname: t\nallow_system_disk: true\ndisks: [{name: A, path: .}]\nworkload: {files: 10, sizes: [53.2 MB]}\nphases: [{pattern: W}]\n")
	usb2 := hardware.Link{Segment: hardware.Enclosure, Kind: hardware.USBLink, RxBps: 480e6,
		TxBps: 480e6}
	look := func(context.Context) (*hardware.Inventory, error) {
		return &hardware.Inventory{Disks: []hardware.Disk{{Name: "sdx", Model: "T7",
			Bus: hardware.USB, Path: hardware.Path{Links: []hardware.Link{usb2}},
			Volumes: []hardware.Volume{{Mount: dir}}}}}, nil
	}
	_, out, errs := does(t, look, "plan", path, "--format", "md")
	for _, want := range []string{"| 10 s |",
		"The times are for disks as fast as their links (A 53.2 MB/s)",
		"sdx (T7) negotiated USB 480 Mb/s; check the cable"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s%s", want, out, errs)
		}
	}
}
