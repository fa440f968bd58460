package rundir

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/hubbench/hubbench/internal/machine/filesystem"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/search"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

func TestName(t *testing.T) {
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for in, want := range map[string]string{
		"a/b\\c: d":    "a-b-c--d-20260102-030405",
		"../..":        "run-20260102-030405",
		"Ünï 🚀 .":      "Ünï-20260102-030405",
		".hidden.name": "hidden.name-20260102-030405",
	} {
		check.Same(t, in, want, Name(in, at))
	}
}

// events is a small run.
func events() []trace.Event {
	return []trace.Event{
		{Type: trace.RunType, Version: trace.FormatVersion, Name: "small",
			Disks: []trace.Disk{{Name: "A"}}},
		{Type: trace.PhaseType, Phase: "W", Roles: map[string]trace.Role{"A": trace.Write}},
		{Type: trace.FileType, Phase: "W", Disk: "A", Op: trace.Write, Bytes: 100, EndNS: 50},
		{Type: trace.EndType, Status: trace.Complete},
	}
}

func newDir(t *testing.T) *Dir {
	t.Helper()
	dir, err := Create(filepath.Join(t.TempDir(), "results", "one"), []byte("version: 1\n"))
	check.Must(t, err)
	t.Cleanup(func() { _ = dir.Root.Close() })
	return dir
}

func write(t *testing.T, path, text string) {
	t.Helper()
	check.Must(t, os.WriteFile(path, []byte(text), 0o600))
}

func TestRoundTrip(t *testing.T) {
	dir := newDir(t)
	// Each is in the file when Append returns: a killed process runs no code.
	for i, e := range events() {
		check.Must(t, dir.Append(e))
		data, err := os.ReadFile(dir.File(EventsFile))
		if got := strings.Count(string(data), "\n"); err != nil || got != i+1 {
			t.Errorf("after %d events: got %d lines, %v", i+1, got, err)
		}
	}
	info := Info{Tool: "v1", RunID: "r", Name: "small", Status: Running, Host: ThisHost()}
	check.Must(t, errors.Join(dir.WriteJSON(InfoFile, info), dir.Close()))
	for _, path := range []string{dir.Path, dir.File(EventsFile)} {
		run, err := Load(path)
		check.Must(t, err)
		check.Same(t, path+": bytes", int64(100), run.Trace.Phases[0].Disks[0].Files[0].Bytes)
		check.Same(t, path+": folder", dir.Path, run.Folder)
		if path == dir.Path {
			check.Same(t, "run.json", &info, run.Info)
		}
	}
}

// What a run has left that was killed before it had a run.json, and so cannot be resumed, is in
// nobody's way; anything more is.
func TestCreateTakesOverABeginning(t *testing.T) {
	scenario := []byte("name: x\n")
	for _, tt := range []struct {
		name  string
		after func(t *testing.T, dir *Dir)
		taken bool
	}{
		{"killed", func(t *testing.T, dir *Dir) {
			write(t, dir.File(ScenarioFile+".01234567.part"), "na")
		}, false},
		{"before the scenario", func(t *testing.T, dir *Dir) {
			_ = os.Remove(dir.File(ScenarioFile))
		}, false},
		{"of another scenario", func(t *testing.T, dir *Dir) {
			write(t, dir.File(ScenarioFile), "name: y\n")
		}, true},
		{"with a run.json", func(t *testing.T, dir *Dir) {
			write(t, dir.File(InfoFile), "{}")
		}, true},
		{"with events", func(t *testing.T, dir *Dir) {
			write(t, dir.File(EventsFile), "{}\n")
		}, true},
		{"with a log", func(t *testing.T, dir *Dir) { write(t, dir.File(LogFile), "{}\n") }, true},
		{"without events", func(t *testing.T, dir *Dir) {
			_ = os.Remove(dir.File(EventsFile))
		}, true},
	} {
		dir, err := Create(t.TempDir(), scenario)
		check.Must(t, err)
		if _, err := Create(dir.Path, scenario); !errors.Is(err, ErrTaken) {
			t.Errorf("%s, while it lives: %v, want that it is taken", tt.name, err)
		}
		check.Must(t, errors.Join(dir.Close(), dir.Root.Close()))
		tt.after(t, dir)
		again, err := Create(dir.Path, scenario)
		if tt.taken != errors.Is(err, ErrTaken) || !tt.taken && err != nil {
			t.Errorf("%s: %v, want taken: %v", tt.name, err, tt.taken)
		}
		if err != nil {
			continue
		}
		check.Must(t, errors.Join(again.Close(), again.Root.Close()))
		if parts, _ := filepath.Glob(dir.File("*.part")); len(parts) > 0 {
			t.Errorf("%s: %q stay", tt.name, parts)
		}
		if text, err := os.ReadFile(dir.File(ScenarioFile)); err != nil ||
			string(text) != string(scenario) {
			t.Errorf("%s: the scenario is %q, %v", tt.name, text, err)
		}
	}
}

