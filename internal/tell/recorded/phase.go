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
	type part struct {
		text []byte
		end  int64
	}
	found := make(chan part, 1)
	go func(from int64) { // which a disk that hangs may hold
		if r.Dir.Flush(ctx) == nil {
			text, end := recordedFrom(r.Dir.Root, from)
			found <- part{text, end}
		}
	}(r.From)
	select {
	case now := <-found:
		began := r.From > 0
		r.From = now.end
		return r.judge(phase, now.text, began)
	case <-ctx.Done():
		return 0, nil
	}
}

// recordedFrom is what a run's events hold from a place on, if that is not too much, and its end.
func recordedFrom(run *os.Root, from int64) (text []byte, end int64) {
	file, err := run.Open(rundir.EventsFile)
	if err != nil {
		return nil, from
	}
	defer file.Close()
	stat, err := file.Stat()
	if err != nil {
		return nil, from
	}
	if stat.Size()-from <= maxRecorded {
		text, _ = io.ReadAll(io.NewSectionReader(file, from, stat.Size()-from)) // what is not there is not judged
	}
	return text, stat.Size()
}

// judge returns how long a phase took and what it showed, from what was recorded since the phase before, or since the
// run began.
func (r *Reader) judge(phase string, text []byte, began bool) (took time.Duration, result *analysis.Phase) {
	var head []byte
	if began {
		event := r.Plan.Event("")
		head = trace.AppendEvent(nil, &event)
	}
	run, err := trace.Load(io.MultiReader(bytes.NewReader(head), bytes.NewReader(text)), rundir.EventsFile)
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
		run.Phases = []*trace.Phase{t} // the end of the phase before is here too
		return took, &say.Analyze(run, analysis.Options{}).Phases[0]
	}
	return 0, nil
}
