package diskio

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// settleBytes is the stretch after which buffered writes are pushed out; the cache holds up to
// three of them at a time.
const settleBytes = 32 << 20

// settlesPerSecond is the minimum rate at which a job at a pace does so.
const settlesPerSecond = 20

// Start notes the release, and starts to emit how long requests take.
func (m *mover) Start(releaseNS int64, emit func(trace.Event)) {
	var one sync.Mutex // latencies are emitted by another goroutine
	m.emit = func(e trace.Event) {
		one.Lock()
		defer one.Unlock()
		emit(e)
	}
	m.release = releaseNS
	for _, g := range m.gauges {
		m.emit(g)
	}
	m.pacer = newPacer(m)
	m.latencies = newLatencies(m.emit)
}

// Transfer moves file seq. A size that is no whole number of sectors is written in whole sectors
// and cut to size afterwards, outside the span, which counts the file's own bytes only. A pass that
// reaches its cap ends early, and its span says how far it came.
func (m *mover) Transfer(ctx context.Context, seq int, sample Sampler) (Span, error) {
	span, err := m.transfer(ctx, seq, sample)
	m.failed = m.failed || err != nil
	return span, m.job.explain(fmt.Sprintf("%s file %d", m.job.Role, seq), err)
}

func (m *mover) transfer(ctx context.Context, seq int, sample Sampler) (span Span, err error) {
	if err := m.pause(ctx, seq); err != nil {
		return span, err
	}
	if m.next == nil || m.nextSeq != seq {
		if err := m.openNext(seq); err != nil {
			return span, err
		}
	}
	f := m.next
	m.next = nil
	t := m.newTransfer(f)
	t.sample = sample
	t.latencies = m.latencies
	t.cap = m.job.IO.Cap.Nanoseconds()
	t.pacer, t.reads, t.mixKey = m.pacer, m.job.Reads, m.job.Seed
	if m.job.IO.Mode == scenario.ModeApp {
		t.setBlock(maxRequest)
		if t.pacer != nil {
			t.setBlock(layoutBlock)
		}
	} else if m.job.IO.Access == scenario.AccessRandom {
		t.shuffle(m.job.Seed + uint64(seq))
	}
	if m.job.Probe > 0 {
		t.part(m.job.Size(seq), m.job.Seed)
	}
	if m.requests() {
		t.first = m.requested
		m.requested += t.requests
	}
	if m.reads() && m.job.IO.Mode == scenario.ModeDirect && m.verifies() {
		t.checking = checkStamps
	}
	err = m.move(ctx, t, m.job.IO.Flush)
	m.lastRequestNS = t.endNS
	span = Span{Bytes: t.done.Load(), Read: t.read.Load(), StartNS: t.startNS - m.release,
		EndNS: t.endNS - m.release}
	if err = errors.Join(err, m.close(f)); err == nil {
		err = m.finish(ctx, f, span.Bytes)
	}
	if err != nil {
		return span, m.setAside(err, f.record)
	}
	m.fileEndedNS = clock.Now()
	m.moved++
	return span, nil
}

// verifies reports whether the job checks at least the stamps.
func (m *mover) verifies() bool {
	return m.job.IO.Verify == scenario.VerifyStamps || m.job.IO.Verify == scenario.VerifyFull
}

// pause waits between two files as the job asks.
func (m *mover) pause(ctx context.Context, seq int) error {
	if m.fileEndedNS == 0 {
		return ctx.Err()
	}
	wait := m.job.IO.Rest + m.job.IO.ThinkTime() - time.Duration(clock.Now()-m.fileEndedNS)
	if step := m.job.IO.Step.Nanoseconds(); step > 0 {
		sinceNS := clock.Now() - m.release
		wait = time.Duration(stepOf(seq, step, sinceNS) - sinceNS)
	}
	if wait > 0 {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
		}
	}
	return ctx.Err()
}

// stepOf returns when file seq begins, in nanoseconds since the release as all are: at its own
// step, or at the next one if that is past.
func stepOf(seq int, stepNS, sinceNS int64) int64 {
	return max(int64(seq)*stepNS, (sinceNS+stepNS-1)/stepNS*stepNS)
}

// openNext opens file seq. One that is to be written again is allocated; beyond the job's last
// file, each takes the place of the one written a round before.
func (m *mover) openNext(seq int) (err error) {
	m.nextSeq = seq
	var r record
	if len(m.files) > 0 {
		r = m.files[seq%len(m.files)]
	} else {
		if before := seq - len(m.job.Sizes); before >= 0 {
			if err := m.folder.RemoveFile(m.firstNew + before); err != nil {
				return fmt.Errorf("make room for file %d: %w", seq, err)
			}
		}
		r = m.plan(m.job.Size(seq))
	}
	m.next, err = m.open(r, m.op(), 0)
	return err
}

// finish does what is not timed: a written file gets its size and its place among the test files,
// and what the job wants verified is read back.
func (m *mover) finish(ctx context.Context, f *file, moved int64) error {
	if f.op == trace.Write {
		if err := m.keep(f, moved); err != nil || f.state != listed {
			return err
		}
	}
	switch {
	case m.job.IO.Verify == scenario.VerifyFull:
		return m.readBack(ctx, f.record, checkAll)
	case m.job.IO.Mode == scenario.ModeApp && f.op == trace.Read && m.verifies():
		// One call for the whole file leaves nothing to look at while it is read.
		return m.readBack(ctx, f.record, checkStamps)
	}
	return nil
}
