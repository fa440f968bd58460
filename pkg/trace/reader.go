package trace

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/hubbench/hubbench/pkg/latency"
)

// MaxLine is the longest line a Reader takes, in bytes.
const MaxLine = 16 << 20

// maxNS bounds times, so that no difference of two overflows.
const maxNS = 1 << 60

// FormatVersion is the version of events.jsonl that this package writes and fully knows.
const FormatVersion = 1

// Reader reads events one at a time, in the manner of bufio.Scanner:
//
//	for r.Next() {
//		use(r.Event())
//	}
//	if err := r.Err(); err != nil { ... }
//
// It holds one line at a time, whatever the length of the trace.
type Reader struct {
	in       *bufio.Reader
	name     string
	long     []byte // a line longer than in's buffer
	line     int
	offset   int64 // bytes read
	event    Event
	hist     latency.Counts // of the last latency line
	decoder  decoder
	unknown  int
	err      error
	warnings []string
}

// NewReader returns a Reader of r; name stands for the input in errors ("events.jsonl:17: ...").
func NewReader(r io.Reader, name string) *Reader {
	return &Reader{in: bufio.NewReaderSize(r, 256<<10), name: name, decoder: decoder{names: map[string]string{}}}
}

// Event is the event that the last call of Next read. It is overwritten by the next.
func (r *Reader) Event() *Event { return &r.event }

// Hist is what the histogram of the last latency line says.
func (r *Reader) Hist() latency.Counts { return r.hist }

// Offset is how many bytes of the input lie before and in the line of Event.
func (r *Reader) Offset() int64 { return r.offset }

// Err is the first error, nil at a regular end.
func (r *Reader) Err() error { return r.err }

// Warnings are what the reader tolerated so far: a torn last line, lines of unknown types.
func (r *Reader) Warnings() []string {
	if r.unknown == 0 {
		return r.warnings
	}
	return append(slices.Clip(r.warnings),
		fmt.Sprintf("%s: lines of unknown type ignored: %d", r.name, r.unknown))
}

// Next reads up to the next event of a known type. It returns false at the end and at an error.
func (r *Reader) Next() bool {
	for r.err == nil {
		line, whole, err := r.readLine()
		if err != nil {
			if !errors.Is(err, io.EOF) {
				r.err = r.failf("read trace: %w", err)
			}
			return false
		}
		line = bytes.TrimSpace(line)
		if len(line) == 0 {
			continue
		}
		known, err := r.parse(line)
		switch {
		case err == nil && known:
			return true
		case err == nil:
			r.unknown++
		case !whole:
			r.warnings = append(r.warnings, fmt.Sprintf("%s:%d: torn last line dropped (%d bytes)", r.name, r.line, len(line)))
			return false
		default:
			r.err = r.failf("%w", err)
		}
	}
	return false
}

// failf makes an error that names the input and the current line.
func (r *Reader) failf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: "+format, append([]any{r.name, r.line}, args...)...)
}

// readLine returns the next line, and whether a newline ended it. The line is overwritten by the next call.
func (r *Reader) readLine() (line []byte, whole bool, err error) {
	r.line++
	r.long = r.long[:0]
	for {
		part, err := r.in.ReadSlice('\n')
		r.offset += int64(len(part))
		if len(r.long)+len(part) > MaxLine {
			return nil, false, fmt.Errorf("line longer than %d bytes", MaxLine)
		}
		switch {
		case err == nil && len(r.long) == 0:
			return r.dropBOM(part), true, nil
		case err == nil:
			r.long = append(r.long, part...)
			return r.dropBOM(r.long), true, nil
		case errors.Is(err, bufio.ErrBufferFull):
			r.long = append(r.long, part...)
		case errors.Is(err, io.EOF) && len(r.long)+len(part) > 0:
			r.long = append(r.long, part...)
			return r.dropBOM(r.long), false, nil
		default:
			return nil, false, err
		}
	}
}

// dropBOM takes off the byte order mark that some Windows editors put before the first line.
func (r *Reader) dropBOM(line []byte) []byte {
	if r.line == 1 {
		line = bytes.TrimPrefix(line, []byte("\xef\xbb\xbf"))
	}
	return line
}

// parse reads a line into r.event, and says whether its type is a known one.
func (r *Reader) parse(line []byte) (known bool, err error) {
	if known, err = r.decoder.decode(line, &r.event); !known || err != nil {
		return false, err
	}
	err = r.event.check()
	if err == nil && r.event.Type == LatencyType {
		r.hist, err = latency.Parse(r.event.Hist)
	}
	if err != nil {
		return false, fmt.Errorf("bad %s line: %w", r.event.Type, err)
	}
	return true, nil
}

// check refuses events that say too little to be placed. Doubtful numbers pass: they are for the analysis to report.
func (e *Event) check() error {
	switch e.Type {
	case RunType:
		for i, d := range e.Disks {
			if d.Name == "" {
				return fmt.Errorf("disk %d has no name", i+1)
			}
		}
		return nil
	case EndType:
		return nil
	}
	if e.Phase == "" {
		return errors.New(`no "phase"`)
	}
	switch e.Type {
	case PhaseEndType:
		return nil
	case PhaseType:
		for disk, role := range e.Roles {
			if role != Read && role != Write && role != Idle {
				return fmt.Errorf("disk %q: role %q: want read, write or idle", disk, role)
			}
		}
		return nil
	}
	if e.Type == GaugeType && e.Name == "" {
		return errors.New(`no "name"`)
	}
	if e.Disk == "" && e.Type != GaugeType {
		return errors.New(`no "disk"`)
	}
	if max(e.TNS, e.StartNS, e.EndNS) > maxNS || min(e.TNS, e.StartNS, e.EndNS) < -maxNS {
		return errors.New("time more than 36 years from the phase's release: times are nanoseconds since then")
	}
	if max(e.Bytes, -e.Bytes) > maxBytes || e.Bytes == math.MinInt64 {
		return fmt.Errorf("bytes %d: beyond what can be counted", e.Bytes)
	}
	if (e.Type == FileType || e.Type == LatencyType) && e.Op != Read && e.Op != Write {
		return fmt.Errorf("op %q: want read or write", e.Op)
	}
	if e.Type == StreamType && (e.Due < 0 || e.Late < 0 || e.Late > e.Due || e.BufferNS < 0 || e.StallNS < 0) {
		return fmt.Errorf("stream %q: %d frames late of %d, a buffer of %d ns, a stall of %d ns", e.Stream, e.Late, e.Due, e.BufferNS, e.StallNS)
	}
	return nil
}
