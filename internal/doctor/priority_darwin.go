package doctor

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// darwinProcess is PRIO_DARWIN_PROCESS of sys/resource.h: getpriority then tells whether the process is in the
// background, where macOS keeps it to efficiency cores and throttles its requests to disks.
const darwinProcess = 4

func measurePriority() (priority, error) {
	nice, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil {
		return priority{}, fmt.Errorf("ask for the priority: %w", err)
	}
	p := priority{nice: nice, how: fmt.Sprintf("nice %d", nice)}
	if in, err := unix.Getpriority(darwinProcess, 0); err == nil && in != 0 {
		p.background, p.how = true, p.how+", in the background"
	}
	return p, nil
}
