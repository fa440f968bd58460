package diskio

import (
	"context"
	"errors"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/policy"
	"github.com/hubbench/hubbench/pkg/scenario"
)

// fakeHub moves a byte a nanosecond and remembers what it was asked.
type fakeHub struct {
	asks  []int64
	nowNS int64
}

func (h *fakeHub) Move(ctx context.Context, bytes int64) (int64, error) {
	h.asks = append(h.asks, bytes)
	h.nowNS += bytes
	return h.nowNS, ctx.Err()
}

func TestSimulated(t *testing.T) {
	model := &fakeHub{}
	job := Job{Job: scenario.Job{Sizes: []int64{policy.Stretch, 3*policy.Stretch + 5, 7}}}
	engine := NewSimulated(job, model)
	var got []Span
	var samples [][2]int64
	for seq := range job.Sizes {
		span, err := engine.Transfer(context.Background(), seq, func(bytes, _, tNS int64) {
			samples = append(samples, [2]int64{bytes, tNS})
		})
		check.Must(t, err)
		got = append(got, span)
	}
	want := []Span{
		{Bytes: policy.Stretch, StartNS: 0, EndNS: policy.Stretch},
		{Bytes: 3*policy.Stretch + 5, StartNS: policy.Stretch, EndNS: 4*policy.Stretch + 5},
		{Bytes: 7, StartNS: 4*policy.Stretch + 5, EndNS: 4*policy.Stretch + 12},
	}
	check.Same(t, "spans", want, got)
	check.Same(t, "samples", [][2]int64{{2 * policy.Stretch, 3 * policy.Stretch}}, samples)
	check.Same(t, "asks", []int64{policy.Stretch, policy.Stretch, policy.Stretch, policy.Stretch, 5, 7}, model.asks)
}

func TestSimulatedStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	engine := NewSimulated(Job{Job: scenario.Job{Sizes: []int64{9}}}, &fakeHub{})
	if _, err := engine.Transfer(ctx, 0, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want context.Canceled", err)
	}
}
