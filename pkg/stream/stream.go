// Package stream models work that has its own pace: a camera's or a player's stream, whose frames
// are due at fixed times, one Frame apart, whatever the disk can do.
//
// A player asks for each frame Buffer before it is due, so that it normally holds Buffer of frames
// ahead; a recorder hands each frame over when it is taken, and has room for Buffer of frames that
// are not on the disk yet. Both are one thing here: frame k is asked for at Offset + k Frame after
// the release and is due Buffer later. A frame that has not been moved by then is late: the picture
// stands still, or the recording has a gap, until a frame is there in time again. The clock goes on
// meanwhile, as the sound does. A frame that could not be there in time when its turn comes is
// skipped, as a recorder drops what its memory has no room for: a disk too slow by a tenth loses a
// tenth of the frames, not all that wait.
//
// Nothing here moves bytes or reads a clock: an engine (diskio) and the model (hub) step the same
// Player and Queue. Start at Spec (what is asked for), Player (one stream in progress) and Outcome
// (its result).
package stream

import (
	"fmt"
	"strconv"
	"time"
)

// Spec describes streams of one kind on one disk.
type Spec struct {
	Kind string `json:"kind"` // Kind is a codec's name, or the rate as given.
	// Record says that frames are written; else they are read.
	Record bool          `json:"record,omitempty"`
	Rate   float64       `json:"rate"`     // Rate is bytes per second of one stream.
	Frame  time.Duration `json:"frame_ns"` // Frame is from one frame to the next.
	Count  int           `json:"count"`    // Count is how many streams.
	Buffer time.Duration `json:"buffer_ns"`
}

// TotalRate returns the rate of all the streams, in bytes per second.
func (s Spec) TotalRate() float64 { return s.Rate * float64(s.Count) }

// TotalRate returns the rate of all streams of some specs, in bytes per second.
func TotalRate(specs []Spec) float64 {
	var sum float64
	for _, s := range specs {
		sum += s.TotalRate()
	}
	return sum
}

// String returns the streams in words: "4 x ProRes 422 HQ UHD 25p".
func (s Spec) String() string { return fmt.Sprintf("%d x %s", s.Count, Label(s.Kind)) }

// Bytes returns the size of frame k: the frames' sum is the rate's, to the byte.
func (s Spec) Bytes(k int) int64 { return s.Offset(k+1) - s.Offset(k) }

// Offset returns where frame k begins in its stream, in bytes.
func (s Spec) Offset(k int) int64 { return int64(s.Rate * s.Frame.Seconds() * float64(k)) }

// Players makes the players of some specs on one disk, whose frames are spread evenly over a
// frame's time so that they do not all ask at once. Stream names count from 1.
func Players(specs []Spec) []*Player {
	total := 0
	for _, s := range specs {
		total += s.Count
	}
	players := make([]*Player, 0, total)
	for _, s := range specs {
		for range s.Count {
			i := len(players)
			players = append(players, newPlayer(fmt.Sprint(i+1), s,
				s.Frame.Nanoseconds()*int64(i)/int64(total)))
		}
	}
	return players
}

// Named finds the spec of a player by the player's name.
func Named(specs []Spec, name string) (Spec, bool) {
	n, err := strconv.Atoi(name)
	if err != nil || n < 1 {
		return Spec{}, false
	}
	for _, s := range specs {
		if n <= s.Count {
			return s, true
		}
		n -= max(s.Count, 0)
	}
	return Spec{}, false
}
