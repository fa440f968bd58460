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

const (
	// FormatVersion is the version of events.jsonl that this package writes and fully knows.
	FormatVersion = 1
	// MaxLine is the longest line a Reader takes, in bytes.
	MaxLine = 16 << 20
	// maxNS bounds times, so that no difference of two overflows.
	maxNS = 1 << 60
	// readSize is how many bytes are read at once.
	readSize = 64 << 10
)

// Reader reads events one at a time, in the manner of bufio.Scanner:
//
//	for r.Next() {
//		use(r.Event())
//	}
//	if err := r.Err(); err != nil { ... }
//
// It holds one line of the trace at a time, whatever its length.
type Reader struct {
	in      *bufio.Reader
	name    string
	text    []byte // the last line
	line    int    // its number, from 1
	offset  int64  // of its end
	event   Event
	hist    latency.Counts // of a latency line
	decoder decoder
	hists   latency.Parser

	over     bool
	err      error
	unknown  int
	warnings []string
}

// NewReader returns a Reader of r; name stands for the input in errors ("events.jsonl:17: ...").
func NewReader(r io.Reader, name string) *Reader {
	return &Reader{in: bufio.NewReaderSize(r, readSize), name: name, decoder: decoder{names: map[string]string{}}}
}

// Event is the event that the last call of Next read. It is overwritten by a later one, and empty after the last.
func (r *Reader) Event() *Event { return &r.event }

// Hist is what the histogram of the last latency line says.
func (r *Reader) Hist() latency.Counts { return r.hist }

// Offset is how many bytes of the input lie before and in the line of Event; after the last event, all that were read.
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
	for !r.over {
		err := r.readLine()
		r.over = err != nil
		if r.over && !errors.Is(err, io.EOF) {
			r.err = fmt.Errorf("%s:%d: read trace: %w", r.name, r.line+1, err)
			break
		}
		text := r.text
		if r.line == 0 {
			text = bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")) // Some Windows editors put it before the first line.
		}
		r.line++
		r.offset += int64(len(r.text))
		line := bytes.TrimSpace(text)
		if len(line) == 0 {
			continue
		}
		known, err := r.decode(line)
		switch {
		case err == nil && known:
			return true
		case err == nil:
			r.unknown++
		case r.over:
			r.warnings = append(r.warnings, fmt.Sprintf("%s:%d: torn last line dropped (%d bytes)", r.name, r.line, len(line)))
		default:
			r.over, r.err = true, fmt.Errorf("%s:%d: %w", r.name, r.line, err)
		}
	}
	r.event = Event{}
	return false
}

// readLine reads the next line, newline included. The last one may have none, and has the error io.EOF.
func (r *Reader) readLine() error {
	r.text = r.text[:0]
	for {
		part, err := r.in.ReadSlice('\n')
		if r.text = append(r.text, part...); len(r.text) > MaxLine {
			return fmt.Errorf("line longer than %d bytes", MaxLine)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return err
		}
	}
}

// decode reads an event from its line, and says whether its type is a known one.
func (r *Reader) decode(line []byte) (known bool, err error) {
	e := &r.event
	if known, err = r.decoder.decode(line, e); !known || err != nil {
		return false, err
	}
	err = e.check()
	if err == nil && e.Type == LatencyType {
		r.hist, err = r.hists.Parse(e.Hist)
	}
	if err != nil {
		return false, fmt.Errorf("bad %s line: %w", e.Type, err)
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
		return fmt.Errorf("stream %q: %d frames late of %d, a buffer of %d ns, a stall of %d ns", e.Stream, e.Late, e.Due,
			e.BufferNS, e.StallNS)
	}
	return nil
}
