package rundir

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"

	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

func TestName(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for in, want := range map[string]string{
		"triple":       "triple-20260102-030405",
		"a/b\\c: d":    "a-b-c--d-20260102-030405",
		"../..":        "run-20260102-030405",
		"Ünï 🚀 .":      "Ünï-20260102-030405",
		"":             "run-20260102-030405",
		".hidden.name": "hidden.name-20260102-030405",
	} {
		if got := Name(in, at); got != want {
			t.Errorf("Name(%q) = %q, want %q", in, got, want)
		}
	}
}

// events is a small run.
func events() []trace.Event {
	return []trace.Event{
		{Type: trace.RunType, Version: trace.FormatVersion, Name: "small", Disks: []trace.Disk{{Name: "A"}}},
		{Type: trace.PhaseType, Phase: "W", Roles: map[string]trace.Role{"A": trace.Write}},
		{Type: trace.FileType, Phase: "W", Disk: "A", Op: trace.Write, Bytes: 100, EndNS: 50},
		{Type: trace.EndType, Status: trace.Complete},
	}
}

func newDir(t *testing.T) *Dir {
	t.Helper()
	dir, err := Create(filepath.Join(t.TempDir(), "results", "one"), []byte("version: 1\n"))
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestRoundTrip(t *testing.T) {
	dir := newDir(t)
	if err := dir.Journal.Append(events()...); err != nil {
		t.Fatal(err)
	}
	info := Info{Tool: "v1", RunID: "r", Name: "small", Status: Running, Host: ThisHost()}
	if err := dir.WriteJSON(InfoFile, info); err != nil {
		t.Fatal(err)
	}
	if err := dir.Close(); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir.Path, dir.File(EventsFile)} {
		run, err := Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := run.Trace.Phases[0].Disks[0].Files[0].Bytes; got != 100 {
			t.Errorf("%s: got a file of %d bytes, want 100", path, got)
		}
		if run.Folder != dir.Path {
			t.Errorf("%s: got folder %s, want %s", path, run.Folder, dir.Path)
		}
		if path == dir.Path {
			if diff := cmp.Diff(&info, run.Info); diff != "" {
				t.Errorf("run.json (-want +got):\n%s", diff)
			}
		}
	}
}

// What Append took must be in the file when it returns: a killed process runs no code.
func TestAppendReachesTheFile(t *testing.T) {
	dir := newDir(t)
	for i, e := range events() {
		if err := dir.Journal.Append(e); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(dir.File(EventsFile))
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(string(data), "\n"); got != i+1 {
			t.Errorf("after %d events: got %d lines", i+1, got)
		}
	}
	if err := dir.Close(); err != nil {
		t.Fatal(err)
	}
}

func TestCreateRefusesARun(t *testing.T) {
	dir := newDir(t)
	if err := dir.Close(); err != nil {
		t.Fatal(err)
	}
	_, err := Create(dir.Path, nil)
	if err == nil || !strings.Contains(err.Error(), "already holds a run") {
		t.Errorf("got %v, want it to refuse the folder of another run", err)
	}
}

