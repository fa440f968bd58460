package hub

import (
	"math"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// worker is a job under way in a simulation: what the worker process is in a run.
type worker struct {
	job      *scenario.Job
	hold     bool
	aim      *scenario.Aim // nil where the job's files are counted beforehand
	files    int           // after which it ends
	seq      int           // the file in transfer
	before   int64         // bytes of the files already ended
	done     int64         // bytes of the file in transfer
	startNS  int64
	sampleNS int64 // of the last progress line, or the file's start
	sampled  int64 // bytes of the file by then
}

func newWorker(phase *scenario.Phase, job *scenario.Job) *worker {
	w := &worker{job: job, hold: phase.Stop == scenario.StopHold, files: len(job.Sizes)}
	if w.hold || phase.Stop == scenario.StopTime || phase.Target > 0 {
		w.files = math.MaxInt
	}
	if phase.Target > 0 {
		w.aim = scenario.NewAim(*job, phase.Target)
	}
	return w
}

// filling reports whether the file in transfer is no part of its work.
func (w *worker) filling() bool { return w.hold && w.seq >= len(w.job.Sizes) }

// next is what the worker asks for next: zero when it has moved all its files.
func (w *worker) next() int64 {
	if w.seq >= w.files {
		return 0
	}
	return min(Stretch, w.job.Size(w.seq)-w.done)
}

// tell fills in what all events of the file in transfer have in common.
func (w *worker) tell(event *trace.Event) {
	*event = trace.Event{Phase: event.Phase, Disk: w.job.Disk, Seq: w.seq, Filler: w.filling()}
}

// granted moves the worker on, and fills in the event where there is one to tell.
func (w *worker) granted(g Grant, event *trace.Event) bool {
	w.done += g.Bytes
	w.tell(event)
	event.Bytes = w.done
	switch {
	case w.done == w.job.Size(w.seq):
		event.Type, event.Op, event.StartNS, event.EndNS = trace.FileType, w.job.Role, w.startNS, g.DoneNS
		w.seq, w.before, w.done, w.startNS = w.seq+1, w.before+w.done, 0, g.DoneNS
		w.sampled, w.sampleNS = 0, g.DoneNS
	case g.DoneNS-w.sampleNS >= SampleNS:
		event.Type, event.TNS, event.Filler = trace.ProgressType, g.DoneNS, false
		w.sampled, w.sampleNS = w.done, g.DoneNS
	default:
		event.Type = ""
		return false
	}
	return true
}

// decided is how many bytes the job comes to in all, where what was just told decides it.
func (w *worker) decided(event *trace.Event) (bytes int64, ok bool) {
	if w.aim == nil || event.Type == "" {
		return 0, false
	}
	n, ok := w.aim.Moved(w.before+w.done, w.sampleNS)
	if !ok {
		return 0, false
	}
	w.files = n
	return w.job.BytesOf(n), true
}