// A person's own file of one of our names is not written over.
func TestCreateRefusesAFile(t *testing.T) {
	for _, name := range []string{
		ScenarioFile, InfoFile, EventsFile, AnalysisFile, ReportFile, LogFile,
	} {
		path := t.TempDir()
		mine := filepath.Join(path, name)
		write(t, mine, "mine")
		_, err := Create(path, nil)
		check.Refused(t, name, err, name)
		if got, err := os.ReadFile(mine); string(got) != "mine" {
			t.Errorf("%s: now holds %q, %v", name, got, err)
		}
	}
}

// A run that is going on cannot be resumed, and is left as it is. One that was killed while it
// wrote a file leaves the beginning of that, until it is resumed.
func TestResumeOnlyOnce(t *testing.T) {
	dir := newDir(t)
	info := Info{Plan: twoPhases(), Status: Running}
	check.Must(t, errors.Join(dir.Append(events()...), dir.WriteJSON(InfoFile, info)))
	if _, err := Resume(dir.Path); !errors.Is(err, filesystem.ErrBusy) {
		t.Errorf("got %v, want %v", err, filesystem.ErrBusy)
	}
	check.Must(t, dir.Close())
	rest, err := Resume(dir.Path)
	check.Must(t, err)
	check.Must(t, rest.Close())
	data, err := os.ReadFile(dir.File(EventsFile))
	if got := strings.Count(string(data), "\n"); err != nil || got != len(events()) {
		t.Errorf("after a resume that did not open it: %d lines, %v; want %d", got, err,
			len(events()))
	}
	other := dir.File("notes.txt.0123abcd.part")
	for _, name := range []string{
		dir.File(InfoFile) + ".0123abcd.part", dir.File(ReportFile) + ".99999999.part", other,
	} {
		write(t, name, "half")
	}
	rest, err = Resume(dir.Path)
	check.Must(t, err)
	resumed, err := rest.Open()
	check.Must(t, err)
	check.Must(t, errors.Join(resumed.Close(), resumed.Root.Close()))
	if left, err := filepath.Glob(dir.File("*.part")); err != nil ||
		!slices.Equal(left, []string{other}) {
		t.Errorf("left: %q, %v; want what is not the run's", left, err)
	}
}

// twoPhases returns a plan in which A writes a file and then reads one.
func twoPhases() *scenario.Plan {
	jobs := func(role trace.Role) []scenario.Job {
		io := scenario.IO{Block: 1 << 20, Depth: 1}
		return []scenario.Job{{Disk: "A", Role: role, Sizes: []int64{1e6}, IO: io}}
	}
	return &scenario.Plan{
		Disks: []scenario.Disk{{Name: "A"}},
		Phases: []scenario.Phase{
			{Name: "W", Jobs: jobs(trace.Write)}, {Name: "R", Jobs: jobs(trace.Read)},
		},
	}
}

// recordedRun is the folder of a run with a plan of two phases, of which some are complete.
func recordedRun(t *testing.T, status string, phases ...string) *Dir {
	t.Helper()
	dir := newDir(t)
	check.Must(t, dir.Append(trace.Event{
		Type: trace.RunType, Version: trace.FormatVersion, Disks: []trace.Disk{{Name: "A"}},
	}))
	for _, name := range phases {
		check.Must(t, dir.Append(trace.Event{Type: trace.PhaseType, Phase: name},
			trace.Event{Type: trace.PhaseEndType, Phase: name, Status: trace.Complete}))
	}
	check.Must(t, dir.Append(trace.Event{Type: trace.EndType, Status: status}))
	info := Info{Plan: twoPhases(), Status: status}
	check.Must(t, errors.Join(dir.WriteJSON(InfoFile, info), dir.WriteJSON(AnalysisFile, info),
		dir.Close()))
	return dir
}

