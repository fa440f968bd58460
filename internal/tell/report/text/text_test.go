package text

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/hubbench/hubbench/configs"
	"github.com/hubbench/hubbench/internal/tell/cells"
	"github.com/hubbench/hubbench/internal/tell/ink"
	"github.com/hubbench/hubbench/internal/tell/report"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/limit"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/testdata/fixture"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// Checks are sentences, which follow under each row whatever the width.
func TestWrite(t *testing.T) {
	for name, doc := range map[string]*report.Document{
		"triple.txt":     report.OfRun(report.RunData{Analysis: sample()}),
		"comparison.txt": report.OfComparison(fixture.Comparison()),
		"checkup.txt":    report.OfDoctor(fixture.Checkup()),
	} {
		golden(t, name, printed(t, doc, Options{Width: Width, All: true}))
	}
}

// A check begins with what fails, furthest off first, on one axis; what can't be judged says why.
func TestWriteCheck(t *testing.T) {
	a := sample()
	rate := func(disk, bounds string, low, value, high, least float64,
		verdict limit.Judgement) limit.Result {
		return limit.Result{Measure: "rate", Phase: "WWW", Disk: disk, Bounds: bounds, Min: &least,
			Limit: scenario.Limit{Measure: scenario.Measures()[0]},
			Value: &value, Low: &low, High: &high, Verdict: verdict}
	}
	results := []limit.Result{
		rate("B", "at least 670 MB/s", 650e6, 660e6, 680e6, 670e6, limit.Pass),
		rate("A", "at least 740 MB/s", 690e6, 700e6, 710e6, 740e6, limit.Fail),
		rate("C", "at least 1.90 GB/s", 2.08e9, 2.1e9, 2.12e9, 1.9e9, limit.Pass),
		{Measure: "late_frames", Bounds: "at most 0", Verdict: limit.Unsure,
			Why: "nothing in the run has this measure"},
	}
	results[0].WithinMargin = true
	all := report.Checked{Run: "dock1", Results: results, Analysis: a, Verdict: limit.Fail}
	passes := report.Checked{Run: "good", Results: results[2:3], Analysis: a, Verdict: limit.Pass}
	for name, runs := range map[string][]report.Checked{"check.txt": {all, passes},
		"check-pass.txt": {passes}} {
		golden(t, name, printed(t, report.OfLimits(runs), Options{Width: 100, All: true}))
	}
}

// A comparison's answer fits a small screen; a ranking of many runs fits one as well, the
// fastest first, however long their names and doubts.
func TestManyComparedFit(t *testing.T) {
	c := fixture.Comparison()
	out := printed(t, report.OfComparison(c), Options{Width: Width})
	if n := strings.Count(out, "\n"); n > 15 || strings.Contains(out, "typical file") {
		t.Errorf("of one run %d lines:\n%s", n, out)
	}
	c = fixture.Ranking(31)
	name := func(label string) string {
		return "results of the video department/external disks on " + label
	}
	c.Base.Label = name(c.Base.Label)
	for i := range c.Ranking.Places {
		c.Ranking.Places[i].Run = name(c.Ranking.Places[i].Run)
	}
	for i := range c.Pairs {
		pair := &c.Pairs[i]
		pair.Label = name(pair.Label)
		pair.Lost = slices.Repeat([]string{strings.Repeat("a long part ", 9)}, 5)
		pair.Doubts = slices.Repeat([]string{strings.Repeat("a long doubt ", 12)}, 3)
	}
	out = printed(t, report.OfComparison(c), Options{Width: Width})
	first, second := strings.Index(out, "dock 1 "), strings.Index(out, "dock 2 ")
	if n := strings.Count(out, "\n"); n > 40 || first < 0 || second < first ||
		!strings.Contains(out, "And 21 more runs") {
		t.Errorf("%d lines:\n%s", n, out)
	}
}

