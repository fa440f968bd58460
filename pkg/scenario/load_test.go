package scenario

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/schematest"
	"github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
)

var update = flag.Bool("update", false, "write the golden files anew")

const badDir = "../../testdata/bad-scenarios"

// file is a scenario of those in testdata.
type file struct {
	name, path string
	data       []byte
}

func files(t testing.TB, patterns ...string) (all []file) {
	t.Helper()
	for _, pattern := range patterns {
		paths, err := filepath.Glob(pattern)
		if err != nil || len(paths) == 0 {
			t.Fatalf("%s: no files, %v", pattern, err)
		}
		for _, path := range paths {
			data, err := os.ReadFile(path)
			check.Must(t, err)
			all = append(all, file{filepath.Base(path), path, data})
		}
	}
	return all
}

// loadPlan does what every command does with a scenario, but for refusing what this version does
// not do.
func loadPlan(name string, data []byte) (*Plan, error) {
	s, err := Load(name, data)
	if err != nil {
		return nil, err
	}
	return s.Plan()
}

// Every bad scenario ends in exactly the lines that want.txt has for it.
func TestBadScenarios(t *testing.T) {
	var got strings.Builder
	for _, file := range files(t, badDir+"/*.yaml") {
		_, err := loadPlan(file.name, file.data)
		if err == nil {
			t.Errorf("%s: no error", file.name)
			continue
		}
		if e := (*strictyaml.Error)(nil); !errors.As(err, &e) {
			t.Errorf("%s: %T has no place in the file", file.name, err)
		}
		several, ok := errors.AsType[strictyaml.Errors](err)
		if !ok {
			got.WriteString(err.Error() + "\n")
		}
		for _, e := range several {
			got.WriteString(e.Error() + "\n")
		}
	}
	golden(t, filepath.Join(badDir, "want.txt"), got.String())
}

// golden compares text with a file, or writes it there.
func golden(t *testing.T, file, got string) {
	t.Helper()
	if *update {
		check.Must(t, os.WriteFile(file, []byte(got), 0o644))
	}
	want, err := os.ReadFile(file)
	check.Must(t, err)
	check.Same(t, file, string(want), got)
}

// Whatever the bytes: no panic; a scenario that loads has a sound plan and is right by the schema,
// or an error on one line.
func FuzzLoad(f *testing.F) {
	for _, file := range files(f, "testdata/*.yaml", badDir+"/*.yaml") {
		f.Add(file.data)
	}
	validate := schematest.New(f, Schema())
	f.Fuzz(func(t *testing.T, data []byte) {
		plan, err := loadPlan("f.yaml", data)
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r") ||
				!strings.HasPrefix(err.Error(), "f.yaml:") {
				t.Errorf("not one line with a place: %q", err)
			}
			return
		}
		if err := validate(data); err != nil {
			t.Errorf("loads, but %v", err)
		}
		for _, total := range plan.Totals() {
			if total.Written < 0 || total.Space < 0 {
				t.Fatalf("total %+v", total)
			}
		}
		names := map[string]bool{}
		for _, ph := range plan.Phases {
			if (ph.Stop == StopTime) != (ph.Limit > 0) || ph.Stop == StopTime && ph.Target > 0 {
				t.Fatalf("phase %q stops by %s at %v, with a target of %v", ph.Name, ph.Stop,
					ph.Limit, ph.Target)
			}
			if names[ph.Name] || len(ph.Jobs) == 0 || len(ph.Roles) != len(plan.Disks) {
				t.Fatalf("phase %q: %d jobs, %d roles for %d disks", ph.Name, len(ph.Jobs),
					len(ph.Roles), len(plan.Disks))
			}
			names[ph.Name] = true
			for _, j := range ph.Jobs {
				if len(j.Sizes) <= j.IO.Discard || slices.Min(j.Sizes) < 1 ||
					j.Role == trace.Idle || j.Role != ph.Roles[j.Disk] ||
					j.IO.OneFile && slices.Min(j.Sizes) < slices.Max(j.Sizes) {
					t.Fatalf("phase %q: unsound job of %s", ph.Name, j.Disk)
				}
			}
		}
	})
}

const configsDir = "../../configs"

