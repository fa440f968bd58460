package recorded

import (
	"bytes"
	"time"

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Journal records a run's events, and analyses those of a phase when it has ended, before the next
// begins. It is for one goroutine.
type Journal struct {
	*rundir.Live
	Plan  *scenario.Plan
	phase []byte // the events since the end of the phase before
}

// maxRecorded is how much of a phase is analysed while a run waits, in bytes: some tenths of a
// second.
const maxRecorded = 32 << 20

// AppendLines records events, each a line; the lines are its own from then on.
func (j *Journal) AppendLines(lines []byte) error {
	if len(j.phase) <= maxRecorded {
		j.phase = append(j.phase, lines...)
	}
	return j.Live.AppendLines(lines)
}

// Conclude returns how long a phase took and what it showed: nothing if it is too long to say so at
// once.
func (j *Journal) Conclude(phase string) (took time.Duration, result *analysis.PhaseResult) {
	events := j.phase
	j.phase = nil
	if len(events) > maxRecorded {
		return 0, nil
	}
	head := j.Plan.Event("")
	run, err := trace.Load(bytes.NewReader(append(trace.AppendEvent(nil, &head), events...)),
		rundir.EventsFile)
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
		return took, &analysis.Analyze(run, analysis.Options{}).Phases[0]
	}
	return 0, nil
}