// What a run has left that was killed before it had a run.json, and so cannot be resumed, is in nobody's way; anything more
// is.
func TestCreateTakesOverABeginning(t *testing.T) {
	scenario := []byte("name: x\n")
	for _, tt := range []struct {
		name  string
		after func(t *testing.T, dir *Dir)
		taken bool
	}{
		{"killed", func(t *testing.T, dir *Dir) { write(t, dir.File(ScenarioFile+".01234567.part"), "na") }, false},
		{"before the scenario", func(t *testing.T, dir *Dir) { _ = os.Remove(dir.File(ScenarioFile)) }, false},
		{"of another scenario", func(t *testing.T, dir *Dir) { write(t, dir.File(ScenarioFile), "name: y\n") }, true},
		{"with a run.json", func(t *testing.T, dir *Dir) { write(t, dir.File(InfoFile), "{}") }, true},
		{"with events", func(t *testing.T, dir *Dir) { write(t, dir.File(EventsFile), "{}\n") }, true},
		{"with a log", func(t *testing.T, dir *Dir) { write(t, dir.File(LogFile), "{}\n") }, true},
		{"without events", func(t *testing.T, dir *Dir) { _ = os.Remove(dir.File(EventsFile)) }, true},
	} {
		dir, err := Create(t.TempDir(), scenario)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := Create(dir.Path, scenario); !errors.Is(err, ErrTaken) {
			t.Errorf("%s, while it lives: %v, want that it is taken", tt.name, err)
		}
		if err := dir.Close(); err != nil {
			t.Fatal(err)
		}
		tt.after(t, dir)
		again, err := Create(dir.Path, scenario)
		if tt.taken != errors.Is(err, ErrTaken) || !tt.taken && err != nil {
			t.Errorf("%s: %v, want taken: %v", tt.name, err, tt.taken)
		}
		if err != nil {
			continue
		}
		if err := again.Close(); err != nil {
			t.Error(err)
		}
		if parts, _ := filepath.Glob(dir.File("*.part")); len(parts) > 0 {
			t.Errorf("%s: %q stay", tt.name, parts)
		}
		if text, err := os.ReadFile(dir.File(ScenarioFile)); err != nil || string(text) != string(scenario) {
			t.Errorf("%s: the scenario is %q, %v", tt.name, text, err)
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// A person's own file of one of our names is not written over.
func TestCreateRefusesAFile(t *testing.T) {
	for _, name := range []string{ScenarioFile, InfoFile, EventsFile, AnalysisFile, ReportFile, LogFile} {
		path := t.TempDir()
		mine := filepath.Join(path, name)
		if err := os.WriteFile(mine, []byte("mine"), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Create(path, nil); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: got %v, want it refused by name", name, err)
		}
		if got, err := os.ReadFile(mine); string(got) != "mine" {
			t.Errorf("%s: now holds %q, %v", name, got, err)
		}
	}
}

// A run that is going on cannot be resumed, and is left as it is.
func TestResumeRefusesALivingRun(t *testing.T) {
	dir := newDir(t)
	info := Info{Plan: &scenario.Plan{Phases: []scenario.Phase{{Name: "W"}, {Name: "R"}}}, Status: Running}
	if err := errors.Join(dir.Journal.Append(events()...), dir.WriteJSON(InfoFile, info)); err != nil {
		t.Fatal(err)
	}
	if _, err := Resume(dir.Path); !errors.Is(err, filesystem.ErrBusy) {
		t.Errorf("got %v, want %v", err, filesystem.ErrBusy)
	}
	if err := dir.Close(); err != nil {
		t.Fatal(err)
	}
	rest, err := Resume(dir.Path)
	if err != nil {
		t.Fatal(err)
	}
	if err := rest.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(dir.File(EventsFile))
	if got := strings.Count(string(data), "\n"); err != nil || got != len(events()) {
		t.Errorf("after a resume that did not open it: %d lines, %v; want %d", got, err, len(events()))
	}
}

// A run that was killed while it wrote a file leaves the beginning of that, until it is resumed.
func TestResumeRemovesParts(t *testing.T) {
	dir := newDir(t)
	info := Info{Plan: &scenario.Plan{Phases: []scenario.Phase{{Name: "W"}}}, Status: Running}
	if err := errors.Join(dir.WriteJSON(InfoFile, info), dir.Close()); err != nil {
		t.Fatal(err)
	}
	other := dir.File("notes.txt.0123abcd.part")
	for _, name := range []string{dir.File(InfoFile) + ".0123abcd.part", dir.File(ReportFile) + ".99999999.part", other} {
		if err := os.WriteFile(name, []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rest, err := Resume(dir.Path)
	if err != nil {
		t.Fatal(err)
	}
	resumed, err := rest.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := resumed.Close(); err != nil {
		t.Fatal(err)
	}
	if left, err := filepath.Glob(dir.File("*.part")); err != nil || !slices.Equal(left, []string{other}) {
		t.Errorf("left: %q, %v; want what is not the run's", left, err)
	}
}

func TestLoadErrors(t *testing.T) {
	empty := t.TempDir()
	broken := t.TempDir()
	for name, content := range map[string]string{EventsFile: "", InfoFile: "{"} {
		if err := os.WriteFile(filepath.Join(broken, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	lone := filepath.Join(t.TempDir(), "lone.jsonl")
	for content, ok := range map[string]bool{"": false, `{"type":"run","ver`: false, `{"type":"other"}` + "\n": false, `{"type":"run","disks":[{"name":"A"}]}` + "\n": true} {
		if err := os.WriteFile(lone, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Load(lone); (err == nil) != ok || err != nil && !strings.Contains(err.Error(), "lone.jsonl: no events") {
			t.Errorf("events %q: got %v", content, err)
		}
	}
	cutOff := t.TempDir()
	for name, content := range map[string]string{EventsFile: "", InfoFile: "{}"} {
		if err := os.WriteFile(filepath.Join(cutOff, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Load(cutOff); err != nil {
		t.Errorf("a run cut off before its first event: %v", err)
	}
	for path, want := range map[string]string{
		empty:  "is it a run folder?",
		broken: "run.json: unexpected end of JSON input",
	} {
		if _, err := Load(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want an error with %q", path, err, want)
		}
	}
}

// A run folder may come from anybody: a link in it leads nowhere that is written to.
func TestResumeFollowsNoLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	for _, name := range []string{EventsFile, LogFile} {
		dir := filepath.Join(t.TempDir(), "run")
		d, err := Create(dir, []byte("version: 1\n"))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(d.WriteJSON(InfoFile, Info{Plan: &scenario.Plan{}}), d.Close()); err != nil {
			t.Fatal(err)
		}
		victim := filepath.Join(t.TempDir(), "victim")
		if err := os.WriteFile(victim, []byte("the user's"), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(os.Remove(filepath.Join(dir, name)), os.Symlink(victim, filepath.Join(dir, name))); err != nil {
			t.Fatal(err)
		}
		rest, err := Resume(dir)
		if err == nil {
			_, err = rest.Open()
		}
		if err == nil || !strings.Contains(err.Error(), "is not a file of hubbench's") {
			t.Errorf("%s: got %v", name, err)
		}
		if got, _ := os.ReadFile(victim); string(got) != "the user's" {
			t.Errorf("%s: the link's target holds %q", name, got)
		}
	}
}

// Lists of numbers take one line each, and nothing else changes: neither text that looks like them, nor the value.
func TestJoinNumbers(t *testing.T) {
	type list map[string]any
	tests := []struct {
		value any
		want  string
	}{
		{7, "7"},
		{[]any{}, "[]"},
		{[]int{1}, "[1]"},
		{list{"a": []float64{1, -2.5e30, 0}}, "{\n  \"a\": [1, -2.5e+30, 0]\n}"},
		{[]any{1, nil, true}, "[1, null, true]"},
		{[][]int{{1, 2}, {}, {3}}, "[\n  [1, 2],\n  [],\n  [3]\n]"},
		{[]any{1, "x"}, "[\n  1,\n  \"x\"\n]"},
		{[]any{list{"k": 1}}, "[\n  {\n    \"k\": 1\n  }\n]"},
		{list{"[1,\n  2]\"\\": "[ 1,  2 ]\\"}, "{\n  \"[1,\\n  2]\\\"\\\\\": \"[ 1,  2 ]\\\\\"\n}"},
	}
	for _, tt := range tests {
		indented, err := json.MarshalIndent(tt.value, "", "  ")
		if err != nil {
			t.Fatal(err)
		}
		var before, after bytes.Buffer
		if err := json.Compact(&before, indented); err != nil {
			t.Fatal(err)
		}
		got := joinNumbers(indented)
		if string(got) != tt.want {
			t.Errorf("got %s\nwant %s", got, tt.want)
		}
		if err := json.Compact(&after, got); err != nil || before.String() != after.String() {
			t.Errorf("%s became %s: %v", before.String(), after.String(), err)
		}
	}
}

func TestSince(t *testing.T) {
	dir := t.TempDir()
	now := time.Now().Truncate(time.Second)
	for name, run := range map[string]struct {
		info string
		ago  time.Duration
	}{
		"good":        {`{"status":"complete","plan":{"disks":[{"name":"A","path":"/x"}]}}`, time.Minute},
		"old":         {`{"status":"complete","plan":{}}`, time.Hour},
		"interrupted": {`{"status":"partial","plan":{}}`, time.Minute},
		"simulated":   {`{"status":"complete","simulated":true,"plan":{}}`, time.Minute},
		"bad":         {`{`, time.Minute},
		"no plan":     {`{"status":"complete"}`, time.Minute},
	} {
		file := filepath.Join(dir, name, InfoFile)
		if err := os.Mkdir(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(run.info), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, now, now.Add(-run.ago)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "photos"), 0o755); err != nil {
		t.Fatal(err)
	}
	runs := Since(dir, now.Add(-10*time.Minute))
	if len(runs) != 1 || runs[0].Path != filepath.Join(dir, "good") || !runs[0].Ended.Equal(now.Add(-time.Minute)) || runs[0].Info.Plan.Disks[0].Path != "/x" {
		t.Errorf("Since() = %+v, want the good run of a minute ago", runs)
	}
	if runs := Since(filepath.Join(dir, "nowhere"), now); runs != nil {
		t.Errorf("Since() of no folder = %v", runs)
	}
}

// TestMain fails if a goroutine outlives the tests.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }
