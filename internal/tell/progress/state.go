package progress

import (
	"fmt"
	"strings"
	"time"

	"github.com/hubbench/hubbench/internal/measure/life"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/unit"
	"github.com/hubbench/hubbench/pkg/work"
)

const (
	// rateOver is how far back the shown rate goes: long enough to be calm, short enough to follow.
	rateOver = 3 * time.Second
	// A disk that has not been heard of for that long moves nothing.
	silence = 2 * time.Second
	// firstRate is how long a phase goes on before a rate is shown: the first bytes of a disk come
	// out of caches, and the first report comes at any time. A simulated phase may be over soon:
	// it needs that much of its own time, and minSpan on the clock.
	firstRate = time.Second
	minSpan   = 400 * time.Millisecond
	// columnOver is how long one column of a sparkline stands for.
	columnOver = 2500 * time.Millisecond
	// longCooldown is one that is announced.
	longCooldown = 2 * time.Second
)

const stopping = "stopping; Ctrl-C again ends at once"

// state is how far a run is.
type state struct {
	plan     *scenario.Plan
	costs    []cost  // costs are by phase.
	toWrite  int64   // toWrite is in bytes, for all phases of this sitting; 0 if not exactly known.
	speedup  float64 // speedup is that of the simulated hub's clock; 1 for real disks.
	stopping bool

	now, began time.Time
	index      int // index is the phase's.
	triesDone  int // triesDone counts the tries of its search.

	life    life.State
	inPhase bool           // Between phases there is nothing to draw.
	cooling bool           // cooling says that the phase's disks rest before they get ready.
	current scenario.Phase // current is that phase, or a try of its search.
	since   time.Time      // since is when the disks began to rest, to get ready or to move.
	disks   []disk

	baselines            []baseline
	soFar                string // soFar is what the latest phase showed.
	warnings             []string
	written              float64       // written is in bytes, for all disks in this sitting.
	movedPlan, movedTime time.Duration // See moved.
}

type disk struct {
	index    int // index is in the plan.
	job      scenario.Job
	work     work.Work
	prepared int64
	before   int64 // before is bytes to prepare.
	points   []point
	columns  []float64 // columns are the rates of the sparkline.
	baseline float64   // baseline is bytes per second; 0: not known.
}

type point struct {
	at    time.Time
	bytes int64
}

// baseline is the rate of a disk that worked alone.
type baseline struct {
	disk, connection string
	work             work.Work
	rate             float64
}

// newState is the state before the first phase of a sitting. What earlier sittings wrote is gone.
func newState(plan *scenario.Plan, done int, volumes map[string]scenario.Volume) state {
	s := state{plan: plan, speedup: 1}
	rest := *plan
	rest.Phases = plan.Phases[done:]
	if plan.Simulated() {
		s.speedup = plan.Hub.Speedup
	}
	for i := range plan.Phases {
		s.costs = append(s.costs, costOf(&plan.Phases[i]))
	}
	for _, d := range plan.Disks {
		for i, stock := range rest.Stock(d.Name) {
			if plan.Simulated() { // There are no files.
				s.toWrite -= stock.Before
			} else {
				s.costs[done+i].before[d.Name] = stock.Before
			}
		}
		for i, bytes := range rest.Fillings(d.Name, volumes[d.Name]) {
			s.costs[done+i].before[d.Name] += bytes
			s.toWrite += bytes
		}
	}
	exact := true
	for _, total := range rest.Totals() {
		s.toWrite += total.Written
		exact = exact && total.Bound == scenario.Exact
	}
	if !exact {
		s.toWrite = 0
	}
	return s
}

