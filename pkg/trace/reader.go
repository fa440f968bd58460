package trace

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"runtime"
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
	// partSize is how many bytes of lines are decoded together, and maxParts how many times that at
	// once.
	partSize = 128 << 10
	maxParts = 8
)

// Reader reads events one at a time, in the manner of bufio.Scanner:
//
//	for r.Next() {
//		use(r.Event())
//	}
//	if err := r.Err(); err != nil { ... }
//
// It holds a few parts of the trace at a time, whatever its length, and decodes them on all cores.
type Reader struct {
	in   io.Reader
	name string
	rest []byte  // read, of a line that goes on
	end  error   // error that ended reading
	next []*part // being decoded, in order

	part     *part // part of the line read last
	at       int   // how many of its events were read
	event    Event
	line     int   // lines before part
	offset   int64 // bytes before part
	over     bool
	err      error
	unknown  int
	warnings []string
}

// part is some whole lines of a trace, and the events in them.
type part struct {
	text    []byte
	events  []decoded
	lines   int
	unknown int           // lines of unknown types
	err     error         // error of the last line
	torn    int           // the length of that line if no newline ended it
	done    chan struct{} // closed when all this is known
	heads   heads
}

// decoded is the event of a line.
type decoded struct {
	event   *Event // lines that begin alike share it: the numbers are the line's own
	numbers numbers
	hist    *latency.Histogram // histogram of a latency line
	line    int                // its number in the part, from 1
	end     int                // where it ends in the part's text
}

// NewReader returns a Reader of r; name stands for the input in errors ("events.jsonl:17: ...").
func NewReader(r io.Reader, name string) *Reader {
	return &Reader{in: r, name: name, part: &part{}}
}

// Event returns the event that the last call of Next read. It is overwritten by a later one, and
// empty after the last.
func (r *Reader) Event() *Event {
	last := r.last()
	r.event = last.event.with(last.numbers)
	return &r.event
}

func (r *Reader) last() *decoded { return &r.part.events[r.at-1] }

// Offset returns how many bytes of the input lie before and in the line of Event; after the last
// event, all that were read.
func (r *Reader) Offset() int64 { return r.offset + int64(r.last().end) }

// Err is the first error, nil at a regular end.
func (r *Reader) Err() error { return r.err }

// Warnings returns what the reader tolerated so far: a torn last line, lines of unknown types.
func (r *Reader) Warnings() []string {
	if r.unknown == 0 {
		return r.warnings
	}
	return append(slices.Clip(r.warnings),
		fmt.Sprintf("%s: lines of unknown type ignored: %d", r.name, r.unknown))
}

// Next reads up to the next event of a known type. It returns false at the end and at an error.
func (r *Reader) Next() bool {
	for r.at >= len(r.part.events) {
		if r.over || !r.advance() {
			r.part = &part{events: []decoded{{event: &Event{}}}}
			r.at = 1
			r.over = true
			return false
		}
	}
	r.at++
	return true
}

// advance goes on to the next part, and has as many decoded meanwhile as there are cores.
func (r *Reader) advance() bool {
	p := r.part
	r.line += p.lines
	r.offset += int64(len(p.text))
	switch {
	case p.torn > 0:
		r.warnings = append(r.warnings,
			fmt.Sprintf("%s:%d: torn last line dropped (%d bytes)", r.name, r.line, p.torn))
		return false
	case p.err != nil:
		r.err = fmt.Errorf("%s:%d: %w", r.name, r.line, p.err)
		return false
	}
	for r.end == nil && len(r.next) < min(runtime.GOMAXPROCS(0), maxParts) {
		r.read(p)
		p = &part{}
	}
	if len(r.next) == 0 {
		if !errors.Is(r.end, io.EOF) {
			r.err = fmt.Errorf("%s:%d: read trace: %w", r.name, r.line+1, r.end)
		}
		return false
	}
	r.part = r.next[0]
	r.next = r.next[1:]
	r.at = 0
	<-r.part.done
	r.unknown += r.part.unknown
	return true
}

