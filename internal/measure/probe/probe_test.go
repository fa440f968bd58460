package probe

import (
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// A disk's speed counts the files that have ended and what has moved of the next.
func TestSpeeds(t *testing.T) {
	var lines journal
	for _, e := range []trace.Event{
		{Type: trace.PhaseType, Phase: "A write", Roles: map[string]trace.Role{"A": trace.Write}},
		{Type: trace.ProgressType, Phase: "A write", Disk: "A", Bytes: 40e6, TNS: 300e6},
		{Type: trace.FileType, Phase: "A write", Disk: "A", Op: trace.Write, Bytes: 50e6,
			StartNS: 1, EndNS: 500e6},
		{Type: trace.ProgressType, Phase: "A write", Disk: "A", Seq: 1, Bytes: 40e6, TNS: 900e6},
		{Type: trace.PhaseEndType, Phase: "A write", Status: trace.Complete},
		{Type: trace.PhaseType, Phase: "A read", Roles: map[string]trace.Role{"A": trace.Read}},
		{Type: trace.ProgressType, Phase: "A read", Disk: "A", Bytes: 70e6, TNS: 700e6},
		{Type: trace.EndType, Status: trace.Complete},
	} {
		check.Must(t, lines.AppendLines(trace.AppendEvent(nil, &e)))
	}
	got, err := speeds(&lines)
	check.Must(t, err)
	check.Same(t, "speeds", map[string]scenario.Speed{"A": {Read: 100e6, Write: 100e6}}, got)
}