// folderOf is what a folder holds, by name.
func folderOf(t *testing.T, path string) map[string]string {
	t.Helper()
	entries, err := os.ReadDir(path)
	check.Must(t, err)
	files := map[string]string{}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(path, e.Name()))
		check.Must(t, err)
		files[e.Name()] = string(text)
	}
	return files
}

// Events are the same compressed and plain, whichever name they have, and a run goes on with plain
// ones.
func TestResumeOfCompressed(t *testing.T) {
	for _, name := range []string{EventsFile, PackedFile} {
		part := recordedRun(t, trace.Partial, "W")
		plain := folderOf(t, part.Path)[EventsFile]
		check.Must(t, errors.Join(part.Compress(),
			os.Rename(part.File(PackedFile), part.File(name))))
		before := folderOf(t, part.Path)
		rest, err := Resume(part.Path)
		check.Must(t, errors.Join(err, rest.Close()))
		check.Same(t, name+": a run that is not resumed after all", before, folderOf(t, part.Path))
		rest, err = Resume(part.Path)
		check.Must(t, err)
		resumed, err := rest.Open()
		check.Must(t, err)
		if _, err := Resume(part.Path); !errors.Is(err, filesystem.ErrBusy) {
			t.Errorf("%s: while it is resumed: %v, want %v", name, err, filesystem.ErrBusy)
		}
		e := trace.Event{Type: trace.PhaseType, Phase: "R"}
		check.Must(t, errors.Join(resumed.Append(e), resumed.abandon()))
		kept, _, _ := strings.Cut(plain, `{"type":"end"`)
		after := folderOf(t, part.Path)
		check.Same(t, name+": resumed", kept+string(trace.AppendEvent(nil, &e)), after[EventsFile])
		for _, gone := range []string{PackedFile, AnalysisFile} {
			if _, left := after[gone]; left {
				t.Errorf("%s: %s is left", name, gone)
			}
		}
	}
}

// What cannot be resumed is left as it is: two records, of which no one knows which is the run's,
// or none.
func TestResumeRefusesDoubtfulEvents(t *testing.T) {
	both, none := recordedRun(t, trace.Partial, "W"), recordedRun(t, trace.Partial, "W")
	write(t, both.File(PackedFile), "{}")
	check.Must(t, os.Remove(none.File(EventsFile)))
	for want, path := range map[string]string{
		both.File(PackedFile) + " are both there": both.Path, "nothing says how far": none.Path,
	} {
		before := folderOf(t, path)
		_, err := Resume(path)
		check.Refused(t, want, err, want)
		check.Same(t, "the folder", before, folderOf(t, path))
		_, err = Load(path)
		check.Refused(t, want, err, EventsFile)
	}
}

// Whatever takes the place of the run's folder is not written to.
func TestNothingIsWrittenElsewhere(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a folder that is open is not renamed there")
	}
	dir, victim := newDir(t), t.TempDir()
	if dir.Moved() {
		t.Error("a folder in its place has moved")
	}
	check.Must(t, errors.Join(os.Rename(dir.Path, dir.Path+".moved"), os.Symlink(victim, dir.Path)))
	if !dir.Moved() {
		t.Error("a folder that is a link now has not moved")
	}
	live := dir.Live(time.Hour, func(string) {})
	check.Must(t, live.Append(events()[0]))
	check.Must(t, errors.Join(live.SaveInfo(&Info{}), live.Close(nil),
		dir.WriteJSON(AnalysisFile, 1), dir.Compress()))
	if got := folderOf(t, victim); len(got) > 0 {
		t.Errorf("the link's target holds %v", got)
	}
	for _, name := range []string{PackedFile, InfoFile, AnalysisFile} {
		if folderOf(t, dir.Path+".moved")[name] == "" {
			t.Errorf("the folder lacks %s", name)
		}
	}
}

