package diskio

import (
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/hubbench/hubbench/pkg/stream"
)

// A disk that is too slow for its streams loses as many frames as a recorder whose memory holds
// that many of each stream, and that drops what comes while it is full.
func TestStreamsOverload(t *testing.T) {
	const frame, buffer = 40 * time.Millisecond, time.Second
	for record, count := range map[bool]int{false: 1, true: 4} {
		for _, load := range []float64{0.97, 1.01, 1.2, 2} {
			inVirtualTime(t, fmt.Sprintf("record %v, %d streams, load %g", record, count, load),
				func(t *testing.T, dir string, engine engineMaker) {
					length := 400 * time.Second
					if load > 1.1 {
						length = 120 * time.Second
					}
					service := time.Duration(load * float64(frame) / float64(count))
					spec := stream.Spec{Record: record, Rate: 204800, Frame: frame,
						Count:  count,
						Buffer: buffer}
					p := playStreams(t,
						virtualStreams(streamsJob(dir, spec), inTurn(service), engine), length)
					due, late := 0, 0
					for _, o := range p.outcomes {
						due, late = due+o.Due, late+o.Late
					}
					got, want := float64(late)/float64(due),
						dropping(frame, service, count, int(buffer/frame), length)
					t.Logf("late %.3f %%, a queue that drops loses %.3f %%", 100*got, 100*want)
					if math.Abs(got-want) > max(0.02*want, 0.0005) {
						t.Errorf("%.4f of the frames are late, want %.4f", got, want)
					}
				})
		}
	}
}

// inTurn is a system whose disk does one request after the other, each for that long.
func inTurn(service time.Duration) system {
	var one sync.Mutex
	began, free := time.Now(), time.Duration(0)
	stands := func() time.Duration {
		one.Lock()
		defer one.Unlock()
		now := time.Since(began)
		free = max(free, now) + service
		return free - now
	}
	return stalling(0, stands)
}

// dropping is the share of frames that a recorder drops, with memory for that many of each stream:
// those that come while it is full. One frame after the other is written, in the order in which
// they came, and leaves the memory when it is.
func dropping(frame, service time.Duration, count, memory int, length time.Duration) float64 {
	held := make([][]time.Duration, count) // when each frame in memory will be written
	var free time.Duration
	came, lost := 0, 0
	for k := 0; ; k++ {
		for i := range count {
			now := time.Duration(k)*frame + frame*time.Duration(i)/time.Duration(count)
			if now+time.Duration(memory)*frame > length {
				return float64(lost) / float64(came)
			}
			for len(held[i]) > 0 && held[i][0] <= now {
				held[i] = held[i][1:]
			}
			if came++; len(held[i]) == memory {
				lost++
				continue
			}
			free = max(free, now) + service
			held[i] = append(held[i], free)
		}
	}
}