func TestWriteDevices(t *testing.T) {
	for name, width := range map[string]int{"devices-serials.txt": 120, "devices.txt": 120,
		"devices-80.txt": 80} {
		inv := inventory()
		for i := range inv.Disks {
			if !strings.Contains(name, "serials") {
				inv.Disks[i].Serial = ""
			}
		}
		golden(t, name, printed(t, report.OfDevices(inv, false), Options{Width: width, All: true}))
	}
}

// printed is the document as a terminal has it. No line is wider than that, but for escape
// sequences, and for signs that take two letters in ASCII.
func printed(t *testing.T, doc *report.Document, opts Options) string {
	t.Helper()
	var out strings.Builder
	check.Must(t, Write(&out, doc, opts))
	for line := range strings.Lines(out.String()) {
		got := cells.Width(strings.TrimSuffix(line, "\n"))
		if got > opts.Width && opts.Ink == (ink.Ink{}) {
			t.Errorf("%s: %d columns, want at most %d: %q", doc.Title, got, opts.Width, line)
		}
	}
	return out.String()
}

func reportOf(run *trace.Run) *report.Document {
	return report.OfRun(report.RunData{Trace: run,
		Analysis: analysis.Analyze(run, analysis.Options{})})
}

// golden compares what was printed with a file of testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		check.Must(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	check.Must(t, err)
	check.Same(t, name+"; -update accepts", string(want), got)
}

// sample is written by hand, so that the golden file changes with this package alone.
func sample() *analysis.Analysis {
	lag, short, alone, read, kept := 11.7, 0.0, 1.4e9, 2.6e9, 0.5
	return &analysis.Analysis{
		Scale: unit.ScaleFor(2e9), Name: "triple", Order: []string{"A", "B", "C"},
		Phases: []analysis.PhaseResult{
			{
				Name:  "WWW",
				Title: "all write",
				Roles: map[string]trace.Role{"A": trace.Write, "B": trace.Write,
					"C": trace.Write},
				Verdict: "Three disks writing: 3.46 GB/s together for 33.3 s; C kept full speed at 2.1 GB/s, A and B fell to 0.7 GB/s (50% of their later 1.4) and recovered 11.7 s after C had finished.",
				Overlap: &analysis.Overlap{
					StartS: 46e-6, EndS: 33.3, DurationS: 33.3, Bytes: 115.2e9, Rate: 3.46e9,
					CI95: &stats.Interval{3.44e9, 3.48e9}, WriteRate: 3.46e9, Jain: 0.72,
					Disks: map[string]analysis.OverlapDisk{
						"A": {Op: trace.Write, Bytes: 23.3e9, Rate: 0.7e9,
							CI95: &stats.Interval{0.69e9, 0.71e9}, Share: 0.2},
						"B": {Op: trace.Write, Bytes: 22.6e9, Rate: 0.66e9,
							CI95: &stats.Interval{0.65e9, 0.67e9}, Share: 0.19},
						"C": {Op: trace.Write, Bytes: 69.9e9, Rate: 2.1e9,
							CI95: &stats.Interval{2.08e9, 2.12e9}, Share: 0.61},
					},
				},
				Contention: &analysis.Contention{Disks: map[string]analysis.DiskContention{
					"A": {Reference: analysis.ReferenceLater, ReferenceFrom: "C",
						ReferenceRate: &alone, Retention: &kept},
					"B": {Reference: analysis.ReferenceLater, ReferenceFrom: "C",
						ReferenceRate: &alone, Retention: &kept, Alone: true},
				}},
				Recoveries: []analysis.Recovery{
					{Disk: "A", After: "C", LagS: &lag, ToRate: &alone},
					{Disk: "A", After: "B", LagS: &short, ToRate: &alone},
					{Disk: "B", After: "C", Reason: "the phase ended first"},
				},
				Disks: map[string]analysis.DiskResult{"A": {Files: 50}, "B": {Files: 45},
					"C": {Files: 70}},
			},
			{
				Name:    "A reads",
				Title:   "A reads",
				Roles:   map[string]trace.Role{"A": trace.Read, "B": trace.Idle, "C": trace.Idle},
				Verdict: "A reading alone: 2.60 GB/s.",
				Disks:   map[string]analysis.DiskResult{"A": {Files: 2, Bytes: 3e9, Rate: &read}},
				Warnings: []analysis.Warning{
					{Code: "few_files", Disk: "A",
						Text: "disk A has 2 files: too few for a spread; give it at least 5"},
				},
			},
		},
		Warnings: []analysis.Warning{{Code: "torn",
			Text: "the last line of the trace was torn and is left out"}},
	}
}

