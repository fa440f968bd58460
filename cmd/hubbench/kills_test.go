package main

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/evidence"
)

var (
	kills = flag.Int("kills", 6,
		"`runs` of which TestKills ends processes; 300 in make proof FULL=1")
	killSeed = flag.Uint64("kill-seed", 1,
		"`seed` of the instants, processes and signals of TestKills")
)

// killsAtOnce is how many runs TestKills has under way: most of a run's time is waiting.
const killsAtOnce = 4

// killPhases are the phases of the runs that are killed, each of which takes a few tenths of a
// second.
const (
	killPhases    = 3
	killSimulated = `version: 1
name: kill
hub: {profile: goshen-ridge, speedup: 40}
disks: [{name: A, simulate: {profile: A}}, {name: C, simulate: {profile: C}}]
workload: {files: 12, seed: 7}
phases: [{pattern: WW}, {pattern: RW, cooldown: 4 s}, {pattern: RR}]
`
	killReal = `version: 1
name: kill
disks: [{name: A, path: A}, {name: C, path: C}]
allow_system_disk: true
workload: {files: 5, sizes: [2 MB], block: 512 KiB}
phases:
  - {pattern: WW, pace: 40 MB/s}
  - {pattern: RW, pace: 40 MB/s, cooldown: 100 ms}
  - {pattern: RR, pace: 40 MB/s}
`
)

// The stages of a run, as its folder shows them: before its first phase, and for each phase getting
// ready, moving and what comes between it and the next, which after the last is removing the test
// files; then writing the results.
const (
	startStage = 0
	writeStage = 1 + 3*killPhases
)

func stageName(stage int) string {
	switch stage {
	case startStage:
		return "start"
	case writeStage:
		return "results"
	case writeStage - 1:
		return "clean-up"
	}
	return []string{"ready", "transfer", "between"}[(stage-1)%3]
}

// stages follows a run through its stages, by its events.
type stages struct {
	path   string
	read   int64
	stage  int
	moving bool
}

// now is the stage that the run is at.
func (s *stages) now() int {
	info, err := os.Stat(s.path)
	if err != nil || info.Size() == s.read {
		return s.stage
	}
	if info.Size() < s.read { // resumed, or compressed
		s.read = 0
		if s.stage < writeStage {
			s.stage, s.moving = 0, false
		}
	}
	file, err := os.Open(s.path)
	if err != nil {
		return s.stage
	}
	defer file.Close()
	text, _ := io.ReadAll(io.NewSectionReader(file, s.read, info.Size()-s.read))
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	s.read += int64(len(text))
	for line := range bytes.Lines(text) {
		switch {
		case bytes.HasPrefix(line, []byte(`{"type":"phase",`)):
			s.stage, s.moving = s.stage+1, false
		case bytes.HasPrefix(line, []byte(`{"type":"phase_end",`)):
			s.stage = (s.stage + 2) / 3 * 3
		case bytes.HasPrefix(line, []byte(`{"type":"end",`)):
			s.stage = writeStage
		case !s.moving && s.stage%3 == 1 && bytes.Contains(line, []byte(`"disk":`)):
			s.stage, s.moving = s.stage+1, true
		}
	}
	return s.stage
}

// killTest is what the tries of TestKills have in common: runs that nothing interrupted.
type killTest struct {
	long  map[string][]time.Duration // of each stage, by scenario
	whole map[string][]string        // what was measured
}

// TestKills ends processes of runs at random instants, by each signal, and holds the runs to what
// README and help say: exit code, events that can be analysed, folders that are clean after
// hubbench clean, and a run that goes on to the same end and writes over nothing. A quarter of the
// runs are compressed when done, and another goes on after it was killed before.
func TestKills(t *testing.T) {
	k := &killTest{long: map[string][]time.Duration{}, whole: map[string][]string{}}
	for _, text := range []string{killSimulated, killReal} {
		run := newKilledRun(t.TempDir(), text)
		must(t, run.begin("--compress"))
		k.long[text] = run.watch()
		if code, said := run.wait(); code != exit.OK {
			t.Fatalf("exit code %d: %s", code, said)
		}
		events, err := recordOf(run.out)
		must(t, err)
		k.whole[text] = moved(events)
	}
	t.Logf("seed %d; stages take %v and %v", *killSeed, k.long[killSimulated], k.long[killReal])
	var mu sync.Mutex
	var good int
	counts := map[string]int{} // of each kind of run, victim and instant
	free := make(chan struct{}, killsAtOnce)
	var tries sync.WaitGroup
	for i := range *kills {
		free <- struct{}{}
		tries.Go(func() {
			defer func() { <-free }()
			try := &killTry{killTest: k, random: rand.New(rand.NewPCG(*killSeed, uint64(i)))}
			err := try.run(t, i)
			mu.Lock()
			defer mu.Unlock()
			counts[try.kind]++
			counts[try.victims]++
			counts[try.stage]++
			counts["test folders left to clean"] += try.left
			counts["files of others"] += len(try.others.files)
			if err == nil {
				good++
				return
			}
			t.Logf("try %d (%s run, %s at %s): %v", i, try.kind, try.victims, try.stage, err)
		})
	}
	tries.Wait()
	t.Logf("tried: %v", counts)
	evidence.Report(t, evidence.Finding{
		Claim: "kills",
		Case: "processes of runs ended at random instants, with the right exit code, " +
			"events that can be read, clean folders and a run that goes on to the same end",
		Unit: fmt.Sprintf("of %d", *kills), Truth: float64(*kills), Measured: float64(good),
		Low: float64(good), High: float64(good), Limit: "all", Pass: good == *kills,
	})
}

