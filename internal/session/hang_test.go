package session

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/supervisor"
)

// A disk that hangs before a run or after it ends the run: by itself, or at one interrupt.
func TestHangsBeforeAndAfter(t *testing.T) {
	for name, step := range map[string]func(*session, context.Context, func()) error{
		"checked": func(r *session, ctx context.Context, hang func()) error {
			return r.prepare(ctx, func(context.Context) error { hang(); return nil })
		},
		"concluded": func(r *session, ctx context.Context, hang func()) error {
			return r.conclude(ctx, func() error { hang(); return nil })
		},
	} {
		for _, stall := range []time.Duration{20 * time.Second, time.Hour} {
			synctest.Test(t, func(t *testing.T) {
				r := &session{dir: &rundir.Dir{Path: "out"}, interrupts: &supervisor.Interrupts{
					Killed: make(chan struct{})}}
				r.Stall = stall
				r.Stderr = &notices{}
				ctx, interrupt := context.WithCancel(t.Context())
				defer interrupt()
				want := exit.Failed
				if stall == time.Hour {
					want = exit.Interrupted
					time.AfterFunc(time.Minute, interrupt)
				}
				back := make(chan struct{})
				err := step(r, ctx, func() { <-back })
				close(back)
				if got, _ := exit.Mistakes(err); got != want {
					t.Errorf("%s, stall %s: exit code %d, want %d: %v", name, stall, got, want, err)
				}
				if r.Stderr.(*notices).count != 1 {
					t.Errorf("%s, stall %s: told %d times", name, stall, r.Stderr.(*notices).count)
				}
				synctest.Wait()
			})
		}
	}
}

// notices counts what is written to it.
type notices struct{ count int }

func (n *notices) Write(p []byte) (int, error) {
	n.count++
	return len(p), nil
}
