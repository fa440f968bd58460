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
	_, out, errs := does(t, nil, "plan", path, "--format", "md", "--all", "--allow", "space")
	machine := regexp.MustCompile(`(?m)^(> .*|All checks passed\.|## t|1 GB = .*)\n\n?|` +
		`^hubbench run .*\n\n|^<details><summary>Checks</summary>\n\n+</details>\n|` +
		`^\| Disk \| Folder .*\n(\| .*\n|\|-.*\n)+\n`)
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
			"workload: {files: 5}\nphases: [{pattern: WWW}, {pattern: RRR}, {pattern: WRR}, " +
				"{pattern: RWW}, {pattern: W--}, {pattern: -W-}, {pattern: --W}]"},
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
		"version: 1\nname: t\nallow_system_disk: true\ndisks: [{name: A, path: .}]\n"+
			"workload: {files: 10, sizes: [53.2 MB]}\nphases: [{pattern: W}]\n")
	usb2 := hardware.Link{Segment: hardware.Enclosure, Kind: hardware.USBLink, RxBps: 480e6,
		TxBps: 480e6}
	look := func(context.Context) (*hardware.Inventory, error) {
		return &hardware.Inventory{Disks: []hardware.Drive{{Name: "sdx", Model: "T7",
			Bus: hardware.USB, Path: hardware.Path{Links: []hardware.Link{usb2}},
			Volumes: []hardware.Volume{{Mount: dir}}}}}, nil
	}
	_, out, errs := does(t, look, "plan", path, "--format", "md", "--all")
	for _, want := range []string{"| 10 s |",
		"The times are for disks as fast as their links (A 53.2 MB/s)",
		"sdx (T7) negotiated USB 480 Mb/s; check the cable"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s%s", want, out, errs)
		}
	}
}
