package doctor

import (
	"cmp"
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/measure/diskio"
)

func measurePriority() (priority, error) {
	policy, doubt := diskio.Priority()
	p := priority{background: doubt != "", how: "requests to disks: " + cmp.Or(policy, "policy not known")}
	if nice, err := unix.Getpriority(unix.PRIO_PROCESS, 0); err == nil {
		p.nice, p.how = nice, fmt.Sprintf("nice %d, %s", nice, p.how)
	}
	return p, nil
}
