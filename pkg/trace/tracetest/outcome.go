package tracetest

import (
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Outcomes is the result of each stream.
type Outcomes map[StreamOf]*stream.Outcome

// StreamOf is a stream of a disk. An engine, which has one disk, leaves the disk empty.
type StreamOf struct{ Disk, Stream string }

// Add takes a sample of a stream. Other events are passed over.
func (o Outcomes) Add(e *trace.Event) {
	if e.Type != trace.StreamType {
		return
	}
	at := StreamOf{e.Disk, e.Stream}
	if o[at] == nil {
		o[at] = &stream.Outcome{}
	}
	o[at].Add(e.StreamSample())
}
