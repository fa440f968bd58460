package advise

import (
	"fmt"
	"time"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Request is a question as the flags of hubbench advise have it, each list under the flag's name.
type Request struct {
	Play, Record               []string
	Write, Read, Probe, Direct []string
	Pace, Disk                 []string
	For, Buffer                string
	Seed                       uint64
}

// Question returns the question, and the profile with the disks of data sheets. An error is a
// mistake in the request.
func (r *Request) Question(profile *hub.Profile) (q Question, with *hub.Profile, err error) {
	for _, text := range r.Disk {
		disk, err := ParseDisk(text)
		if err == nil {
			profile, err = WithDisk(profile, disk)
		}
		if err != nil {
			return q, nil, fmt.Errorf("--disk: %w", err)
		}
	}
	q.Seed = r.Seed
	if q.For, err = unit.ParseDuration(r.For); err != nil {
		return q, nil, fmt.Errorf("--for: %w", err)
	}
	buffer, err := unit.ParseDuration(r.Buffer)
	if err != nil {
		return q, nil, fmt.Errorf("--buffer: %w", err)
	}
	if err := q.addStreams(trace.Read, r.Play, buffer); err != nil {
		return q, nil, fmt.Errorf("--play: %w", err)
	}
	if err := q.addStreams(trace.Write, r.Record, buffer); err != nil {
		return q, nil, fmt.Errorf("--record: %w", err)
	}
	q.addFiles(r.Write, Part{Op: trace.Write})
	q.addFiles(r.Read, Part{Op: trace.Read})
	q.addFiles(r.Probe, Part{Op: trace.Read, Probe: true})
	for _, text := range r.Pace {
		disk, rate, err := ParsePace(text)
		if err != nil {
			return q, nil, fmt.Errorf("--pace: %w", err)
		}
		part := q.Part(disk)
		if part == nil || len(part.Streams) > 0 || part.Probe {
			return q, nil, fmt.Errorf("--pace %s: disk %s moves no files here; add --write %s, "+
				"or leave the pace out", text, disk, disk)
		}
		part.Pace = rate
	}
	for _, disk := range r.Direct {
		part := q.Part(disk)
		if part == nil {
			return q, nil, fmt.Errorf("--direct %s: disk %s does nothing here; say what it does, "+
				"such as --write %s", disk, disk, disk)
		}
		part.OwnPort = true
	}
	return q, profile, q.Check(profile)
}

// addFiles adds disks that all move files in the same way.
func (q *Question) addFiles(disks []string, part Part) {
	for _, disk := range disks {
		part.Disk = disk
		q.Parts = append(q.Parts, part)
	}
}

// addStreams adds what disks play or record.
func (q *Question) addStreams(op trace.Role, texts []string, buffer time.Duration) error {
	for _, text := range texts {
		disk, spec, err := ParseStreams(text, op == trace.Write, buffer)
		if err != nil {
			return err
		}
		if part := q.Part(disk); part != nil && part.Op == op {
			part.Streams = append(part.Streams, spec)
			continue
		}
		q.Parts = append(q.Parts, Part{Disk: disk, Op: op, Streams: []stream.Spec{spec}})
	}
	return nil
}
