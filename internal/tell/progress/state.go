package progress

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/unit"
)

// rateOver is how far back the rate shown goes: long enough to be calm, short enough to follow. A disk that has not
// been heard of for as long as silence moves nothing.
const (
	rateOver = 3 * time.Second
	silence  = 2 * time.Second
)

const stopping = "stopping; Ctrl-C again ends at once"

// state is how far a run is.
type state struct {
	plan      *scenario.Plan
	simulated bool
	speedup   float64 // of the simulated hub's clock; 1 for real disks
	stopping  bool

	first    int // phase of this sitting; those before it are done
	begun    bool
	index    int            // of the phase
	current  scenario.Phase // that one, or a try of its search
	limit    float64
	released time.Time
	now      time.Time
	disks    []disk
	highest  float64 // total of the phase so far, bytes per second

	worked   time.Duration // in phases that have ended
	finished int64         // bytes of phases that have ended
}

type disk struct {
	job    scenario.Job
	files  int
	points []point // of the last few seconds
}

type point struct {
	at    time.Time
	bytes int64
}

func (s *state) begin(index int, phase scenario.Phase) {
	if !s.begun {
		s.first, s.begun = index, true
	}
	s.index, s.current, s.released, s.disks, s.limit, s.highest = index, phase, time.Time{}, nil, 0, 0
	for _, job := range s.current.Jobs {
		s.disks = append(s.disks, disk{job: job})
	}
}

func (s *state) release(now time.Time) {
	s.released, s.now = now, now
	for i := range s.disks {
		s.disks[i].points = []point{{at: now}}
	}
}

func (s *state) move(name string, files int, bytes int64, now time.Time) {
	s.now = now
	for i := range s.disks {
		d := &s.disks[i]
		if d.job.Disk != name || len(d.points) == 0 {
			continue
		}
		d.files = files
		for len(d.points) > 1 && now.Sub(d.points[1].at) >= rateOver {
			d.points = d.points[1:]
		}
		d.points = append(d.points, point{now, bytes})
	}
	s.highest = max(s.highest, s.total())
}

func (s *state) end(now time.Time) {
	if !s.released.IsZero() {
		s.worked += now.Sub(s.released)
	}
	s.finished += s.current.Bytes()
}

// moved is what the disk has moved of its work.
func (d *disk) moved() int64 {
	if len(d.points) == 0 {
		return 0
	}
	return d.points[len(d.points)-1].bytes
}

func (s *state) moved() int64 {
	var sum int64
	for i := range s.disks {
		sum += s.disks[i].moved()
	}
	return sum
}

// finished reports whether a disk has moved all its files, and rests.
func (d *disk) finished(s *state) bool {
	p := &s.current
	return p.Limit == 0 && p.Target == 0 && p.Stop != scenario.StopHold && d.files >= d.counted()
}

// counted is how many of the disk's files are measured.
func (d *disk) counted() int { return len(d.job.Sizes) - d.job.IO.Discard }

// rate is a disk's bytes per second, over the last few.
func (s *state) rate(d *disk) float64 {
	if len(d.points) < 2 || d.finished(s) {
		return 0
	}
	first, last := d.points[0], d.points[len(d.points)-1]
	if s.now.Sub(last.at) > silence {
		return 0
	}
	return float64(last.bytes-first.bytes) / last.at.Sub(first.at).Seconds() / s.speedup
}

func (s *state) total() float64 {
	var sum float64
	for i := range s.disks {
		sum += s.rate(&s.disks[i])
	}
	return sum
}

// top is the rate that bars end at: what the hub carries, or the highest total so far.
func (s *state) top() float64 {
	if s.limit > 0 {
		return s.limit
	}
	return s.highest
}

// filesOf is how many files of how many a disk has moved.
func (s *state) filesOf(d *disk) string {
	if phase := &s.current; phase.Target > 0 || phase.Limit > 0 {
		return strconv.Itoa(d.files)
	}
	return fmt.Sprintf("%d of %d", min(d.files, d.counted()), d.counted())
}

// passed is how long the phase has been going on: in the model's time if disks are simulated.
func (s *state) passed(now time.Time) time.Duration {
	return time.Duration(float64(now.Sub(s.released)) * s.speedup)
}

// time writes a time of the phase, and whose it is.
func (s *state) time(d time.Duration) string {
	text := unit.FormatSeconds(d.Seconds())
	if s.simulated {
		text += " of model time"
	}
	return text
}

// times is how long the phase has been going on, and how long the run still will.
func (s *state) times() string {
	text := s.time(s.passed(s.now).Truncate(time.Second))
	if left, known := s.left(); known {
		text += ", about " + unit.FormatSeconds(left.Round(time.Second).Seconds()) + " left in "
		if s.simulated {
			return text + "real time"
		}
		text += "all"
	}
	return text
}

// left is how long the run goes on, by what was measured so far: by the pace of the whole run. It is not known before
// a hundredth of the work is done, nor if phases end by other rules than by work.
func (s *state) left() (time.Duration, bool) {
	var total, done int64
	for i := range s.plan.Phases[s.first:] {
		p := &s.plan.Phases[s.first+i]
		if p.Stop == scenario.StopTime || p.Target > 0 || p.Search != nil {
			return 0, false
		}
		total += p.Bytes()
	}
	done = s.finished
	for i := range s.disks {
		if d := &s.disks[i]; !d.job.Accompanies() {
			done += min(d.moved(), d.job.Bytes())
		}
	}
	if done < total/100 || done == 0 {
		return 0, false
	}
	spent := s.worked + s.now.Sub(s.released)
	left := time.Duration(float64(spent) * float64(total-done) / float64(done))
	for i := range s.plan.Phases[s.index+1:] {
		if p := &s.plan.Phases[s.index+1+i]; !p.UntilIdle {
			left += s.real(p.Cooldown)
		}
	}
	return left, true
}

// longCooldown is one that needs a message, or the run would seem to hang.
const longCooldown = 2 * time.Second

// cooldown says that the next phase waits; empty if it does not, or not for long.
func (s *state) cooldown() string {
	if s.index+1 == len(s.plan.Phases) {
		return ""
	}
	return s.cooldownBefore(&s.plan.Phases[s.index+1])
}

func (s *state) cooldownBefore(next *scenario.Phase) string {
	wait := unit.FormatSeconds(s.real(next.Cooldown).Seconds())
	switch {
	case s.real(next.Cooldown) < longCooldown:
		return ""
	case next.UntilIdle:
		return "next after a cooldown until the disks are idle, at most " + wait
	default:
		return "next after a cooldown of " + wait
	}
}

// real is how long a time of the plan takes on the clock.
func (s *state) real(d time.Duration) time.Duration { return time.Duration(float64(d) / s.speedup) }

// scale is one unit for all the numbers of a column.
type scale struct {
	unit     string
	size     float64
	decimals int
}

// scaleOf is the scale for numbers up to the greatest.
func scaleOf(greatest float64, of string) scale {
	switch {
	case greatest >= 1e9:
		return scale{"G" + of, 1e9, 2}
	case greatest >= 100e6:
		return scale{"M" + of, 1e6, 0}
	case greatest >= 1e6:
		return scale{"M" + of, 1e6, 1}
	default:
		return scale{"K" + of, 1e3, 0}
	}
}

func (s scale) number(v float64) string {
	return strconv.FormatFloat(math.Abs(v)/s.size, 'f', s.decimals, 64)
}
