package worker

import (
	"context"

	"github.com/hubbench/hubbench/internal/measure/diskio"
	"github.com/hubbench/hubbench/pkg/policy"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Mover is the model of a hub that simulated disks share.
type Mover interface {
	// Move waits until the hub has moved this many more bytes, and says when that was in model
	// time.
	Move(ctx context.Context, bytes int64) (doneNS int64, err error)
}

// simulated is the engine of a disk that exists only in the hub model. All its times are the
// model's, so it never looks at a clock.
type simulated struct {
	job   diskio.Job
	model Mover
	nowNS int64
}

// NewSimulated makes the engine of a simulated disk.
func NewSimulated(job diskio.Job, model Mover) diskio.Engine {
	return &simulated{job: job, model: model}
}

func (s *simulated) Prepare(context.Context, func(int64)) (trace.Effective, error) {
	return trace.Effective{Engine: "simulated", Cache: "none", Flush: scenario.FlushNone,
		Block: policy.Stretch,
		Depth: 1}, nil
}

func (s *simulated) Start(int64, func(trace.Event)) {}

func (s *simulated) Transfer(ctx context.Context, seq int, sample diskio.Sampler) (diskio.Span,
	error) {
	t := policy.NewTransfer(&s.job.Job, s.job.Size(seq), s.nowNS)
	for n := t.Ask(); n > 0; n = t.Ask() {
		doneNS, err := s.model.Move(ctx, n)
		if err != nil {
			return diskio.Span{Bytes: t.Bytes, Read: s.read(t.Bytes), StartNS: t.StartNS}, err
		}
		if t.Granted(doneNS) {
			sample(t.Bytes, s.read(t.Bytes), doneNS)
		}
	}
	s.nowNS = t.EndNS
	return diskio.Span{Bytes: t.Bytes, Read: s.read(t.Bytes), StartNS: t.StartNS, EndNS: t.EndNS},
		nil
}

func (s *simulated) read(bytes int64) int64 { return policy.ReadOf(&s.job.Job, bytes) }

// Cached: a model has no cache.
func (s *simulated) Cached() (float64, bool) { return 0, false }

// LateWarnings: a model has none.
func (s *simulated) LateWarnings() []string { return nil }

func (s *simulated) Close() error { return nil }
