// Package probe measures how fast disks are, each alone and for a second in each direction, so that
// a scenario can be made that fits them. It is a run like any other, with workers and test files,
// but keeps no record. Start at [Plan], then [Speeds]; [Run] is for other short runs.
package probe

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"time"

	"go.uber.org/zap"

	"github.com/hubbench/hubbench/internal/measure/coordinator"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

const (
	// Each is how long each disk writes, and then reads.
	Each = time.Second
	// Space is what the test files take on each disk, in bytes: two of them.
	Space = 2 * fileSize

	fileSize = 64 << 20
	block    = 8 << 20
	depth    = 4
)

// Plan returns what is measured of the disks.
func Plan(disks []scenario.Disk) *scenario.Plan {
	plan := &scenario.Plan{Name: "speed", Disks: disks}
	for _, disk := range disks {
		for _, role := range []trace.Role{trace.Write, trace.Read} {
			files := []int64{fileSize, fileSize}
			if role == trace.Read { // a slow disk has written no more by then
				files = files[:1]
			}
			plan.Phases = append(plan.Phases, scenario.Phase{
				Name: disk.Name + " " + string(role), Roles: map[string]trace.Role{disk.Name: role},
				Stop: scenario.StopTime, Limit: Each,
				Jobs: []scenario.Job{{Disk: disk.Name, Role: role, Sizes: files, Seed: 1,
					IO: scenario.IO{
						Mode: scenario.ModeDirect, Block: block, Depth: depth,
						Flush:  scenario.FlushNone,
						Verify: scenario.VerifyOff, Preallocate: true,
					}}},
			})
		}
	}
	return plan
}

// Speeds carries out the plan that the options name, and returns each disk's speed.
func Speeds(ctx context.Context, opts coordinator.Options) (map[string]scenario.Speed, error) {
	events, err := Run(ctx, opts)
	if err != nil {
		return nil, err
	}
	return speeds(events)
}

// Run carries out the plan that the options name, and returns its events. The options say how to
// start processes and when to end; the rest is set here.
func Run(ctx context.Context, opts coordinator.Options) (events io.Reader, err error) {
	var lines journal
	opts.Journal, opts.WorkerLog, opts.Log = &lines, io.Discard, zap.NewNop()
	opts.Modes = func(string, map[string]trace.Effective) {}
	out, err := coordinator.Run(ctx, opts)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, err
	case len(out.Failures) > 0:
		return nil, fmt.Errorf("measure: %s", out.Failures[0])
	}
	return &lines, nil
}

// journal keeps the events, which are those of a few seconds.
type journal struct{ bytes.Buffer }

// AppendLines takes events.
func (j *journal) AppendLines(lines []byte) error {
	_, err := j.Write(lines)
	return err
}

// speeds returns what each disk moved in each direction by its last event, divided by the time.
func speeds(lines io.Reader) (map[string]scenario.Speed, error) {
	speeds := map[string]scenario.Speed{}
	roles := map[string]trace.Role{}
	var ended int64 // bytes of the phase's files that have ended
	events := trace.NewReader(lines, "the measurement of the disks' speed")
	for events.Next() {
		e := events.Event()
		moved := ended + e.Bytes
		atNS := e.TNS
		switch e.Type {
		case trace.PhaseType:
			ended = 0
			roles = e.Roles
			continue
		case trace.FileType:
			ended = moved
			atNS = e.EndNS
		case trace.ProgressType:
		default:
			continue
		}
		speed, rate := speeds[e.Disk], float64(moved)/(float64(max(1, atNS))/float64(time.Second))
		if roles[e.Disk] == trace.Write {
			speed.Write = rate
		} else {
			speed.Read = rate
		}
		speeds[e.Disk] = speed
	}
	return speeds, events.Err()
}
