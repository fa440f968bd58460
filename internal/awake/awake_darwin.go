package awake

import (
	"os"
	"strconv"

	"go.uber.org/zap"
)

// keep has caffeinate(8) forbid idle sleep of the system (-i), of disks (-m) and, on mains, all of it (-s), for as long
// as this process lives (-w).
func keep(log *zap.Logger) (release func()) {
	return hold(log, []string{"caffeinate", "-i", "-m", "-s", "-w", strconv.Itoa(os.Getpid())})
}
