package trace

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"
)

// Writer appends events to a stream, one line and one Write call each, so that a run cut short leaves at
// most one torn line. It allocates nothing for start, progress, file, error and end events. It is not safe
// for concurrent use.
type Writer struct {
	w   io.Writer
	buf []byte
}

// NewWriter returns a Writer on w.
func NewWriter(w io.Writer) *Writer { return &Writer{w: w, buf: make([]byte, 0, 512)} }

// Write appends one event.
func (w *Writer) Write(e *Event) error {
	w.buf = AppendEvent(w.buf[:0], e)
	if _, err := w.w.Write(w.buf); err != nil {
		return fmt.Errorf("write %s event: %w", e.Type, err)
	}
	return nil
}

// AppendEvent appends the event's line, newline included, to dst. Each type writes all of its own keys,
// zeros too, and none of the others'.
func AppendEvent(dst []byte, e *Event) []byte {
	dst = append(dst, `{"type":`...)
	dst = appendString(dst, string(e.Type))
	switch e.Type {
	case RunType:
		dst = appendInt(dst, "version", int64(e.Version))
		dst = appendKey(dst, "name", e.Name)
		dst = appendKey(dst, "started", e.Started)
		dst = appendDisks(dst, e.Disks)
	case PhaseType:
		dst = appendKey(dst, "phase", e.Phase)
		dst = append(dst, `,"roles":{`...)
		for i, disk := range slices.Sorted(maps.Keys(e.Roles)) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendString(dst, disk)
			dst = append(dst, ':')
			dst = appendString(dst, string(e.Roles[disk]))
		}
		dst = append(dst, '}')
		dst = appendSome(dst, "stop", e.Stop)
		dst = appendSome(dst, "test", e.Test)
		dst = appendSome(dst, "score", e.Score)
		dst = appendConnections(dst, e.Connections)
	case StartType:
		dst = appendPlace(dst, e)
		dst = appendInt(dst, "late_ns", e.LateNS)
		dst = appendInt(dst, "t_ns", e.TNS)
	case ProgressType:
		dst = appendPlace(dst, e)
		dst = appendInt(dst, "seq", int64(e.Seq))
		dst = appendInt(dst, "bytes", e.Bytes)
		dst = appendInt(dst, "t_ns", e.TNS)
	case FileType:
		dst = appendPlace(dst, e)
		dst = appendKey(dst, "op", string(e.Op))
		dst = appendInt(dst, "seq", int64(e.Seq))
		dst = appendInt(dst, "bytes", e.Bytes)
		dst = appendInt(dst, "start_ns", e.StartNS)
		dst = appendInt(dst, "end_ns", e.EndNS)
		if e.Filler {
			dst = append(dst, `,"filler":true`...)
		}
	case ErrorType:
		dst = appendPlace(dst, e)
		dst = appendInt(dst, "seq", int64(e.Seq))
		dst = appendInt(dst, "t_ns", e.TNS)
		dst = appendKey(dst, "error", e.Error)
	case PhaseEndType:
		dst = appendKey(dst, "phase", e.Phase)
		dst = appendKey(dst, "status", e.Status)
	case EndType:
		dst = appendKey(dst, "status", e.Status)
	}
	return append(dst, '}', '\n')
}

func appendPlace(dst []byte, e *Event) []byte {
	dst = appendKey(dst, "phase", e.Phase)
	return appendKey(dst, "disk", e.Disk)
}

func appendDisks(dst []byte, disks []Disk) []byte {
	dst = append(dst, `,"disks":[`...)
	for i, d := range disks {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, `{"name":`...)
		dst = appendString(dst, d.Name)
		dst = appendSome(dst, "path", d.Path)
		dst = appendSome(dst, "connection", d.Connection)
		dst = appendSome(dst, "profile", d.Profile)
		dst = append(dst, '}')
	}
	return append(dst, ']')
}

func appendConnections(dst []byte, connections map[string]string) []byte {
	if len(connections) == 0 {
		return dst
	}
	dst = append(dst, `,"connections":{`...)
	for i, disk := range slices.Sorted(maps.Keys(connections)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendString(dst, disk)
		dst = append(dst, ':')
		dst = appendString(dst, connections[disk])
	}
	return append(dst, '}')
}

// appendSome appends a key that is left out where it says nothing.
func appendSome(dst []byte, key, v string) []byte {
	if v == "" {
		return dst
	}
	return appendKey(dst, key, v)
}

func appendInt(dst []byte, key string, v int64) []byte {
	dst = append(dst, ',', '"')
	dst = append(dst, key...)
	dst = append(dst, '"', ':')
	return strconv.AppendInt(dst, v, 10)
}

func appendKey(dst []byte, key, v string) []byte {
	dst = append(dst, ',', '"')
	dst = append(dst, key...)
	dst = append(dst, '"', ':')
	return appendString(dst, v)
}

// appendString quotes s for JSON (RFC 8259 section 7); bytes that are not UTF-8 become U+FFFD.
func appendString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	for i := 0; i < len(s); {
		c := s[i]
		if c < utf8.RuneSelf {
			switch {
			case c == '"' || c == '\\':
				dst = append(dst, '\\', c)
			case c == '\n':
				dst = append(dst, '\\', 'n')
			case c < 0x20 || c == 0x7f:
				dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
			default:
				dst = append(dst, c)
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		dst = utf8.AppendRune(dst, r) // RuneError where invalid
		i += n
	}
	return append(dst, '"')
}
