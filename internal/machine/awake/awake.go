// Package awake keeps the machine from going to sleep while a run goes on: a sleep in the middle
// stops the clock and disconnects disks. It uses the system's own tool; a system without one is
// left as it is. Start at Keep; Check finds out whether it can.
package awake

import (
	"context"
	"time"

	"go.uber.org/zap"
)

// Keep keeps the machine awake until release is called, or until this process ends for any reason.
// A failure to do so is only logged.
func Keep(log *zap.Logger) (release func()) { return keep(log, func(error) {}) }

// checkFor is how long a tool that cannot do its work may take to say so.
const checkFor = time.Second

// Check keeps the machine awake for a moment, and returns why it cannot; a machine that cannot
// sleep needs none.
func Check(ctx context.Context) error {
	if !canSleep() {
		return nil
	}
	return tryKeep(ctx)
}

func tryKeep(ctx context.Context) error {
	lost := make(chan error, 1) // At most one is sent.
	release := keep(zap.NewNop(), func(err error) { lost <- err })
	defer release()
	timer := time.NewTimer(checkFor)
	defer timer.Stop()
	select {
	case err := <-lost:
		return err
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
