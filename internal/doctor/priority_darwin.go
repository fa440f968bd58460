package doctor

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/diskio"
)

func measurePriority() (priority, error) {
	nice, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil {
		return priority{}, fmt.Errorf("ask for the priority: %w", err)
	}
	name, doubt := diskio.Priority()
	return priority{nice: nice, background: doubt != "", how: fmt.Sprintf("nice %d, requests to disks: %s", nice, name)}, nil
}
