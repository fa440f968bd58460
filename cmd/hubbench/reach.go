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

// reachPatience is how long a disk may take to answer before a person is told what is waited for. A hard disk that starts
// up takes longer.
const reachPatience = 2 * time.Second

// told does what may wait for a disk, and tells a person of what if that takes long.
func told(tell func(text string), patience time.Duration, what string, do func() error) error {
	late := time.AfterFunc(patience, func() {
		tell("waiting for " + what + ": its disk is starting up or hangs, or the system asks in a window of its own whether this terminal may use it")
	})
	defer late.Stop()
	return do()
}

// tell writes a line for a person.
func (p program) tell(text string) { sayf(p.stderr, "%s\n", text) }

// diskAt is a disk as a person is told of it.
func diskAt(d scenario.Disk) string { return fmt.Sprintf("disk %s (%s)", d.Name, d.Path) }

// reach opens every real disk's folder, before anything else is asked of it, for as long as that takes.
func (r *prepared) reach(p program) error {
	for _, disk := range r.plan.Disks {
		if disk.Simulated() {
			continue
		}
		if err := told(p.tell, reachPatience, diskAt(disk), func() error { return diskio.Reach(disk.Path) }); err != nil {
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
	_ = told(p.tell, reachPatience, "results folder "+cmp.Or(asked, into), func() error {
		for _, folder := range []string{into, asked} {
			_, _ = os.ReadDir(folder) // what is wrong with it is said when the run's folder is made
		}
		return nil
	})
	return ready, nil
}