// killedRun is a run with a folder of its own for disks, results and temporary files.
type killedRun struct {
	*process
	dir, out, scenario string
	at                 *stages
	others             others
}

func newKilledRun(dir, scenario string) *killedRun {
	out := filepath.Join(dir, "out")
	return &killedRun{dir: dir, out: out, scenario: scenario,
		at:     &stages{path: filepath.Join(out, rundir.EventsFile)},
		others: others{filepath.Join(dir, "elsewhere"), map[string]string{}}}
}

func (r *killedRun) disks() []string {
	return []string{filepath.Join(r.dir, "A"), filepath.Join(r.dir, "C")}
}

// temp is the run's folder of temporary files.
func (r *killedRun) temp() string { return filepath.Join(r.dir, "temp") }

func (r *killedRun) begin(more ...string) error {
	err := os.WriteFile(filepath.Join(r.dir, "s.yaml"), []byte(r.scenario), 0o600)
	for _, dir := range append(r.disks(), r.temp(), r.dir) {
		err = errors.Join(err, r.others.plant(dir, "hard.bin", "symbolic.bin"))
	}
	if err == nil {
		r.process, err = launch(r.command(append(runArgs(), more...)...))
	}
	return err
}

// recordOf is what a run's events say, compressed or not; an error if there are none.
func recordOf(dir string) (string, error) {
	path, err := rundir.EventsOf(dir)
	if err != nil {
		return "", err
	}
	events, err := (&rundir.Loaded{Events: path}).OpenEvents()
	if err != nil {
		return "", err
	}
	defer events.Close()
	text, err := io.ReadAll(events)
	return string(text), err
}

// runArgs are what a run is begun by.
func runArgs() []string {
	return []string{"run", "s.yaml", "--out", "out", "--quiet", "--allow", "busy,background"}
}

// command is hubbench in the run's folder.
func (r *killedRun) command(args ...string) *exec.Cmd {
	cmd := exec.Command("hubbench", args...)
	cmd.Dir = r.dir
	cmd.Env = append(os.Environ(), "TMPDIR="+r.temp(), "TMP="+r.temp())
	return cmd
}

func (r *killedRun) do(args ...string) (code int, output string) {
	p, err := launch(r.command(args...))
	if err != nil {
		return -1, err.Error()
	}
	return p.wait()
}

// watch returns how long each stage took of a run that nobody interrupts.
func (r *killedRun) watch() []time.Duration {
	long := make([]time.Duration, writeStage+1)
	for before := time.Now(); r.running(); time.Sleep(time.Millisecond) {
		now := time.Now()
		long[r.at.now()] += now.Sub(before)
		before = now
	}
	return long
}

// killTry ends processes of one run.
type killTry struct {
	*killTest
	random *rand.Rand
	*killedRun
	kind    string // of the run
	stage   string // at which it did
	victims string
	spared  bool              // a process that can clean up got no signal
	left    int               // test folders that clean found
	signals map[string]string // by process
}

const coordinatorName = "hubbench"

// The kinds of runs that are killed.
const (
	plainRun      = "plain"
	compressedRun = "compressed"
	resumedRun    = "resumed"
)

// beginKind begins a run of the try's kind. It is false if it was over before.
func (k *killTry) beginKind() (bool, error) {
	if k.kind == compressedRun {
		return true, k.begin("--compress")
	}
	err := k.begin()
	if k.kind == plainRun || err != nil {
		return true, err
	}
	for first := 1 + k.random.IntN(writeStage-1); k.running() && k.at.now() < first; {
		time.Sleep(100 * time.Microsecond)
	}
	k.kill()
	if !check.Within(timeout, func() bool { return len(k.processes()) == 0 }) {
		return false, fmt.Errorf("killed for the first time: after %s there are still %v", timeout,
			k.processes())
	}
	if info, err := rundir.LoadInfo(k.out); err != nil || info == nil ||
		info.Status != rundir.Running {
		return false, err
	}
	k.at = &stages{path: k.at.path}
	k.process, err = launch(k.command(k.resumeArgs()...))
	return true, err
}