// beyond are the bad scenarios that a JSON Schema cannot refuse, by what it would need for that.
func beyond() map[string][]string {
	return map[string][]string{
		"to look a name up that another part of the file gives": {
			"connection-unknown-disk", "expect-unknown", "order-unknown-disk",
			"phase-files-unknown-disk", "roles-unknown-disk", "study-disks-unknown",
			"search-unknown-disk", "stream-unknown-disk"},
		"to know which disk a letter or a key stands for": {"connection-idle-disk",
			"phase-files-idle-disk", "study-files-disk",
			"mix-nobody", "mix-streams", "pace-idle", "pace-stream-disk", "pace-streams",
			"probe-busy", "probe-working", "search-no-mover", "search-wrong-disk",
			"stream-files", "stream-role", "saturation-reads"},
		"to compare what several streams do": {"search-kinds", "search-unclear",
			"stream-both-ways"},
		"to know in which part of the file a preset may stand": {"saturation-study"},
		"to compare a length with the number of disks": {"order-short", "pattern-long",
			"pattern-short"},
		"to know scripts and invisible characters": {"disk-name-invisible",
			"disk-name-scripts", "phase-name-direction", "name-scripts"},
		"to compare one key of a list's items": {"duplicate-disk",
			"duplicate-disk-case", "duplicate-phase", "duplicate-phase-form", "same-folder",
			"repeat-collides", "repeats-collide"},
		"to compare amounts that are texts with a unit": {"max-below-min", "size-overflow",
			"stop-short", "think-long", "target-zero",
			"fill-all", "probe-large", "search-hold-short", "stream-buffer", "stream-stop-buffer",
			"saturation-early", "until-early"},
		// The schema has each key's type, words and bounds. What two keys say together is checked
		// in one place, the code.
		"to know which keys go together": {
			"app-access", "app-block", "app-tests", "fill-simulated", "hold-alone",
			"hub-without-simulated", "mix-app", "mix-verify", "mixed-kinds", "no-phases",
			"order-with-roles", "pace-app", "pattern-idle", "phase-target", "phase-test-depth",
			"probe-until", "roles-idle", "saturation-auto", "saturation-hold", "saturation-until",
			"search-most-rate", "search-no-streams", "search-stop", "search-until",
			"simulated-phase-tests", "simulated-tests", "simulated-without-hub", "stop-auto",
			"stream-frame", "stream-op", "stream-stop", "study-one-disk", "target-without-auto",
			"test-auto", "test-block", "test-depth", "test-sizes-range", "test-sizes",
			"think-tests",
			"until-auto", "until-stop", "warm-up-tests",
		},
		"to multiply and add up": {"buffers", "footprint-below-reads", "study-too-many",
			"study-too-many-disks",
			"too-many-bytes", "too-many-files", "too-many-phases", "mix-sum", "search-most-memory",
			"stream-footprint", "stream-frame-memory",
			"stream-memory", "stream-too-many"},
	}
}

// Every bad scenario that a schema can refuse is refused by it, and it is known of each other one
// why not. What is no YAML, or more of it than a scenario may use, is none of the schema's
// business.
func TestSchemaRefusesBadScenarios(t *testing.T) {
	validate := schematest.New(t, Schema())
	files := files(t, badDir+"/*.yaml")
	expected := slices.Concat(slices.Collect(maps.Values(beyond()))...)
	var unread, passed int
	for _, file := range files {
		err := validate(file.data)
		if _, unreadable := errors.AsType[*strictyaml.Error](err); unreadable {
			unread++
			continue
		}
		switch beyondSchema := slices.Contains(expected, strings.TrimSuffix(file.name, ".yaml")); {
		case err == nil && !beyondSchema:
			t.Errorf("%s passes", file.name)
		case err != nil && beyondSchema:
			t.Errorf("%s is refused after all: %v", file.name, err)
		case err == nil:
			passed++
		}
	}
	check.Same(t, "how many pass that may", len(expected), passed)
	t.Logf("of %d bad scenarios %d are refused, %d are not YAML", len(files), len(files)-unread-
		passed, unread)
}

