package wire

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
)

// maxFrame bounds what a broken peer can make us allocate. The largest valid message is a job
// of a million file sizes, some 12 MB.
const maxFrame = 64 << 20

// Conn sends and receives messages. Send may be called from several goroutines, Receive from one.
type Conn struct {
	r   *bufio.Reader
	mu  sync.Mutex
	w   io.Writer
	buf []byte
}

// NewConn talks over a pair of pipes.
func NewConn(r io.Reader, w io.Writer) *Conn {
	return &Conn{r: bufio.NewReader(r), w: w}
}

// Send writes one message in a single write.
func (c *Conn) Send(m Message) error {
	body, err := json.Marshal(m)
	if err != nil {
		return fmt.Errorf("encode %s message: %w", m.Kind, err)
	}
	if len(m.Lines) > 0 {
		body = append(append(body, '\n'), m.Lines...) // JSON on one line
	}
	if len(body) > maxFrame {
		return fmt.Errorf("encode %s message: %d bytes exceed the limit of %d", m.Kind, len(body), maxFrame)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.buf = binary.BigEndian.AppendUint32(c.buf[:0], uint32(len(body)))
	c.buf = append(c.buf, body...)
	if _, err := c.w.Write(c.buf); err != nil {
		return fmt.Errorf("send %s message: %w", m.Kind, err)
	}
	return nil
}

// Receive reads the next message. It returns io.EOF if the peer closed between messages.
func (c *Conn) Receive() (Message, error) {
	var m Message
	var head [4]byte
	if _, err := io.ReadFull(c.r, head[:]); err != nil {
		if errors.Is(err, io.EOF) {
			return m, io.EOF
		}
		return m, fmt.Errorf("receive message: %w", err)
	}
	n := binary.BigEndian.Uint32(head[:])
	if n > maxFrame {
		return m, fmt.Errorf("receive message: a frame of %d bytes exceeds the limit of %d: is something else "+
			"writing to this pipe?", n, maxFrame)
	}
	// ReadAll grows with what arrives: a false length costs nothing.
	body, err := io.ReadAll(io.LimitReader(c.r, int64(n)))
	if err != nil {
		return m, fmt.Errorf("receive message: %w", err)
	}
	if len(body) < int(n) {
		return m, fmt.Errorf("receive message: %w", io.ErrUnexpectedEOF)
	}
	said, lines, _ := bytes.Cut(body, []byte{'\n'})
	if err := json.Unmarshal(said, &m); err != nil {
		return m, fmt.Errorf("receive message: %w", err)
	}
	if len(lines) > 0 {
		m.Lines = lines
	}
	return m, nil
}