// begin begins a phase, or goes on from its cooldown to its preparation.
func (s *state) begin(index int, phase scenario.Phase, coolsDown bool) {
	if s.began.IsZero() {
		s.began = s.now
	}
	if index != s.index {
		s.triesDone = 0
	}
	s.index, s.current, s.since, s.disks = index, phase, s.now, nil
	s.inPhase = true
	s.cooling = coolsDown
	works := phase.Works()
	for _, job := range phase.Jobs {
		d := disk{job: job, work: works[job.Disk], before: s.costs[index].before[job.Disk]}
		for s.plan.Disks[d.index].Name != job.Disk {
			d.index++
		}
		for _, b := range s.baselines {
			sameDisk := b.disk == job.Disk && b.connection == phase.Connections[job.Disk]
			if sameDisk && b.work.Same(d.work) {
				d.baseline = b.rate
			}
		}
		s.disks = append(s.disks, d)
	}
}

func (s *state) disk(name string) *disk {
	for i := range s.disks {
		if s.disks[i].job.Disk == name {
			return &s.disks[i]
		}
	}
	return &disk{}
}

func (s *state) prepared(name string, bytes int64) {
	d := s.disk(name)
	s.written += float64(bytes - d.prepared)
	d.prepared = bytes
}

// enter goes on to a state of the run.
func (s *state) enter(to life.State) {
	if to == life.Released {
		planned, took := s.moved()
		s.movedPlan += planned
		s.movedTime += took
		s.since = s.now
		clear(s.costs[s.index].before) // The files are there, for all tries of a search.
		for i := range s.disks {
			s.disks[i].points = []point{{at: s.now}}
		}
	}
	s.life = to
}

// works reports whether the phase's disks move what is measured.
func (s *state) works() bool { return s.life == life.Released || s.life == life.Measuring }

func (s *state) move(name string, bytes int64) {
	d := s.disk(name)
	if len(d.points) == 0 { // It is not released yet.
		return
	}
	s.written += float64(bytes-d.moved()) * d.job.Writes()
	for len(d.points) > 1 && s.now.Sub(d.points[1].at) >= rateOver {
		d.points = d.points[1:]
	}
	d.points = append(d.points, point{s.now, bytes})
	for time.Duration(len(d.columns)+1)*columnOver <= s.passed() {
		d.columns = append(d.columns, s.rate(d))
	}
}

// conclude takes what was recorded of the phase: its rates, or else those of what was seen of it.
// It returns the line that a log has of them.
func (s *state) conclude(took time.Duration, result *analysis.PhaseResult) string {
	if took == 0 {
		took = s.passed()
	}
	sum := 0.0
	rates := make([]float64, len(s.disks))
	for i := range s.disks {
		d := &s.disks[i]
		rates[i] = float64(d.moved()) / took.Seconds()
		if result != nil && result.Overlap != nil {
			rates[i] = result.Overlap.Disks[d.job.Disk].Rate
		}
		sum += rates[i]
	}
	scale := unit.ScaleFor(sum)
	var texts []string
	for i := range s.disks {
		texts = append(texts, s.disks[i].job.Disk+" "+scale.Number(rates[i]))
	}
	if len(s.disks) > 1 {
		texts = append(texts, "together "+scale.Number(sum))
	} else if sum > 0 {
		d := &s.disks[0]
		alone := baseline{d.job.Disk, s.current.Connections[d.job.Disk], d.work, sum}
		s.baselines = append(s.baselines, alone)
	}
	text := strings.Join(texts, "  ") + " " + scale.Unit
	return s.heading() + "   " + text + "   " + seconds(took) + s.model()
}

func (s *state) end() {
	// All of it counts, whatever was reported last.
	if c := s.costs[s.index]; s.works() && c.move > 0 {
		s.movedPlan += c.move
		s.movedTime += s.passed()
	}
	s.inPhase, s.disks, s.warnings = false, nil, nil
}

// moved is what the disk has moved of its work.
func (d *disk) moved() int64 {
	if len(d.points) == 0 {
		return 0
	}
	return d.points[len(d.points)-1].bytes
}