func TestLoadErrors(t *testing.T) {
	lone := filepath.Join(t.TempDir(), "lone.jsonl")
	for content, ok := range map[string]bool{
		"":                        false,
		`{"type":"run","ver`:      false,
		`{"type":"other"}` + "\n": false,
		`{"type":"run","disks":[{"name":"A"}]}` + "\n": true,
	} {
		write(t, lone, content)
		if _, err := Load(lone); (err == nil) != ok || err != nil &&
			!strings.Contains(err.Error(), "lone.jsonl: no events") {
			t.Errorf("events %q: got %v", content, err)
		}
	}
	cutOff := t.TempDir() // before its first event
	write(t, filepath.Join(cutOff, EventsFile), "")
	write(t, filepath.Join(cutOff, InfoFile), "{}")
	_, err := Load(cutOff)
	check.Must(t, err)
	write(t, filepath.Join(cutOff, InfoFile), "{")
	for path, want := range map[string]string{
		t.TempDir(): "is it a run folder?", cutOff: "run.json: unexpected end of JSON input",
	} {
		_, err := Load(path)
		check.Refused(t, path, err, want)
	}
}

// A run folder may come from anybody: a link in it leads nowhere that is written to.
func TestResumeFollowsNoLinks(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("links need a privilege there")
	}
	for _, name := range []string{EventsFile, LogFile} {
		d := newDir(t)
		check.Must(t, errors.Join(d.WriteJSON(InfoFile, Info{Plan: &scenario.Plan{}}), d.Close()))
		victim := filepath.Join(t.TempDir(), "victim")
		write(t, victim, "the user's")
		check.Must(t, errors.Join(os.Remove(d.File(name)), os.Symlink(victim, d.File(name))))
		rest, err := Resume(d.Path)
		if err == nil {
			_, err = rest.Open()
		}
		check.Refused(t, name, err, "is not a file of hubbench's")
		if got, _ := os.ReadFile(victim); string(got) != "the user's" {
			t.Errorf("%s: the link's target holds %q", name, got)
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
		check.Must(t, os.Mkdir(filepath.Dir(file), 0o755))
		write(t, file, run.info)
		check.Must(t, os.Chtimes(file, now, now.Add(-run.ago)))
	}
	check.Must(t, os.Mkdir(filepath.Join(dir, "photos"), 0o755))
	runs := Since(dir, now.Add(-10*time.Minute))
	if len(runs) != 1 || runs[0].Path != filepath.Join(dir, "good") ||
		!runs[0].Ended.Equal(now.Add(-time.Minute)) || runs[0].Info.Plan.Disks[0].Path != "/x" {
		t.Errorf("Since() = %+v, want the good run of a minute ago", runs)
	}
	if runs := Since(filepath.Join(dir, "nowhere"), now); runs != nil {
		t.Errorf("Since() of no folder = %v", runs)
	}
}

// TestMain fails if a goroutine outlives the tests.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// searched is a plan with a search between two phases, and the events of a run of it: A plays two
// streams alone, and one beside B.
func searched() (plan *scenario.Plan, all []trace.Event, verdicts []stream.Verdict) {
	plan = &scenario.Plan{Phases: []scenario.Phase{
		{Name: "R", Roles: map[string]trace.Role{"A": trace.Read}},
		{
			Name: "edit", Search: &scenario.Search{
				Kind: trace.SearchStreams, Disk: "A", Hold: 10 * time.Second, Max: 3,
			},
			Roles: map[string]trace.Role{"A": trace.Read, "B": trace.Write},
			Jobs: []scenario.Job{
				{
					Disk: "A", Role: trace.Read,
					Streams: []stream.Spec{
						{Rate: 1e6, Frame: 40 * time.Millisecond, Count: 1, Buffer: time.Second},
					},
				},
				{Disk: "B", Role: trace.Write, Sizes: []int64{1e9}},
			},
		},
		{Name: "W", Roles: map[string]trace.Role{"A": trace.Write}},
	}}
	end := func(phase string) trace.Event {
		return trace.Event{Type: trace.PhaseEndType, Phase: phase, Status: trace.Complete}
	}
	all = []trace.Event{plan.Phases[0].Event(), end("R")}
	s := search.New(&plan.Phases[1])
	for try, ok := s.Next(); ok; try, ok = s.Next() {
		o := search.TryOutcome{Verdict: stream.Clean}
		late := 0
		if limit := map[bool]float64{true: 2, false: 1}[try.Try.Alone]; try.Try.Value > limit {
			o.Verdict, late = stream.Drops, 7
		}
		all = append(all, try.Event())
		for _, p := range stream.Players(try.Jobs[0].Streams) {
			all = append(all, trace.Event{
				Type: trace.StreamType, Phase: try.Name, Disk: "A", Stream: p.Name, TNS: 10e9,
				Due: 225, Late: late, BufferNS: 1e9,
			})
		}
		for second := range int64(10) {
			all = append(all, trace.Event{
				Type: trace.ProgressType, Phase: try.Name, Disk: "A", Op: trace.Read,
				Bytes: (second + 1) * 1e6, TNS: (second + 1) * 1e9,
			})
		}
		if !try.Try.Alone {
			all = append(all, trace.Event{
				Type: trace.FileType, Phase: try.Name, Disk: "B", Op: trace.Write, Bytes: 1e9,
				EndNS: 10e9,
			})
		}
		all, verdicts = append(all, end(try.Name)), append(verdicts, o.Verdict)
		s.Add(o)
	}
	return plan, append(all, plan.Phases[2].Event(), end("W")), verdicts
}