// No line is wider than the terminal, whatever the names, and nothing moves its cursor.
func TestHostileNames(t *testing.T) {
	run := fixture.Hostile()
	doc := reportOf(run)
	for _, width := range []int{40, 60, Width, 120} {
		out := printed(t, doc, Options{Width: width, All: true})
		if strings.ContainsAny(out, "\x1b\t\u202e") {
			t.Errorf("a control character reached the terminal: %q", out)
		}
		for _, want := range []string{"磁盘 💾 größer", "قرص أسود\u200e"} {
			if !strings.Contains(out, want) {
				t.Errorf("no %q in\n%s", want, out)
			}
		}
	}
}

// A workflow of GitHub takes each line that begins with "::" for its command, spaces apart: none
// does.
func TestNoCommands(t *testing.T) {
	const name = "::error::all is lost"
	doc := &report.Document{Title: name, Blocks: []report.Block{
		report.Sentence{Text: "A sentence that is wrapped before " + name},
		report.List{Items: []string{name}},
		&report.Table{Columns: []report.Column{{Head: "Disk"}},
			Rows: [][]report.Cell{{{Text: name}}}},
		&report.Details{Title: name, Phase: true,
			Blocks: []report.Block{report.Sentence{Text: name}}},
	}}
	for line := range strings.Lines(printed(t, doc, Options{Width: 40, All: true})) {
		if strings.HasPrefix(strings.TrimSpace(line), "::") {
			t.Errorf("a command: %q", line)
		}
	}
}

// Numbers stay under one another beside wide letters, combined ones, and letters from the right.
func TestAlignment(t *testing.T) {
	table := &report.Table{Columns: []report.Column{{Head: "disk"}, {Head: "does", Drop: 1},
		{Head: "rate", Numbers: true}}}
	for _, row := range [][]string{{"磁盘", "read", "1.00 GB/s"}, {"é́", "write", "12 GB/s"},
		{"דיסק", "write", "3 GB/s"}, {"👨‍👩‍👧 ❤️", "", "7 GB/s"}} {
		table.Rows = append(table.Rows,
			[]report.Cell{{Text: row[0]}, {Text: row[1]}, {Text: row[2]}})
	}
	out := printed(t, &report.Document{Title: "t", Blocks: []report.Block{table}},
		Options{Width: Width, All: true})
	want := "t\n\n" +
		"  disk   does        rate\n" +
		"  磁盘   read   1.00 GB/s\n" +
		"  é́      write    12 GB/s\n" +
		"  דיסק\u200e   write     3 GB/s\n" +
		"  👨‍👩‍👧 ❤️            7 GB/s\n"
	check.Same(t, "the table", want, out)
}

// Where there is no room, the least important column goes first.
func TestNarrow(t *testing.T) {
	table := &report.Table{
		Columns: []report.Column{{Head: "disk"}, {Head: "rate", Numbers: true},
			{Head: "bytes", Numbers: true, Drop: 2}, {Head: "kept", Numbers: true, Drop: 1}},
		Rows: [][]report.Cell{{{Text: "Samsung T7 Shield 2 TB"}, {Text: "1.00 GB/s"},
			{Text: "23.3 GB"}, {Text: "50%"}}},
	}
	out := printed(t, &report.Document{Title: "t", Blocks: []report.Block{table}},
		Options{Width: 46, All: true})
	if text := out; strings.Contains(text, "bytes") || !strings.Contains(text, "kept") ||
		!strings.Contains(text, "2 TB") {
		t.Errorf("want the bytes left out and the rest whole:\n%s", text)
	}
}

// The tries of a search stand in its table, and one by one only on demand.
func TestTriesAreFolded(t *testing.T) {
	run := fixture.Search()
	other := fixture.Streams().Phases[0]
	run.Phases = append(run.Phases, other)
	doc := reportOf(run)
	sections := func() (n int) {
		out := printed(t, doc, Options{Width: Width, All: true})
		for line := range strings.Lines(out) {
			for _, p := range run.Phases {
				if strings.TrimSuffix(line, "\n") == p.Name {
					n++
				}
			}
		}
		return n
	}
	if n := sections(); n != 1 {
		t.Errorf("%d sections, want that of %s alone", n, other.Name)
	}
	doc.Unfold()
	if n := sections(); n != len(run.Phases) {
		t.Errorf("%d sections when all are asked for, want %d", n, len(run.Phases))
	}
}

// inventory is an inventory with most that can be said of one: hubs below hubs, what competes with
// disks, disks that fell back, lie on others, or of which little is known.
func inventory() *hardware.Inventory {
	tb := hardware.Link{Kind: hardware.Thunderbolt, Generation: hardware.USB4, Lanes: 2,
		RxBps: 40e9, TxBps: 40e9}
	lanes := func(generation string, n int, bps, most int64) hardware.Link {
		return hardware.Link{Segment: hardware.Lanes, Kind: hardware.PCIe, Generation: generation,
			Lanes: n, RxBps: bps, TxBps: bps, MaxBps: most}
	}
	usb := hardware.Link{Kind: hardware.USBLink, Generation: "3.2 Gen 1", RxBps: 5e9, TxBps: 5e9}
	volume := func(device, mount, filesystem string, size, free int64) hardware.Volume {
		return hardware.Volume{Device: device, Mount: mount, Filesystem: filesystem,
			SizeBytes: size, FreeBytes: free, Encrypted: new(false)}
	}
	root := volume("dm-0", "/", "btrfs", 498e9, 200e9)
	root.Encrypted = new(true)
	pool, rest := volume("sda1", "/pool", "btrfs", 2e12, 1.5e12),
		volume("sdb1", "", "btrfs", 1e12, 0)
	pool.Compressed, pool.Container, rest.Container = new(true), "0fc63daf", "0fc63daf"
	return &hardware.Inventory{
		Hosts: []hardware.Host{{
			Name: "tiger", Model: "XPS 13 9310", OS: "Fedora Linux 40", CPU: "Intel Core i7-1185G7",
			Power: hardware.Battery,
			Ports: []hardware.Port{{ID: "tb0-port1", Name: "Thunderbolt port 1", Link: &tb},
				{ID: "tb0-port3", Name: "Thunderbolt port 3"},
				{ID: "usb2-port5", Name: "USB port 5 of bus 2"}},
		}},
		Hubs: []hardware.Hub{
			{ID: "tb0-1", Name: "TB4 Docking Station", Vendor: "Kensington", Firmware: "27.0",
				Port: "tb0-port1", Protocol: hardware.USB4, Link: &tb, Devices: []hardware.Attached{
					{Kind: hardware.HubKind, ID: "tb0-301"},
					{Kind: hardware.NetworkKind, Name: "enp3s0"},
					{Kind: hardware.DisplayKind, Name: "DisplayLink"},
					{Kind: hardware.OtherKind, Name: "graphics card"},
				}},
			{ID: "tb0-301", Name: "Envoy Express", Vendor: "Other World Computing",
				Port: "tb0-port1", Upstream: "tb0-1", Protocol: "Thunderbolt 3"},
		},
		Disks: []hardware.Drive{
			{Name: "dm-0", Model: "encrypted crypt", Bus: hardware.Virtual,
				Backing: []string{"nvme0n1"}, SizeBytes: 511e9, System: true,
				Volumes: []hardware.Volume{root}},
			{Name: "md0", Model: "raid0", Bus: hardware.Virtual, Backing: []string{"sdd", "sde"},
				SizeBytes: 4e12},
			{Name: "nvme0n1", Model: "Samsung SSD 970 PRO 512GB", Vendor: "Samsung",
				Firmware: "1B2QEXP7", Bus: hardware.NVMe, SizeBytes: 512110190592,
				External: new(false), System: true, TemperatureC: new(38.85),
				Path: hardware.Path{Links: []hardware.Link{lanes("3", 2, 16e9, 32e9)}}},
			{Name: "nvme1n1", Model: "Samsung SSD 970 EVO Plus 1TB", Firmware: "2B2QEXM7",
				Serial: "S59ANM0R", Bus: hardware.NVMe, Hub: new("tb0-301"), Port: "tb0-port1",
				SizeBytes: 1000204886016, External: new(true), TemperatureC: new(61.0),
				Path: hardware.Path{Links: []hardware.Link{tb, lanes("3", 4, 32e9, 32e9)}},
				Volumes: []hardware.Volume{volume("nvme1n1p1", "/mnt/A", "ext4", 983e9, 900e9),
					volume("nvme1n1p2", "", "", 1e9, 0)}},
			{Name: "sda", Bus: hardware.SATA, SizeBytes: 1e12, Volumes: []hardware.Volume{pool}},
			{Name: "sdb", Bus: hardware.SATA, SizeBytes: 1e12, Volumes: []hardware.Volume{rest}},
			{Name: "sdc", Vendor: "JMicron", Model: "JMS579", Bus: hardware.USB, UASP: new(false),
				Port: "usb2-port5", SizeBytes: 250e9,
				Path: hardware.Path{Links: []hardware.Link{usb}},
				Volumes: []hardware.Volume{volume("sdc1",
					"/run/media/me/A disk with a very long name", "exfat", 249e9, 1e9)}},
			{Name: "sdd", SizeBytes: 2e12},
			{Name: "sde"},
		},
		Diskless: []hardware.Mount{{Path: "/tmp", Filesystem: "tmpfs"}},
		Warnings: []string{"HP Thunderbolt Dock G2 is plugged in but not authorised, so nothing behind it is seen: `boltctl authorize` lets it in"},
	}
}

