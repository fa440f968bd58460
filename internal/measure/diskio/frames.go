package diskio

import (
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
)

// streamFile is the test file of one stream, which goes through it again and again.
type streamFile struct {
	*file
	unit   int64 // frames begin at its multiples: sectors, and what a stamp covers
	stamps stamper
}

// flight is a frame under way.
type flight struct {
	player, frame int
	left          int64 // bytes that have not arrived yet
}

// piece is a frame, or a part of it: what one request can move.
type piece struct {
	flight *flight
	off, n int64 // in the file
	dueNS  int64 // when the player asked for the frame
	askNS  int64 // when a frame's first could begin, since the release, or -1
}

// frame returns where a frame lies in its stream, in whole units: the next begins where this one
// ends, so that nothing is moved twice and the mean rate is the stream's.
func (f *streamFile) frame(spec stream.Spec, k int) (from, to int64) {
	up := func(bytes int64) int64 { return (bytes + f.unit - 1) / f.unit * f.unit }
	return up(spec.Offset(k)), up(spec.Offset(k + 1))
}

// openFiles opens the files that are there and makes those that are recorded to.
func (s *streams) openFiles() error {
	sizes := s.job.StreamFiles()
	var recorded int64
	for i, p := range s.players {
		if p.Spec.Record {
			recorded += sizes[i]
		}
	}
	if s.job.IO.Footprint > 0 {
		if err := s.folder.MakeRoom(recorded, s.job.IO.Footprint); err != nil {
			return err
		}
	}
	played := s.files
	for i, p := range s.players {
		var r record
		op := trace.Read
		if p.Spec.Record {
			op = trace.Write
			r = s.plan(sizes[i])
		} else {
			r = played[0]
			played = played[1:]
		}
		f, err := s.open(r, op, i)
		if err != nil {
			return err
		}
		s.paths = append(s.paths, streamFile{f, max(s.traits.sector, r.Unit), s.stamper(r)})
	}
	return nil
}
