package progress

import (
	"time"

	"github.com/hubbench/hubbench/pkg/scenario"
)

// rateOver is how far back the rate shown goes: long enough to be calm, short enough to follow.
const rateOver = 3 * time.Second

// state is how far a run is.
type state struct {
	plan    *scenario.Plan
	speedup float64 // of the simulated hub's clock; 1 for real disks

	index    int // of the phase
	released time.Time
	now      time.Time
	disks    []disk

	worked   time.Duration // in phases that have ended
	finished int64         // bytes of phases that have ended
}

// disk is how far a job is.
type disk struct {
	job    scenario.Job
	files  int
	points []point // of the last few seconds
}

// point is what a disk had moved at a time.
type point struct {
	at    time.Time
	bytes int64
}

func (s *state) phase() *scenario.Phase { return &s.plan.Phases[s.index] }

func (s *state) begin(index int) {
	s.index, s.released, s.disks = index, time.Time{}, nil
	for _, job := range s.phase().Jobs {
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
}

func (s *state) end(now time.Time) {
	if !s.released.IsZero() {
		s.worked += now.Sub(s.released)
	}
	s.finished += s.phase().Bytes()
}

// moved is what the disk has moved of its work.
func (d *disk) moved() int64 {
	if len(d.points) == 0 {
		return 0
	}
	return d.points[len(d.points)-1].bytes
}

// rate is bytes per second, of the last few.
func (d *disk) rate(speedup float64) float64 {
	if len(d.points) < 2 {
		return 0
	}
	first, last := d.points[0], d.points[len(d.points)-1]
	return float64(last.bytes-first.bytes) / last.at.Sub(first.at).Seconds() / speedup
}

// share is the disk's part of what all move now.
func (s *state) share(d *disk) float64 {
	var sum float64
	for i := range s.disks {
		sum += s.disks[i].rate(s.speedup)
	}
	if sum == 0 {
		return 0
	}
	return d.rate(s.speedup) / sum
}

// left is how long the run goes on, by what was measured so far: by the pace of the whole run. It is not known before
// a hundredth of the work is done, nor where phases end by other rules than by work.
func (s *state) left() (time.Duration, bool) {
	var total, done int64
	for i := range s.plan.Phases {
		p := &s.plan.Phases[i]
		if p.Stop == scenario.StopTime || p.Target > 0 {
			return 0, false
		}
		total += p.Bytes()
	}
	done = s.finished
	for i := range s.disks {
		done += min(s.disks[i].moved(), s.disks[i].job.Bytes())
	}
	if done < total/100 || done == 0 {
		return 0, false
	}
	spent := s.worked + s.now.Sub(s.released)
	return time.Duration(float64(spent) * float64(total-done) / float64(done)), true
}