// An answer fits a screen, whatever was measured, with the line that says where the report is.
func TestAnswerFits(t *testing.T) {
	failed := fixture.Triple()
	failed.Status = trace.Partial
	failed.Phases[0].Disks[1].Errors = []trace.Failure{{TNS: 4e9, Seq: 7,
		Error: "write: input/output error"}}
	one := fixture.Streams()
	one.Phases = one.Phases[2:3]
	runs := map[string]*trace.Run{
		"triple": fixture.Triple(), "failed": failed, "streams": fixture.Streams(),
		"streams of one phase": one, "search": fixture.Search(),
		"hostile": fixture.Hostile(), "many": fixture.Many(100), "twelve": study("disk", 12),
		"five":       study("disk", 5),
		"long names": study("External SSD of the video department, ", 3),
		"saturation": fixture.Simulated(t,
			"version: 1\nname: fill\nhub: {profile: goshen-ridge}\ndisks: [{name: X5, simulate: {profile: X5}}, {name: C, simulate: {profile: C}}]\nworkload: {preset: saturation}\nphases: [{pattern: WR}]\n", known),
		"race": fixture.Simulated(t,
			"version: 1\nname: race\nhub: {profile: goshen-ridge}\ndisks: [{name: A, simulate: {profile: A}}, {name: B, simulate: {profile: B}}, {name: C, simulate: {profile: C}}]\nworkload: {files: 50}\nphases: [{pattern: WWW, files: {C: 90}}]\n", known),
	}
	for _, name := range configs.Scenarios() {
		data, _ := configs.Scenario(name)
		runs[name] = fixture.Simulated(t, string(data), known)
	}
	for name, run := range runs {
		if run == nil {
			continue
		}
		about := report.About{
			Tool: "hubbench 1.0", Hub: "hub goshen-ridge",
			Warnings: []string{strings.Repeat("a long warning ", 12), "one more", "and one more"},
		}
		if name == "failed" {
			about.Failures = []trace.RunFailure{{Disk: "B", Phase: "WWW",
				Cause: "write: input/output error"}}
		}
		a := analysis.Analyze(run, analysis.Options{})
		doc := report.OfRun(report.RunData{Trace: run, Analysis: a, About: about,
			AnswerAlone: true})
		headline := doc.Page.Headline
		if headline == "" || strings.Contains(headline, ";") || strings.HasSuffix(headline, ".") ||
			strings.Contains(headline, "was measured alone") {
			t.Errorf("%s: a headline is one idea: %q", name, headline)
		}
		for _, width := range []int{40, 60, Width, 120} {
			plain := printed(t, doc, Options{Width: width})
			lines := strings.Split(strings.TrimSuffix(plain, "\n"), "\n")
			if n := len(lines) + linesAfter; width >= Width && n > answerLines {
				t.Errorf("%s, %d columns: %d lines with that for the report, want %d:\n%s", name,
					width, n, answerLines, plain)
			}
		}
	}
}

