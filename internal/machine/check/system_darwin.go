package check

import (
	"context"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/measure/diskio"
)

func (f *facts) askPriority(context.Context) (err error) {
	policy, doubt := diskio.Priority()
	f.niceness, err = unix.Getpriority(unix.PRIO_PROCESS, 0)
	f.lowPriority = doubt != ""
	f.priority = fmt.Sprintf("nice %d, requests to disks: %s", f.niceness, policy)
	return err
}