// What loads is right by the schema: an editor complains of nothing that runs.
func TestSchemaAcceptsWhatLoads(t *testing.T) {
	validate := schematest.New(t, Schema())
	const disks = "version: 1\nname: n\ndisks: [{name: A, path: a}, {name: B, path: b, about: old cable}]\n"
	for _, text := range []string{
		"phases: [{pattern: WR}]",
		"study: matrix",
		"study: [solo, all]\nphases: [{pattern: W-}]",
		"study: {include: [solo], disks: [A], files: {A: 3}, connection: direct, interleave: false, repeat: 2}",
		"study: {include: all, files: auto, target: 5 s, order: ascending}",
		"hub: {name: TS4, about: port 1}\nstudy: solo",
		"hub: {}\nstudy: solo",
		"phases: [{roles: {A: write}, order: descending}, {pattern: RW, order: [B, A]}]",
		"phases: [{pattern: RW, cooldown: 1 min 5s, stop: .5 min}, {pattern: WW, stop: hold, cooldown: {until: idle}}]",
		"phases: [{pattern: RW, cooldown: {until: idle, most: 1h}, connection: {A: direct}, pause: Plug}]",
		"workload: {files: auto}\nphases: [{pattern: WW, target: 10 s}, {pattern: WW, stop: 5 s}]",
		"workload: {sizes: [1 GB, 512, 4 kib], order: listed, block: 4096, depth: 1, verify: off}\nphases: [{pattern: WW}]",
		"workload: {sizes: {min: 5000, max: 5003}, footprint: 1 TB, keep: true, seed: 0}\nphases: [{pattern: WW}]",
		"workload: {preset: crystal, files: 2, sizes: [2 GB]}\nphases: [{pattern: WW}]",
		"workload: {preset: crystal}\nphases: [{pattern: WW, preset: random, block: 1 MiB}]",
		"workload: {io: app}\nphases: [{pattern: WW, io: direct, depth: 2}]",
		"phases: [{streams: {A: {play: prores-422-hq-uhd-25, count: 4, buffer: 500 ms}}, roles: {B: write}}]",
		"phases: [{streams: {A: [{rate: 92 MB/s, frame: 20 ms, op: write}, {record: prores-422-hq-hd-25}]}, pattern: -R}]",
		"phases: [{pattern: RW, streams: {A: {rate: 12000000}}, pace: 200 MB/s, files: {B: 3}}]",
		"phases: [{streams: {A: {play: prores-422-hq-uhd-25}}}, {probe: 4KiB}, {probe: {A: {block: 512, every: 5 ms}}, stop: 1 min}]",
		"phases: [{pattern: WW, mix: 70/30}, {mix: {A: 5/95}, probe: 4096}, {pattern: W-, mix: {B: 50 / 50}, pace: {B: 10 MB/s}}]",
		"phases: [{streams: {A: {play: prores-422-hq-uhd-25}}, pattern: -W, search: streams, hold: 10 s}]",
		"phases: [{streams: {A: {play: prores-422-hq-uhd-25}}, pattern: -W, search: {pace: B, most: 1 GB/s}}]",
		"phases: [{streams: {A: {play: prores-422-hq-uhd-25}}, search: {streams: A, most: 24}}]",
		"phases: [{pattern: WW, until: steady}, {pattern: W-, until: {steady: 60 s}, stop: 1 h, precondition: {fill: 50%}}]",
		"workload: {preset: saturation}",
		"study: {include: solo, until: steady, precondition: {fill: 12.5%}}",
		"workload: {verify: stamps}\nphases: [{pattern: WW, mix: 70/30, verify: off}]",
		"workload: {io: app}\nphases: [{pattern: WW, io: direct, pace: 1 GB/s}, {pattern: -W, streams: {A: {rate: 1 MB/s}}}]",
	} {
		accepts(t, validate, []byte(disks+text))
	}
	for _, file := range files(t, "testdata/*.yaml", configsDir+"/*.yaml") {
		accepts(t, validate, file.data)
		first := "# yaml-language-server: $schema=scenario.schema.json\n"
		if strings.HasPrefix(file.path, configsDir) &&
			!strings.HasPrefix(string(file.data), first) {
			t.Errorf("%s does not begin with %s", file.path, first)
		}
	}
}

// The schema beside the scenarios is the one that hubbench prints.
func TestSchemaFile(t *testing.T) {
	data, err := json.MarshalIndent(Schema(), "", "  ")
	check.Must(t, err)
	golden(t, configsDir+"/scenario.schema.json", string(data)+"\n")
}

// accepts fails if a scenario does not load, or loads and is not right by the schema.
func accepts(t *testing.T, validate schematest.Validator, data []byte) {
	t.Helper()
	if _, err := Load("f.yaml", data); err != nil {
		t.Errorf("%s\n%v", data, err)
		return
	}
	if err := validate(data); err != nil {
		t.Errorf("%s\nloads, but %v", data, err)
	}
}

// The defaults that the schema shows are what a scenario gets that says nothing.
func TestSchemaDefaults(t *testing.T) {
	const least = "version: 1\nname: n\ndisks: [{name: A, path: a}]\nphases: [{pattern: W"
	want, err := loadPlan("f.yaml", []byte(least+"}]\n"))
	check.Must(t, err)
	properties := func(s any, key string) map[string]any {
		of, _ := s.(strictyaml.Schema)["properties"].(strictyaml.Schema)[key].(strictyaml.Schema)
		return of
	}
	defaults := func(s strictyaml.Schema) string {
		var all []string
		for key, of := range s["properties"].(strictyaml.Schema) {
			if value, ok := of.(strictyaml.Schema)["default"]; ok && key != "target" && key != "hold" { // which need files: auto, and a search
				all = append(all, fmt.Sprintf("%s: %v", key, value))
			}
		}
		return strings.Join(all, ", ")
	}
	workload := defaults(properties(Schema(), "workload"))
	phase := defaults(properties(Schema(), "phases")["items"].(strictyaml.Schema))
	for _, text := range []string{
		least + "}]\nworkload: {" + workload + "}",
		least + ", " + phase + "}]",
		least + "}]\nallow_system_disk: false\nresults: results",
	} {
		got, err := loadPlan("f.yaml", []byte(text))
		check.Must(t, err)
		for i := range got.Phases {
			for k := range got.Phases[i].Jobs {
				if got.Phases[i].Jobs[k].IO.Access == AccessSequential {
					got.Phases[i].Jobs[k].IO.Access = "" // the same
				}
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s\n(-nothing said +defaults):\n%s", text, diff)
		}
	}
	if n := strings.Count(workload, ":"); n < 9 {
		t.Errorf("only %d defaults of a workload: %s", n, workload)
	}
}
