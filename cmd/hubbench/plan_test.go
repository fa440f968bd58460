package main

import (
	"bytes"
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

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/measure/prepare"
	"github.com/hubbench/hubbench/pkg/forecast"
	"github.com/hubbench/hubbench/pkg/hardware"
)

// planned is what `hubbench plan` says of the phases of a scenario on folders a, b and c, which need not have room.
func planned(t *testing.T, body string) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "s.yaml")
	for _, folder := range []string{"a", "b", "c"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path, []byte("version: 1\nname: t\nallow_system_disk: true\n"+body), 0o644); err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	run(context.Background(), []string{"plan", path, "--all"}, program{stdin: strings.NewReader(""), stdout: &out, stderr: &errs})
	_, said, ok := strings.Cut(regexp.MustCompile(`(?m)^! (.|\n {2})*\n|^  All checks passed\.\n`).ReplaceAllString(out.String(), ""), "t\n") // what this machine has to say of it
	if !ok {
		t.Fatalf("no plan: %s%s", out.String(), errs.String())
	}
	return regexp.MustCompile(`(?m)^  Disk +Folder.*\n(  [A-Z] .*\n)+`).ReplaceAllString(said, "") // how much is free depends on it too
}

func TestPlanTables(t *testing.T) {
	const (
		one = "disks: [{name: A, path: a}]\n"
		two = "disks: [{name: A, path: a}, {name: B, path: b}]\n"
	)
	for _, tt := range []struct{ name, scenario, want string }{
		{"standard", one + "workload: {preset: standard}\nphases: [{pattern: W}, {pattern: R}]\n", `
2 phases, 1 disk: moves 107 GB, writes 53.3 GB in at least 31.4 s.
  Phase     Work                     Moves    Writes   Time
  A writes  160 files, 2 MB to 2 GB  53.3 GB  53.3 GB  15.7 s
  A reads   160 files, 2 MB to 2 GB  53.3 GB  –        15.7 s
  Needs up to 53.3 GB free on the disk at a time; all test files are removed afterwards.

- The times are for one shared link of 3.40 GB/s; they do not include test files that are written
  before a phase.
`},
		{"amorphous on one disk and on two", two + "workload: {preset: amorphous}\nphases: [{pattern: R-}, {pattern: WW}]\n", `
8 phases, 2 disks: moves up to 64.4 GB, writes up to 45.1 GB in 4 min 38 s to 6 min 30 s.
  Phases: A reads, SEQ1M QD8; A reads, SEQ1M QD1; A reads, RND4K QD64; A reads, RND4K QD1; A and B
  write, SEQ1M QD8; A and B write, SEQ1M QD1; 2 more.
  Needs up to 1.07 GB free on each disk at a time; all test files are removed afterwards.

  Phase                      Work                      Moves      Writes     Time
  A reads, SEQ1M QD8         5 passes of 1.07 GB       ≤ 5.37 GB  1.07 GB    21.6 s to 45 s
  A reads, SEQ1M QD1         5 passes of 1.07 GB       ≤ 5.37 GB  –          21.6 s to 45 s
  A reads, RND4K QD64        5 passes of 1.07 GB       ≤ 5.37 GB  –          21.6 s to 45 s
  A reads, RND4K QD1         5 passes of 1.07 GB       ≤ 5.37 GB  –          21.6 s to 45 s
  A and B write, SEQ1M QD8   5 passes each of 1.07 GB  ≤ 10.7 GB  ≤ 11.8 GB  40.3 s to 45 s
  A and B write, SEQ1M QD1   5 passes each of 1.07 GB  ≤ 10.7 GB  ≤ 10.7 GB  40.3 s to 45 s
  A and B write, RND4K QD64  5 passes each of 1.07 GB  ≤ 10.7 GB  ≤ 10.7 GB  40.3 s to 45 s
  A and B write, RND4K QD1   5 passes each of 1.07 GB  ≤ 10.7 GB  ≤ 10.7 GB  40.3 s to 45 s
- A reads, SEQ1M QD8 and 3 more: all passes are over the same file, at most 5 s each, 5 s apart; the
  score is the median rate.
- A and B write, SEQ1M QD8 and 3 more: all passes are over the same file, at most 5 s each, starting
  every 10 s on all disks at once; the score is the median rate.
- The times are for one shared link of 3.40 GB/s; they do not include test files that are written
  before a phase.
- Cooldowns add 30 s.
`},
		{"crystal", one + "workload: {preset: crystal}\nphases: [{pattern: R}, {pattern: W}]\n", `
8 phases, 1 disk: moves up to 51.5 GB, writes up to 26.8 GB in 45.2 s to 4 min 30 s.
  Phases: A reads, SEQ1M Q8T1; A reads, SEQ1M Q1T1; A reads, RND4K Q32T1; A reads, RND4K Q1T1; A
  writes, SEQ1M Q8T1; A writes, SEQ1M Q1T1; 2 more.
  Needs up to 1.07 GB free on the disk at a time; all test files are removed afterwards.

  Phase                  Work                     Moves      Writes     Time
  A reads, SEQ1M Q8T1    1 + 5 passes of 1.07 GB  ≤ 6.44 GB  1.07 GB    1.89 s to 30 s
  A reads, SEQ1M Q1T1    1 + 5 passes of 1.07 GB  ≤ 6.44 GB  –          1.89 s to 30 s
  A reads, RND4K Q32T1   1 + 5 passes of 1.07 GB  ≤ 6.44 GB  –          1.89 s to 30 s
  A reads, RND4K Q1T1    1 + 5 passes of 1.07 GB  ≤ 6.44 GB  –          1.89 s to 30 s
  A writes, SEQ1M Q8T1   1 + 5 passes of 1.07 GB  ≤ 6.44 GB  ≤ 6.44 GB  1.89 s to 30 s
  A writes, SEQ1M Q1T1   1 + 5 passes of 1.07 GB  ≤ 6.44 GB  ≤ 6.44 GB  1.89 s to 30 s
  A writes, RND4K Q32T1  1 + 5 passes of 1.07 GB  ≤ 6.44 GB  ≤ 6.44 GB  1.89 s to 30 s
  A writes, RND4K Q1T1   1 + 5 passes of 1.07 GB  ≤ 6.44 GB  ≤ 6.44 GB  1.89 s to 30 s
- In all phases: all passes are over the same file, at most 5 s each; the first does not count; the
  score is the best rate.
- The times are for one shared link of 3.40 GB/s; they do not include test files that are written
  before a phase.
- Cooldowns add 30 s.
`},
		{"the other presets", two + `phases:
  - {name: random, pattern: WW}
  - {name: ladder, pattern: W-, preset: ladder}
  - {name: endurance, pattern: -W, preset: endurance}
  - {name: blackmagic, pattern: WR, preset: blackmagic}
`, `
4 phases, 2 disks: moves 474 GB, writes 459 GB in at least 2 min 12 s.
  Phase                          Work                               Moves    Writes   Time
  random: A and B write          50 files each, 14.7 MB to 1.96 GB  100 GB   100 GB   29.5 s
  ladder: A writes               20 files, 50 KB to 2 GB            6.69 GB  6.69 GB  1.97 s
  endurance: B writes            320 files, 14.7 MB to 2 GB         317 GB   317 GB   1 min 33 s
  blackmagic: A writes, B reads  5 passes each of 5 GB              50 GB    35 GB    7.35 s
  Needs up to 317 GB free on each disk at a time; all test files are removed afterwards.

- blackmagic: all passes are over the same file.
- The times are for one shared link of 3.40 GB/s; they do not include test files that are written
  before a phase.
`},
		{"how phases end", two + `workload: {sizes: [1 GB], files: 10}
phases:
  - {pattern: WR, stop: hold, files: {A: 4}}
  - {pattern: WW, stop: 30 s, cooldown: 1 min}
  - {pattern: W-, files: auto, target: 20 s, connection: direct, pause: Plug A into the computer}
  - {pattern: RR, cooldown: 2 min}
`, `
4 phases, 2 disks: moves about 204 GB, writes about 184 GB in at least 3 min 59 s.
  Phase              Work                         Moves     Writes    Time
  A writes, B reads  4, 10 files of 1 GB          ≥ 14 GB   ≥ 14 GB   2.94 s
  A and B write      30 s of files of 1 GB        ≈ 102 GB  ≈ 102 GB  30 s
  A writes, direct   about 20 s of files of 1 GB  ≈ 68 GB   ≈ 68 GB   20 s
  A and B read       10 files each of 1 GB        20 GB     –         5.88 s
  Needs up to 10 GB free on each disk at a time; all test files are removed afterwards.

- A writes, B reads: a disk that has moved its files goes on with filler files, which do not count,
  until all have.
- A and B write: all disks stop when the time is up.
- A writes, direct: each disk moves as many files as fit in the time, so that all disks end
  together.
- The times are for one shared link of 3.40 GB/s; they do not include test files that are written
  before a phase.
- Cooldowns add 3 min.
- It waits for Enter before 1 phase.
`},
		{"disks with a pace of their own", two + `workload: {sizes: [1 GB], files: 10}
phases:
  - {streams: {A: {play: prores-422-hq-uhd-25, count: 4}}, roles: {B: write}}
  - {name: probed, probe: {A: 4 KiB}, roles: {B: write}, pace: 200 MB/s}
  - {name: camera, streams: {A: {record: braw-8-1-uhd-25, buffer: 500 ms}}, stop: 1 min}
  - {mix: {A: 70/30}}
  - {name: how many, streams: {A: {rate: 92 MB/s}}, roles: {B: write}, search: {streams: A, most: 10}, hold: 10 s, cooldown: 2 s}
  - {name: how fast, streams: {A: {rate: 92 MB/s}}, roles: {B: write}, search: pace}
  - {name: long, pattern: W-, until: steady, stop: 1 h}
`, `
7 phases, 2 disks: moves about 19.8 TB, writes about 19.4 TB in at least 3 min 25 s.
  Phase                                            Moves      Writes     Time
  A plays 4 streams, B writes                      ≈ 11.1 GB  17.4 GB    2.94 s
  probed: B writes at up to 200 MB/s, A is probed  ≈ 10 GB    11.1 GB    50 s
  camera: A records 1 stream                       ≈ 2.39 GB  ≈ 2.39 GB  1 min
  A reads and writes 70/30                         10 GB      13 GB      2.06 s
  how many: A plays 1 stream, B writes             ≤ 1.94 TB  ≤ 1.58 TB  10 s to 6 min 40 s
  how fast: A plays 1 stream, B writes             ≤ 3.63 TB  ≤ 3.55 TB  30 s to 15 min
  long: A writes                                   ≤ 14.2 TB  ≤ 14.2 TB  50 s to 1 h
  Needs up to 10 GB free on each disk at a time; all test files are removed afterwards.


  Phase                        Disk  Streams                         Each       Together   Buffer
  A plays 4 streams, B writes  A     4 × ProRes 422 HQ UHD 25p       92.1 MB/s  368 MB/s   1 s
  camera                       A     1 × Blackmagic RAW 8:1 UHD 25p  39.8 MB/s  39.8 MB/s  500 ms
  how many                     A     1 × 92 MB/s                     92.0 MB/s  92.0 MB/s  1 s
  how fast                     A     1 × 92 MB/s                     92.0 MB/s  92.0 MB/s  1 s
- camera: all disks stop when the time is up.
- A plays 4 streams, B writes; probed: streams and probes go on until the others have moved their
  files.
- long: ends when every disk's rate is steady over five windows of 10 s (after SNIA PTS), or after
  1 h; the amounts are what the links carry in that time.
- how many: up to 40 tries of 10 s to find how many streams of A stay clean, up to 10, alone and
  beside the others.
- how fast: up to 30 tries of 30 s to find how fast B may go while all streams stay clean. There is
  no rest between them, so a try may begin with a disk's cache still full; cooldown: adds a rest.
- The times are for one shared link of 3.40 GB/s; they do not include test files that are written
  before a phase.
- Cooldowns add up to 1 min 20 s.
- ProRes 422 HQ UHD 25p: 92.1 MB/s, from Apple ProRes White Paper, April 2022: Target Data Rates.
- Blackmagic RAW 8:1 UHD 25p: 39.8 MB/s, in proportion to Blackmagic Micro Studio Camera 4K G2
  manual: minutes at 30 frames per second that 1 TB lasts for.
`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel() // each waits to see who else uses the disk
			if diff := cmp.Diff(strings.TrimPrefix(tt.want, "\n"), planned(t, tt.scenario)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// The answer of plan fits a screen, however many phases there are.
func TestPlanFitsAScreen(t *testing.T) {
	for _, tt := range []struct {
		disks, lines int
		body         string
	}{
		{3, 15, "study: matrix"}, {3, 15, "workload: {preset: saturation}"}, {12, 25, "study: [solo, all_but_one, all]"},
		{3, 15, "workload: {files: 5}\nphases: [{pattern: WWW}, {pattern: RRR}, {pattern: WRR}, {pattern: RWW}, {pattern: W--}, {pattern: -W-}, {pattern: --W}]"},
	} {
		path := filepath.Join(t.TempDir(), "s.yaml")
		text := "version: 1\nname: t\nhub: {profile: goshen-ridge}\ndisks:\n"
		for i := range tt.disks {
			text += fmt.Sprintf("  - {name: D%d, simulate: {profile: %c}}\n", i, "ABC"[i%3])
		}
		if err := os.WriteFile(path, []byte(text+tt.body+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
		var out, errs bytes.Buffer
		if code := run(t.Context(), []string{"plan", path}, program{stdin: strings.NewReader(""), stdout: &out, stderr: &errs}); code != exitOK {
			t.Fatalf("%s: exit code %d: %s", tt.body, code, errs.String())
		}
		lines := strings.Split(strings.TrimSuffix(out.String(), "\n"), "\n")
		if len(lines) > tt.lines || slices.ContainsFunc(lines, func(l string) bool { return utf8.RuneCountInString(l) > 100 }) {
			t.Errorf("%s: %d lines, want %d of 100 columns at most:\n%s", tt.body, len(lines), tt.lines, out.String())
		}
	}
}

// A search may write as much as all its tries do, each disk in the try that has it write most, and the question before a
// run says so; but no try moves more than the link carries, and none goes faster than the search may try.
func TestWearOfASearch(t *testing.T) {
	for _, tt := range []struct {
		name, phase, want string
	}{
		// 40 tries of 20 s, with up to 12 streams of 207.375 MB/s.
		{"streams recorded", "{streams: {A: {record: prores-4444-xq-uhd-25}}, roles: {B: read}, search: {streams: A, most: 12}, hold: 20 s}", "This will write at most 1.99 TB to the disks in total."},
		// As much of the link as there is, though A may write as well: 40 x 20 s x 3.94 GB/s, and nothing to read beforehand.
		{"beside a writer", "{streams: {A: {record: prores-4444-xq-uhd-25}}, roles: {B: write}, search: {streams: A, most: 12}, hold: 20 s}", "This will write at most 3.15 TB to the disks in total."},
		// 30 tries of 3 s, at up to 50 MB/s: 4.5 GB.
		{"a pace", "{streams: {A: {rate: 5 MB/s}}, roles: {B: write}, search: {pace: B, most: 50 MB/s}, hold: 3 s}", ""},
		{"one of many streams", "{streams: {A: {record: prores-4444-xq-uhd-25, count: 12}}, stop: 1 min}", "This will write about 149 GB to the disks in total."},
		{"less than is worth a question", "{streams: {A: {record: prores-4444-xq-uhd-25, count: 12}}, stop: 10 s}", ""},
	} {
		dir := t.TempDir()
		path := filepath.Join(dir, "t.yaml")
		text := "version: 1\nname: t\ndisks: [{name: A, path: a}, {name: B, path: b}]\nworkload: {sizes: [20 MB], files: 3}\nphases: [" + tt.phase + "]\n"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		ready, err := prepare.Load(path, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := wear(ready); err != nil || got != tt.want {
			t.Errorf("%s: %q, %v, want %q", tt.name, got, err, tt.want)
		}
	}
}

// The demo of a whole study must not try anyone's patience: each phase also takes a moment to begin and to end.
func TestStudyDemoTakesNotLong(t *testing.T) {
	ready, err := prepare.Load(filepath.Join("..", "..", "configs", "study-demo.yaml"), func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	forecasts, err := forecast.Of(ready.Plan, ready.Profile, nil)
	if err != nil {
		t.Fatal(err)
	}
	total := forecast.Total(forecasts)
	const moment = 300 * time.Millisecond
	took := time.Duration(float64(total.Min)/ready.Plan.Hub.Speedup) + time.Duration(len(forecasts))*moment
	if took > 90*time.Second {
		t.Errorf("%d phases take about %s, want at most 90 s", len(forecasts), took)
	}
}

// A disk that fell to USB 2 is said, and its times are those of its link.
func TestPlanUsesNegotiatedLinks(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "s.yaml")
	if err := os.WriteFile(path, []byte("version: 1\nname: t\nallow_system_disk: true\ndisks: [{name: A, path: .}]\nworkload: {files: 10, sizes: [53.2 MB]}\nphases: [{pattern: W}]\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	usb2 := hardware.Link{Segment: hardware.Enclosure, Kind: hardware.USBLink, RxBps: 480e6, TxBps: 480e6}
	look := func(context.Context) (*hardware.Inventory, error) {
		return &hardware.Inventory{Disks: []hardware.Disk{{Name: "sdx", Model: "T7", Bus: hardware.USB, Path: hardware.Path{Links: []hardware.Link{usb2}},
			Volumes: []hardware.Volume{{Mount: dir}}}}}, nil
	}
	var out, errs bytes.Buffer
	run(t.Context(), []string{"plan", path, "--format", "md"}, program{stdin: strings.NewReader(""), stdout: &out, stderr: &errs, look: look})
	for _, want := range []string{"| 10 s |", "The times are for disks as fast as their links (A 53.2 MB/s)", "sdx (T7) negotiated USB 480 Mb/s: check the cable"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s%s", want, out.String(), errs.String())
		}
	}
}
