package main

import (
	"fmt"
	"io"
	"time"

	"github.com/hubbench/hubbench/internal/diskio"
	"github.com/hubbench/hubbench/pkg/scenario"
)

// reachPatience is how long a disk's folder may take to open before a person is told what is waited for. A hard disk
// that starts up takes longer.
const reachPatience = 2 * time.Second

// reach opens every real disk's folder, before any job is timed on it.
func (r *prepared) reach(p program) error {
	for _, disk := range r.plan.Disks {
		if disk.Simulated() {
			continue
		}
		if err := reachDisk(p.stderr, disk, diskio.Reach, reachPatience); err != nil {
			return usage(err)
		}
	}
	return nil
}

// reachDisk waits for a disk's folder for as long as it takes.
func reachDisk(say io.Writer, disk scenario.Disk, open func(dir string) error, patience time.Duration) error {
	opened := make(chan error, 1)
	go func() { opened <- open(disk.Path) }()
	var err error
	select {
	case err = <-opened:
	case <-time.After(patience):
		sayf(say, "waiting for disk %s (%s): it is starting up, or the system asks in a window of its own whether this terminal may use it\n", disk.Name, disk.Path)
		err = <-opened
	}
	if err != nil {
		return fmt.Errorf("disk %s: %w", disk.Name, err)
	}
	return nil
}
