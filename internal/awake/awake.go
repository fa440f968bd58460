// Package awake keeps the machine from going to sleep while a run goes on: a sleep in the middle stops the clock and
// takes disks off their ports. It asks the system by the system's own tool, and a system without one stays as it is.
// Start at Keep.
package awake

import "go.uber.org/zap"

// Keep keeps the machine awake until release is called, or until this process ends, in whatever way. That it cannot is
// no failure, and is written to the log.
func Keep(log *zap.Logger) (release func()) { return keep(log) }
