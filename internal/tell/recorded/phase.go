package recorded

import (
	"bytes"
	"context"
	"io"
	"os"
	"time"

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/say"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Reader reads what was recorded of a phase when it has ended, before the next begins.
type Reader struct {
	Dir  *rundir.Live
	Plan *scenario.Plan
	From int64 // where the phase begins
}

// maxRecorded is how much of a phase is analysed while a run waits, in bytes: some tenths of a second.
const maxRecorded = 32 << 20

// concludeTimeout is how long a run waits for what was recorded of a phase.
const concludeTimeout = 3 * time.Second

// Conclude returns how long a phase took and what it showed: nothing if that cannot be had at once.
func (r *Reader) Conclude(phase string) (took time.Duration, result *analysis.Phase) {
	ctx, cancel := context.WithTimeout(context.Background(), concludeTimeout)
	defer cancel()
	found := make(chan recording, 1)
	go func(from int64) { // A disk that hangs may hold it.
		if r.Dir.Flush(ctx) == nil {
			found <- recordedFrom(r.Dir.Root, from)
		}
	}(r.From)
	select {
	case now := <-found:
		var head []byte
		if r.From > 0 {
			event := r.Plan.Event("")
			head = trace.AppendEvent(nil, &event)
		}
		r.From = now.end
		return conclude(phase, append(head, now.events...))
	case <-ctx.Done():
		return 0, nil
	}
}

// recording is a part of a run's events, and where it ends.
type recording struct {
	events []byte
	end    int64
}

// recordedFrom is what a run's events hold from a place on; empty if that is too much, or cannot be read.
func recordedFrom(run *os.Root, from int64) recording {
	file, err := run.Open(rundir.EventsFile)
	if err != nil {
		return recording{end: from}
	}
	defer file.Close()
	end, err := file.Seek(0, io.SeekEnd)
	if err != nil || end-from > maxRecorded {
		return recording{end: max(from, end)}
	}
	events := make([]byte, max(0, end-from))
	n, _ := file.ReadAt(events, from)
	return recording{events[:n], end}
}

// conclude returns how long a phase took and what it showed, by the events of it and of what was before it.
func conclude(phase string, events []byte) (took time.Duration, result *analysis.Phase) {
	run, err := trace.Load(bytes.NewReader(events), rundir.EventsFile)
	if err != nil {
		return 0, nil
	}
	for _, t := range run.Phases {
		if t.Name != phase {
			continue
		}
		for _, d := range t.Disks {
			for i := range d.Files {
				took = max(took, time.Duration(d.Files[i].EndNS))
			}
		}
		run.Phases = []*trace.Phase{t}
		return took, &say.Analyze(run, analysis.Options{}).Phases[0]
	}
	return 0, nil
}