// readPast is how far a run got by its events, and how many bytes of them stay.
func readPast(t *testing.T, plan *scenario.Plan,
	text []byte) (r *Unfinished, keep int64, err error) {
	t.Helper()
	r = &Unfinished{Info: &Info{Plan: plan}}
	_, err = r.read(bytes.NewReader(text), EventsFile)
	return r, r.keep, err
}

// However many of the events there are, the past ends with the last complete phase or try, and its
// verdicts are those told.
func TestPast(t *testing.T) {
	plan, all, verdicts := searched()
	last := slices.IndexFunc(all, func(e trace.Event) bool { return e.Phase == "W" })
	var text []byte
	ends, keep := 0, int64(0)
	for n := range len(all) + 1 {
		p, got, err := readPast(t, plan, text)
		if err != nil || got != keep {
			t.Errorf("%d events: keeps %d bytes, %v; want %d", n, got, err, keep)
		}
		wantDone, wantTried := min(ends, 1), max(0, ends-1)
		if tries := len(verdicts); n >= last {
			wantDone, wantTried = ends-tries+1, 0 // all tries are one phase
		}
		if p.Done != wantDone || len(p.Tries) != wantTried {
			t.Errorf("%d events: %d phases done, %d tries; want %d and %d", n, p.Done, len(p.Tries),
				wantDone, wantTried)
		}
		for i, o := range p.Tries {
			check.Same(t, fmt.Sprintf("try %d", i+1), verdicts[i], o.Verdict)
		}
		if n < len(all) {
			if text = trace.AppendEvent(text, &all[n]); all[n].Type == trace.PhaseEndType {
				ends, keep = ends+1, int64(len(text))
			}
		}
	}
}

// A try that says nothing is made again, though an earlier hubbench took it for one: here A hung in
// the third. Tries that the verdicts do not lead to are another run's.
func TestPastOfOtherTries(t *testing.T) {
	plan, all, _ := searched()
	var silent, verdict, name []byte
	ends, keep := 0, 0
	for _, e := range all {
		if e.Type != trace.ProgressType || e.Disk != "A" || ends != 3 {
			silent = trace.AppendEvent(silent, &e)
		}
		if e.Type == trace.PhaseEndType {
			if ends++; ends == 3 {
				keep = len(silent)
			}
		}
		clean, renamed := e, e
		if e.Type == trace.StreamType {
			clean.Late = 0
		}
		renamed.Phase = strings.Replace(e.Phase, "edit", "cut", 1)
		verdict, name = trace.AppendEvent(verdict, &clean), trace.AppendEvent(name, &renamed)
	}
	if p, got, err := readPast(t, plan, silent); err != nil || got != int64(keep) ||
		len(p.Tries) != 2 {
		t.Errorf("keeps %d bytes and %d tries, %v; want %d and 2", got, len(p.Tries), err, keep)
	}
	for what, text := range map[string][]byte{"verdict": verdict, "name": name} {
		if _, keep, err := readPast(t, plan, text); err == nil {
			t.Errorf("another %s: kept %d bytes and said nothing", what, keep)
		}
	}
}

// Ids are in the order in which the runs began, and those of one moment differ.
func TestNewID(t *testing.T) {
	began := time.Date(2026, 3, 1, 8, 59, 58, 0, time.UTC)
	last := ""
	for range 2500 {
		id := NewID(began)
		if id <= last || len(id) != len("20260301-085958-0123456789abcdef") {
			t.Fatalf("%s began after %s", id, last)
		}
		last, began = id, began.Add(time.Millisecond)
	}
	if other := NewID(began); other == NewID(began) {
		t.Errorf("two runs are called %s", other)
	}
}
