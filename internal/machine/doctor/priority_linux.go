package doctor

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// The numbers of ioprio_get(2), and the class that waits until nobody else uses the disk.
const (
	ioprioProcess = 1
	ioprioShift   = 13
	ioprioIdle    = 3
)

func measurePriority() (priority, error) {
	raw, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil {
		return priority{}, fmt.Errorf("ask for the priority: %w", err)
	}
	p := priority{nice: 20 - raw} // the system call counts from 40 down
	p.how = fmt.Sprintf("nice %d", p.nice)
	if class, _, errno := unix.Syscall(unix.SYS_IOPRIO_GET, ioprioProcess, 0, 0); errno == 0 && class>>ioprioShift == ioprioIdle {
		p.background, p.how = true, p.how+", requests to disks in the idle class"
	}
	return p, nil
}
