package diskio

import (
	"cmp"
	"context"

	"github.com/hubbench/hubbench/pkg/hub"
)

// Hub is the model that simulated disks share.
type Hub interface {
	// Move waits until the hub has moved this many more bytes, and says when that was in model time.
	Move(ctx context.Context, bytes int64) (doneNS int64, err error)
}

// simulated is the engine of a disk that exists only in the hub model. All its times are the
// model's, so it never looks at a clock.
type simulated struct {
	job   Job
	model Hub
	nowNS int64
}

// NewSimulated makes the engine of a simulated disk.
func NewSimulated(job Job, model Hub) Engine {
	job.SampleNS = cmp.Or(job.SampleNS, hub.SampleNS)
	return &simulated{job: job, model: model}
}

func (s *simulated) Prepare(context.Context, func(int64)) (Effective, error) {
	return Effective{Engine: "simulated", Cache: "none", Flush: "none", Block: hub.Stretch, Depth: 1}, nil
}

func (s *simulated) Start(int64) {}

func (s *simulated) Transfer(ctx context.Context, seq int, sample Sampler) (Span, error) {
	span := Span{StartNS: s.nowNS}
	lastSampleNS := s.nowNS
	for size := s.job.Size(seq); span.Bytes < size; {
		n := min(hub.Stretch, size-span.Bytes)
		doneNS, err := s.model.Move(ctx, n)
		if err != nil {
			return span, err
		}
		span.Bytes += n
		s.nowNS = doneNS
		if span.Bytes < size && doneNS-lastSampleNS >= s.job.SampleNS {
			sample(span.Bytes, doneNS)
			lastSampleNS = doneNS
		}
	}
	span.EndNS = s.nowNS
	return span, nil
}

func (s *simulated) Close() error { return nil }