// rate is a disk's bytes per second over the last few. It is 0 if the disk waits, has finished, or
// has not worked for long enough.
func (s *state) rate(d *disk) float64 {
	if s.passed() < firstRate || len(d.points) < 2 {
		return 0
	}
	first, last := d.points[0], d.points[len(d.points)-1]
	span := last.at.Sub(first.at)
	if span < minSpan || s.now.Sub(last.at) > silence {
		return 0
	}
	return float64(last.bytes-first.bytes) / span.Seconds() / s.speedup
}

// passed is how long the stage has been going on, in the model's time if disks are simulated.
func (s *state) passed() time.Duration {
	return time.Duration(float64(s.now.Sub(s.since)) * s.speedup)
}

// heading is the phase as a log has it.
func (s *state) heading() string {
	return fmt.Sprintf("[%d/%d] %s", s.index+1, len(s.plan.Phases), s.current.Label())
}

// model says whose a time of the phase is.
func (s *state) model() string {
	if s.plan.Simulated() {
		return " of model time"
	}
	return ""
}

// stateText says in which state the run is, how far it is, and what comes next.
func (s *state) stateText() string {
	var detail string
	switch {
	case s.life == life.Cleaning:
		detail = "disks end their requests, test files are removed"
	case s.cooling:
		detail = s.coolingText()
	case s.life == life.GettingReady:
		detail = s.preparingText()
	default:
		detail = s.measuringText()
	}
	if detail == "" {
		return string(s.life)
	}
	return string(s.life) + ": " + detail
}

// coolingText says how long the disks have been resting.
func (s *state) coolingText() string {
	passed, rest := seconds(s.passed().Truncate(time.Second)), seconds(s.current.Cooldown)
	if s.current.UntilIdle {
		return "cooling down until idle, " + passed + ", at most " + rest
	}
	return "cooling down, " + outOf(passed, " of ", rest) + s.model()
}

// preparingText says how much of the files that are to be read is written; nothing if all is.
func (s *state) preparingText() string {
	var done, all int64
	for i := range s.disks {
		done += min(s.disks[i].prepared, s.disks[i].before)
		all += s.disks[i].before
	}
	if done == all {
		return ""
	}
	written := outOf(unit.FormatBytes(done), " of ", unit.FormatBytes(all))
	return written + " of files for " + s.current.Who()
}

// measuringText says how far the phase is, and what comes next.
func (s *state) measuringText() string {
	phase := &s.current
	passed := s.passed().Truncate(time.Second)
	text := seconds(passed)
	timed := max(phase.Limit, phase.Target)
	if phase.Steady > 0 {
		text += " until steady, at most " + seconds(phase.Limit)
	} else if timed > 0 {
		text = outOf(seconds(min(passed, timed)), " of ", seconds(timed))
	} else if share := s.share(); share > 0 && s.passed() >= firstRate {
		all := time.Duration(float64(s.passed()) / share).Round(time.Second)
		text = outOf(text, " of about ", seconds(all))
	}
	text += s.model()
	c := s.costs[s.index]
	next := s.index + 1
	if phase.Try != nil {
		text += fmt.Sprintf(", try %d of at most %d", s.triesDone+1, s.triesDone+c.tries)
	}
	if c.tries > 1 {
		next = s.index
	}
	if next == len(s.costs) || s.costs[next].rest < longCooldown {
		return text
	}
	text += ", then "
	if s.plan.Phases[next].UntilIdle {
		text += "at most "
	}
	return text + seconds(s.costs[next].rest) + " rest"
}

func seconds(d time.Duration) string { return unit.FormatSeconds(d.Seconds()) }

// outOf writes a part and the whole, with the unit of both once: "12 of 20 s".
func outOf(part, of, whole string) string {
	figure, partUnit, _ := strings.Cut(part, " ")
	if _, wholeUnit, _ := strings.Cut(whole, " "); wholeUnit == partUnit {
		return figure + of + whole
	}
	return part + of + whole
}

// writing says how much has been written, and of how much if that is exact.
func (s *state) writing() string {
	done := unit.FormatBytes(int64(s.written))
	if s.toWrite == 0 {
		return done
	}
	return outOf(done, " of ", unit.FormatBytes(s.toWrite))
}
