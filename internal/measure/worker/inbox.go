package worker

import (
	"context"

	"github.com/hubbench/hubbench/internal/measure/wire"
)

// inbox sorts what the coordinator says. It is the simulated engine's diskio.Hub.
type inbox struct {
	conn    *wire.Conn
	release chan int64
	grants  chan int64
}

// listen reads until the coordinator closes its end, and cancels the job when asked to finish or to stop, or when that happens.
func (in *inbox) listen(cancel context.CancelCauseFunc) {
	for {
		m, err := in.conn.Receive()
		if err != nil {
			cancel(errOrphaned)
			return
		}
		switch m.Kind {
		case wire.ReleaseKind:
			in.release <- m.AtNS
		case wire.GrantKind:
			in.grants <- m.DoneNS
		case wire.FinishKind:
			cancel(errFinished)
		case wire.StopKind:
			cancel(errStopped)
		}
	}
}

// Move asks the hub for a stretch and waits for the grant.
func (in *inbox) Move(ctx context.Context, bytes int64) (doneNS int64, err error) {
	if ctx.Err() != nil {
		return 0, context.Cause(ctx)
	}
	if err := in.conn.Send(wire.Message{Kind: wire.AskKind, Bytes: bytes}); err != nil {
		return 0, err
	}
	select {
	case doneNS := <-in.grants:
		return doneNS, nil
	case <-ctx.Done():
	}
	select {
	case doneNS := <-in.grants: // said before the job was ended: it counts
		return doneNS, nil
	default:
		return 0, context.Cause(ctx)
	}
}
