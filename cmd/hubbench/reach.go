package main

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/hubbench/hubbench/internal/diskio"
	"github.com/hubbench/hubbench/pkg/scenario"
)

// reachTimeout is how long a disk may take to answer before a person is told what is waited for. A hard disk that starts
// up takes longer.
const reachTimeout = 2 * time.Second

// notifyIfSlow does what may wait for a disk, and tells a person of what if that takes long.
func notifyIfSlow(notify func(text string), timeout time.Duration, what string, do func() error) error {
	late := time.AfterFunc(timeout, func() {
		notify("waiting for " + what + ": its disk is starting up or hangs, or the system asks in a window of its own whether this terminal may use it")
	})
	defer late.Stop()
	return do()
}

// tell writes a line for a person.
func (p program) notify(text string) { sayf(p.stderr, "%s\n", text) }

// diskAt is a disk as a person is told of it.
func diskAt(d scenario.Disk) string { return fmt.Sprintf("disk %s (%s)", d.Name, d.Path) }

// reach opens every real disk's folder, before anything else is asked of it, for as long as that takes.
func (r *prepared) reach(p program) error {
	for _, disk := range r.plan.Disks {
		if disk.Simulated() {
			continue
		}
		if err := notifyIfSlow(p.notify, reachTimeout, diskAt(disk), func() error { return diskio.Reach(disk.Path) }); err != nil {
			return usage(fmt.Errorf("disk %s: %w", disk.Name, err))
		}
	}
	return nil
}

// prepareAt is prepare, and looks at where the results are to go, asked for or not, for as long as that takes.
func prepareAt(p program, path, asked string) (*prepared, error) {
	ready, err := prepare(path)
	if err != nil {
		return nil, err
	}
	into := resultsOf(ready.scenario)
	if asked != "" {
		into = filepath.Dir(asked)
	}
	_ = notifyIfSlow(p.notify, reachTimeout, "results folder "+cmp.Or(asked, into), func() error {
		for _, folder := range []string{into, asked} {
			_, _ = os.ReadDir(folder) // what is wrong with it is said when the run's folder is made
		}
		return nil
	})
	return ready, nil
}
