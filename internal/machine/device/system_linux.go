package device

import (
	"cmp"
	"context"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/machine/device/linux"
	"github.com/hubbench/hubbench/pkg/hardware"
)

func look(ctx context.Context, serials bool) (*hardware.Inventory, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return linux.Read(os.DirFS("/"),
		linux.Options{Serials: serials, Arch: runtime.GOARCH, Usage: usage}), nil
}

func captureAnswers(ctx context.Context) (string, error) {
	return linux.Record(os.DirFS("/"), linux.Options{Arch: runtime.GOARCH, Usage: usage}), ctx.Err()
}

// answers is how long a file system may take to say how full it is.
const answers = time.Second

// usage asks the file system that is mounted at a place. One that does not answer, as of a mount
// whose process is stopped, is not known.
func usage(mount string) (size, free int64) {
	asked := make(chan unix.Statfs_t, 1)
	go func() {
		var st unix.Statfs_t
		_ = unix.Statfs(mount, &st) // It fails with all at zero, so they are unknown.
		asked <- st
	}()
	select {
	case st := <-asked:
		// Frsize is what blocks are counted in, and Bsize what it likes to move.
		unit := cmp.Or(st.Frsize, st.Bsize)
		return int64(st.Blocks) * int64(unit), int64(st.Bavail) * int64(unit)
	case <-time.After(answers):
		return 0, 0
	}
}

// mounted finds the mount that the folder is in: one may lie over another, and the device number
// that stat gives is btrfs's own.
func (p *Place) mounted(*unix.Statfs_t) {
	m := linux.FindMount(os.DirFS("/"), p.Path)
	p.Mount, p.Filesystem, p.Source = m.Point, m.Filesystem, m.Source
}

// Processes returns what this machine does.
func Processes(context.Context) ([]Process, error) { return procProcesses(os.DirFS("/proc")) }

// SavingPower says how the processor is held back to save power; empty if it is not.
func SavingPower(context.Context) string { return linuxPowerSaving(os.DirFS("/sys")) }
