package prepare

import (
	"context"
	"fmt"
	"path/filepath"

	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/internal/measure/testfolder"
	"github.com/hubbench/hubbench/pkg/scenario"
)

// A disk that a person connects elsewhere may come back under another path. Until then an empty
// test folder of its own name stays on it, by which it is known again.

// markName names the test folder of a disk.
func (r *Ready) markName(runID, disk string) string {
	number := 1
	for r.Plan.Disks[number-1].Name != disk {
		number++
	}
	return fmt.Sprintf("%s-%d", runID, number)
}

// Mark makes a test folder on each disk that is there, before a person connects disks in another
// way.
func (r *Ready) Mark(ctx context.Context, runID string) error {
	if r.inside == nil {
		r.inside = map[string]string{}
	}
	return r.each(ctx, func(d scenario.Disk) error {
		place, absent := device.Inspect(d.Path)
		// The disk is gone since the last time, and still marked.
		if absent != nil && r.inside[d.Name] != "" {
			return nil
		}
		inside, err := filepath.Rel(place.Mount, place.Path)
		if err != nil {
			return err
		}
		r.inside[d.Name] = inside
		return testfolder.Mark(d.Path, r.markName(runID, d.Name))
	})
}

// Reconnect finds the marked disks where they are now, and has the plan name these folders. It
// returns the file systems that they are on, as Devices does, and the disks that are not there.
func (r *Ready) Reconnect(
	ctx context.Context, runID string,
) (devices map[string]uint64, absent []string) {
	inv, _ := r.Look(ctx) // Without it, only the disk's last folder is known.
	devices = map[string]uint64{}
	for i := range r.Plan.Disks {
		d := &r.Plan.Disks[i]
		if d.Simulated() {
			continue
		}
		folders := []string{d.Path}
		for k := 0; inv != nil && k < len(inv.Disks); k++ {
			for _, v := range inv.Disks[k].Volumes {
				for _, mount := range append(v.Mounts, v.Mount) {
					folders = append(folders, filepath.Join(mount, r.inside[d.Name]))
				}
			}
		}
		absent = append(absent, d.Name)
		for _, folder := range folders {
			place, err := device.Inspect(folder)
			if err == nil && testfolder.Marked(folder, r.markName(runID, d.Name)) {
				d.Path = folder
				devices[d.Name] = place.ID
				absent = absent[:len(absent)-1]
				break
			}
		}
	}
	return devices, absent
}

// Unmark removes the test folders of Mark from the disks that are there.
func (r *Ready) Unmark(ctx context.Context, runID string) {
	_ = r.each(ctx, func(d scenario.Disk) error {
		// If it stays, hubbench clean removes it later.
		_ = testfolder.RemoveRun(d.Path, r.markName(runID, d.Name))
		return nil
	})
}
