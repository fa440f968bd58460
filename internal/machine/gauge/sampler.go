package gauge

import (
	"context"
	"sync"
	"time"
)

// Options are what a Sampler needs.
type Options struct {
	Now  func() int64                      // nanoseconds
	Take func(atNS int64, reads []Reading) // is given what was read, by several goroutines at once
	Fail func(source string, err error)    // called when a source is given up, likewise
}

// Sampler reads sources beside a run, each in a goroutine of its own: one that hangs holds up neither the others nor
// the run. Each is read at once, then as often as it allows, and those with totals once more at the end.
type Sampler struct {
	opts   Options
	last   chan struct{} // closed: read the totals, and end
	cancel context.CancelFunc
	group  sync.WaitGroup
}

const (
	// maxFailures is how many failures in a row a source is allowed: one may be a disk that is busy.
	maxFailures = 3
	// maxReadTime is how long the reading of totals may take: the time of a slower one is uncertain, and what is
	// moved meanwhile would count as someone else's.
	maxReadTime = 500 * time.Millisecond
	// endWait is how long the end of a phase waits for the last readings.
	endWait = 500 * time.Millisecond
)

// Start begins to read.
func Start(sources []Source, opts Options) *Sampler {
	ctx, cancel := context.WithCancel(context.Background())
	s := &Sampler{opts: opts, last: make(chan struct{}), cancel: cancel}
	for _, source := range sources {
		s.group.Go(func() { s.follow(ctx, source) })
	}
	return s
}

// Stop reads the totals once more and ends. Nothing is taken after it has returned, except from a source that hangs
// in the kernel: that one is left behind, and Take must tolerate it.
func (s *Sampler) Stop() {
	close(s.last)
	ended := make(chan struct{})
	go func() {
		s.group.Wait()
		close(ended)
	}()
	late := time.NewTimer(endWait)
	defer late.Stop()
	select {
	case <-ended:
	case <-late.C:
	}
	s.cancel()
}

// follow reads one source until the end.
func (s *Sampler) follow(ctx context.Context, source Source) {
	tick := time.NewTicker(source.Every)
	defer tick.Stop()
	failed := 0
	for ending := false; ; {
		beganNS := s.opts.Now()
		reads, err := source.Read(ctx)
		if ctx.Err() != nil {
			return
		}
		if failed++; err == nil {
			failed = 0
		}
		tookNS := s.opts.Now() - beganNS
		if len(reads) > 0 && !(source.Total && tookNS > int64(maxReadTime)) {
			s.opts.Take(beganNS+tookNS/2, reads)
		}
		if failed == maxFailures {
			s.opts.Fail(source.Name, err)
		}
		if ending || failed == maxFailures {
			return
		}
		select {
		case <-tick.C:
		case <-s.last:
			if ending = true; !source.Total {
				return
			}
		}
	}
}
