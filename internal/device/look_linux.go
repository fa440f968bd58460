package device

import (
	"context"
	"os"
	"runtime"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/device/linux"
	"github.com/hubbench/hubbench/pkg/hardware"
)

func look(ctx context.Context, opts LookOptions) (*hardware.Inventory, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return linux.Read(os.DirFS("/"), linux.Options{Serials: opts.Serials, Arch: runtime.GOARCH, Usage: usage}), nil
}

// usage asks the file system that is mounted at a place.
func usage(mount string) (linux.Usage, bool) {
	var st unix.Statfs_t
	if unix.Statfs(mount, &st) != nil {
		return linux.Usage{}, false
	}
	unit := st.Frsize // what counts blocks; Bsize is what it likes to move
	if unit == 0 {
		unit = st.Bsize
	}
	return linux.Usage{Size: int64(st.Blocks) * int64(unit), Free: int64(st.Bavail) * int64(unit)}, true
}