// resumeArgs are what the run goes on by.
func (k *killTry) resumeArgs() []string {
	return k.compressing([]string{"run", "--resume", k.out, "--quiet", "--allow",
		"busy,background"})
}

func (k *killTry) compressing(args []string) []string {
	if k.kind == compressedRun {
		return append(args, "--compress")
	}
	return args
}

// run kills a run, and checks what is left. A run that was over before is begun anew.
func (k *killTry) run(t *testing.T, number int) error {
	const cleaning = writeStage - 1
	scenario, aims := killSimulated, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, writeStage}
	// Here there is something to clean up, which is soon over: it is missed more often than not.
	if number%2 == 1 {
		scenario, aims = killReal, []int{cleaning, 0, 1, 2, 3, cleaning, 4, 5, 6, cleaning, 7, 8,
			writeStage}
	}
	// Each kind meets each aim: there is an even number of these.
	k.kind = []string{plainRun, compressedRun, plainRun, resumedRun}[(number/2+number/20)%4]
	if k.kind == compressedRun {
		aims = []int{writeStage, 1, writeStage, writeStage, 5, writeStage, 8}
	}
	for hit := false; !hit; {
		dir := t.TempDir()
		defer os.RemoveAll(dir)
		k.killedRun = newKilledRun(dir, scenario)
		begun, err := k.beginKind()
		if err != nil {
			return err
		}
		if !begun {
			continue
		}
		if hit, err = k.inject(aims[number/2%len(aims)]); err != nil {
			return err
		}
		// One that has ended can be sent a signal until somebody has asked for its exit code.
		if code, _ := k.wait(); k.signals[coordinatorName] == "KILL" && code != killedCode {
			hit = false
		}
	}
	defer func() {
		for _, pid := range k.processes() {
			_ = signalProcess(pid, "KILL")
		}
	}()
	if err := k.check(); err != nil {
		log, _ := os.ReadFile(filepath.Join(k.out, rundir.LogFile))
		return fmt.Errorf("%w\nhubbench: %s\nrun.log: %s", err, k.said, log)
	}
	return nil
}

// inject waits for a stage and a random part of the time that it takes, and ends one or two of the
// processes that live then. It is false if none did.
func (k *killTry) inject(stage int) (bool, error) {
	for k.running() && k.at.now() < stage {
		time.Sleep(100 * time.Microsecond) // some stages take no longer than a millisecond
	}
	delay := time.NewTimer(time.Duration(k.random.Float64() * float64(k.long[k.scenario][stage])))
	defer delay.Stop()
	select {
	case <-k.ended:
		return false, nil
	case <-delay.C:
	}
	living := k.processes()
	names := []string{coordinatorName}
	for name := range living {
		names = append(names, name)
	}
	slices.Sort(names)
	k.random.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	all := len(names)
	names = names[:min(len(names), []int{1, 1, 2, 2, len(names)}[k.random.IntN(5)])]
	together := killSignals[k.random.IntN(len(killSignals))] // a terminal's end, or a power cut
	k.stage, k.signals = stageName(k.at.now()), map[string]string{}
	var said []string
	for _, name := range names {
		signal := killSignals[k.random.IntN(len(killSignals))]
		if len(names) == all {
			signal = together
		}
		if runtime.GOOS == "windows" && name != coordinatorName {
			signal = "KILL"
		}
		var err error
		if name == coordinatorName {
			err = k.send(signal)
		} else {
			err = signalProcess(living[name], signal)
		}
		if errors.Is(err, os.ErrProcessDone) {
			continue // it was quicker
		}
		if err != nil {
			return false, err
		}
		k.signals[name] = signal
		if name == "A" || name == "C" {
			name = "worker"
		}
		said = append(said, name+" "+signal)
	}
	k.spared = len(names) < all
	slices.Sort(said)
	k.victims = strings.Join(said, " and ")
	if len(said) > 2 {
		k.victims = "all"
	}
	return len(said) > 0, nil
}

// processes are those that the run has started and that live, by disk, and the clean-up process.
func (r *killedRun) processes() map[string]int {
	log, _ := os.ReadFile(filepath.Join(r.out, rundir.LogFile)) // none yet: none were started
	pids := started(log)
	maps.DeleteFunc(pids, func(_ string, pid int) bool { return !alive(pid) })
	return pids
}
