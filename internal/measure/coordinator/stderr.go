package coordinator

import (
	"bytes"
	"io"

	"go.uber.org/zap"
)

// stderrLog takes one worker's stderr: its log lines go to run.log as they are, anything else (a crash
// of the Go runtime) is wrapped, so that run.log stays JSON, and its first line kept as the cause.
type stderrLog struct {
	out   io.Writer
	log   *zap.Logger
	part  []byte
	crash string
}

func (s *stderrLog) Write(data []byte) (int, error) {
	s.part = append(s.part, data...)
	for {
		end := bytes.IndexByte(s.part, '\n')
		if end < 0 {
			return len(data), nil
		}
		s.line(s.part[:end+1])
		s.part = s.part[end+1:]
	}
}

func (s *stderrLog) line(line []byte) {
	text := string(bytes.TrimSpace(line))
	switch {
	case text == "":
	case text[0] == '{':
		_, _ = s.out.Write(line) // a log that cannot be written must not end a run
	default:
		s.log.Error("worker stderr", zap.String("text", text))
		if s.crash == "" {
			s.crash = text
		}
	}
}
