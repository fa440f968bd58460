package policy

import (
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Both divides an event of a job that reads and writes at once into what it read and what it wrote, of which read bytes
// were read: in a trace, the file k of such a job is two, 2k of what was read and 2k+1 of what was written.
func Both(e trace.Event, read int64) (reads, writes trace.Event) {
	reads, writes = e, e
	reads.Seq, writes.Seq = 2*e.Seq, 2*e.Seq+1
	reads.Bytes, writes.Bytes = read, e.Bytes-read
	if e.Type == trace.FileType {
		reads.Op, writes.Op = trace.Read, trace.Write
	}
	return reads, writes
}

// ReadOf is how much of the bytes that a simulated job has moved was read: the model moves both directions side by side.
func ReadOf(job *scenario.Job, bytes int64) int64 { return int64(job.Reads * float64(bytes)) }