// Colours repeat what the words say: without them the text is the same. Nothing but letters, digits
// and punctuation of ASCII stands where nothing else can be read.
func TestColours(t *testing.T) {
	escape := regexp.MustCompile("\x1b\\[[0-9;]*m")
	data, _ := configs.Scenario("study-demo")
	demo := fixture.Simulated(t, string(data), known)
	for name, run := range map[string]*trace.Run{
		"study": demo, "triple": fixture.Triple(), "streams": fixture.Streams(),
		"twelve":     study("disk", 12),
		"long names": study("External SSD of the video department, ", 3),
	} {
		doc := reportOf(run)
		for _, all := range []bool{false, true} {
			plain := printed(t, doc, Options{Width: Width, All: all})
			for _, colours := range []int{16, 256} {
				out := printed(t, doc,
					Options{Width: Width, All: all, Ink: ink.Ink{Colours: colours}})
				check.Same(t, name+" without its colours", plain, escape.ReplaceAllString(out, ""))
				if out == plain {
					t.Errorf("%s: no colour of %d", name, colours)
				}
			}
			out := printed(t, doc, Options{Width: Width, All: all, Ink: ink.Ink{ASCII: true}})
			for i, r := range out {
				if r > unicode.MaxASCII {
					t.Errorf("%s: %q is no ASCII: ...%s", name, r,
						out[max(0, i-40):min(len(out), i+20)])
					break
				}
			}
			if strings.Count(out, "\n") != strings.Count(plain, "\n") {
				t.Errorf("%s: other lines in ASCII:\n%s", name, out)
			}
		}
	}
}

// known is a profile that comes with hubbench.
func known(name string) (*hub.Profile, error) {
	data, _ := configs.Hub(name)
	return hub.Load(name, data)
}

// study is of so many disks: alone, and all at once.
func study(prefix string, disks int) *trace.Run {
	var names []string
	var s fixture.Study
	for i := range disks {
		names = append(names, fmt.Sprintf("%s%02d", prefix, i+1))
	}
	for _, op := range []trace.Role{trace.Read, trace.Write} {
		for i, name := range names {
			s.Add(name+" "+string(op), name, op, 30, 1.5e9)
			s.Add("all "+string(op), name, op, 20, (0.3+0.05*float64(i))*1e9)
		}
	}
	return s.Run("study of "+prefix, names...)
}

// That nothing was measured is said whatever else stands in the first lines.
func TestHead(t *testing.T) {
	doc := &report.Document{
		Title: "real", Started: "20 Nov 2026, 08:00 UTC", Simulated: true, Model: hub.Specified,
		Hub: "hub My Dock in the left rack by the profile goshen-ridge",
	}
	for _, width := range []int{40, Width, 200} {
		out := printed(t, doc, Options{Width: width})
		words := strings.Join(strings.Fields(out), " ")
		for _, want := range []string{"real hub My Dock", "20 Nov 2026, 08:00 UTC",
			"simulated, with figures " + hub.Specified.Text()} {
			if !strings.Contains(words, want) {
				t.Errorf("%d columns: no %q in\n%s", width, want, out)
			}
		}
	}
}
