package check

import (
	"context"
	"fmt"

	"golang.org/x/sys/unix"
)

// The numbers of ioprio_get(2), and the class that waits until nobody else uses the disk.
const (
	ioprioProcess = 1
	ioprioShift   = 13
	ioprioIdle    = 3
)

func (f *facts) askPriority(context.Context) error {
	raw, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil {
		return err
	}
	f.niceness = 20 - raw // The system call counts from 40 down.
	f.priority = fmt.Sprintf("nice %d", f.niceness)
	class, _, errno := unix.Syscall(unix.SYS_IOPRIO_GET, ioprioProcess, 0, 0)
	if errno == 0 && class>>ioprioShift == ioprioIdle {
		f.lowPriority = true
		f.priority += ", requests to disks in the idle class"
	}
	return nil
}