// read reads the next part into the memory of another, and has it decoded.
func (r *Reader) read(p *part) {
	text := append(p.text[:0], r.rest...)
	whole := 0
	for whole == 0 && r.end == nil {
		had := len(text)
		var err error
		for text = slices.Grow(text, partSize); len(text) < had+partSize && err == nil; {
			var n int
			n, err = r.in.Read(text[len(text) : had+partSize])
			text = text[:len(text)+n]
		}
		if last := bytes.LastIndexByte(text[had:], '\n'); last >= 0 {
			whole = had + last + 1
		}
		switch {
		case len(text)-whole > MaxLine:
			r.end = errLong
		case errors.Is(err, io.EOF):
			r.end = io.EOF
			whole = len(text)
		case err != nil:
			r.end = err
		}
	}
	r.rest = append(r.rest[:0], text[whole:]...)
	if whole > 0 {
		p.text = text[:whole]
		p.done = make(chan struct{})
		r.next = append(r.next, p)
		go p.decode() // It ends by itself.
	}
}

// shortest is less than the bytes of any event's line: a text of empty lines is to take no memory
// for events.
const shortest = 12

// errLong is the error of a line that is no line of a trace.
var errLong = fmt.Errorf("line longer than %d bytes", MaxLine)

// decode reads the part's lines up to the first bad one.
func (p *part) decode() {
	defer close(p.done)
	p.events = slices.Grow(p.events[:0],
		min(bytes.Count(p.text, []byte{'\n'}), len(p.text)/shortest)+1)
	p.lines = 0
	p.unknown = 0
	for at := 0; at < len(p.text) && p.err == nil; {
		line, _, whole := bytes.Cut(p.text[at:], []byte{'\n'})
		at = min(at+len(line)+1, len(p.text))
		p.lines++
		if line = bytes.TrimSpace(line); len(line) == 0 {
			continue
		}
		p.events = append(p.events, decoded{line: p.lines, end: at})
		known, err := p.event(line, &p.events[len(p.events)-1])
		if known && err == nil {
			continue
		}
		p.events = p.events[:len(p.events)-1]
		if p.err = err; err == nil {
			p.unknown++
		} else if !whole {
			p.torn = len(line)
		}
	}
}

// event reads a line, and says whether its type is a known one.
func (p *part) event(line []byte, e *decoded) (known bool, err error) {
	if len(line) >= MaxLine {
		return false, fmt.Errorf("read trace: %w", errLong)
	}
	var sameHead bool
	if e.event, e.numbers, sameHead = p.heads.decode(line); sameHead {
		return true, nil
	}
	event := new(Event)
	if known, err = event.decode(line); !known || err != nil {
		return false, err
	}
	err = event.check()
	if err == nil && event.Type == LatencyType {
		e.hist, err = latency.Decode(event.Hist)
	}
	if err != nil {
		return false, fmt.Errorf("bad %s line: %w", event.Type, err)
	}
	e.event = event
	e.numbers = event.numbers()
	p.heads.remember(line, event)
	return true, nil
}

// check refuses events that say too little to be placed. Doubtful numbers pass: they are for the
// analysis to report.
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
		return errors.New("time more than 36 years from the phase's release: times are " +
			"nanoseconds since then")
	}
	if max(e.Bytes, -e.Bytes) > maxBytes || e.Bytes == math.MinInt64 {
		return fmt.Errorf("bytes %d: beyond what can be counted", e.Bytes)
	}
	if (e.Type == FileType || e.Type == LatencyType) && e.Op != Read && e.Op != Write {
		return fmt.Errorf("op %q: want read or write", e.Op)
	}
	if e.Type == StreamType && (e.Due < 0 || e.Late < 0 || e.Late > e.Due || e.BufferNS < 0 ||
		e.StallNS < 0) {
		return fmt.Errorf("stream %q: %d frames late of %d, a buffer of %d ns, a stall of %d ns",
			e.Stream, e.Late, e.Due,
			e.BufferNS, e.StallNS)
	}
	return nil
}
