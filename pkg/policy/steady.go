package policy

import (
	"time"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/stats"
	"github.com/hubbench/hubbench/pkg/trace"
)

// windows are the rates of a job in windows of one length from the release on, by which it is known when the job has
// become steady (see stats.Steady).
type windows struct {
	length int64 // nanoseconds
	fall   bool  // steady counts only after a fall
	last   point // the latest known
	bytes  float64
	rates  []float64
	steady []int // windows at whose end the job was steady, not yet reported
}

func newWindows(length time.Duration, fall bool) *windows {
	return &windows{length: length.Nanoseconds(), fall: fall}
}

// moved notes that the job has moved that many bytes in all by tNS.
func (w *windows) moved(bytes, tNS int64) {
	now := point{tNS, float64(bytes)}
	for end := int64(len(w.rates)+1) * w.length; now.ns >= end; end += w.length {
		at := between(w.last, now, end).bytes
		w.rates = append(w.rates, (at-w.bytes)/float64(w.length)*1e9)
		w.bytes = at
		if w.settled() {
			w.steady = append(w.steady, len(w.rates))
		}
	}
	w.last = now
}

func (w *windows) settled() bool {
	since, ok := stats.Steady(w.rates)
	return ok && (!w.fall || stats.Fell(w.rates, since))
}

// Settled returns, each one once, the windows at whose ends the job was steady, counted from 1.
func (j *Job) Settled() (window int, ok bool) {
	if j.windows == nil || len(j.windows.steady) == 0 {
		return 0, false
	}
	window, j.windows.steady = j.windows.steady[0], j.windows.steady[1:]
	return window, true
}

// Settling knows when all jobs of a phase are steady at once.
type Settling struct {
	jobs   int
	window int64
	steady map[int]int // jobs by window
}

// NewSettling begins a phase. In one that does not wait for steady rates nothing is ever settled.
func NewSettling(phase *scenario.Phase) Settling {
	s := Settling{window: phase.Steady.Nanoseconds(), steady: map[int]int{}}
	for _, j := range phase.Jobs {
		if !j.Accompanies() {
			s.jobs++
		}
	}
	return s
}

// Add notes that one more job was steady at the end of a window. It reports whether all are, and when all jobs end then:
// half a window later, so that on a simulated hub all have been notified.
func (s *Settling) Add(window int) (endNS int64, all bool) {
	s.steady[window]++
	return int64(window)*s.window + s.window/2, s.steady[window] == s.jobs
}

// settles reports whether the job is one whose rates are waited for, and whether they must have fallen before: a full
// cache slows writing.
func (p Policy) settles(job *scenario.Job) (yes, fall bool) {
	return p.Steady > 0 && !job.Accompanies(), p.AfterFall && job.Role == trace.Write
}
