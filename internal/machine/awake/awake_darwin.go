package awake

import (
	"os"
	"strconv"

	"go.uber.org/zap"
)

// canSleep: every Mac and every PC does.
func canSleep() bool { return true }

// keep has caffeinate(8) forbid idle sleep of the system (-i), of disks (-m) and, on mains, all of it (-s), for as long
// as this process lives (-w).
func keep(log *zap.Logger, lost func(error)) (release func()) {
	return hold(log, lost, []string{"caffeinate", "-i", "-m", "-s", "-w", strconv.Itoa(os.Getpid())})
}
