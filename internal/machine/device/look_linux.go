package device

import (
	"context"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/machine/device/linux"
	"github.com/hubbench/hubbench/pkg/hardware"
)

func look(ctx context.Context, opts LookOptions) (*hardware.Inventory, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return linux.Read(os.DirFS("/"), linux.Options{Serials: opts.Serials, Arch: runtime.GOARCH, Usage: usage}), nil
}

// answers is how long a file system may take to say how full it is.
const answers = time.Second

// usage asks the file system that is mounted at a place. One that does not answer, as of a mount whose process is stopped, is
// not known.
func usage(mount string) (linux.Usage, bool) {
	asked := make(chan *unix.Statfs_t, 1)
	go func() {
		var st unix.Statfs_t
		if unix.Statfs(mount, &st) != nil {
			close(asked)
			return
		}
		asked <- &st
	}()
	select {
	case st, ok := <-asked:
		if !ok {
			return linux.Usage{}, false
		}
		unit := st.Frsize // what counts blocks; Bsize is what it likes to move
		if unit == 0 {
			unit = st.Bsize
		}
		return linux.Usage{Size: int64(st.Blocks) * int64(unit), Free: int64(st.Bavail) * int64(unit)}, true
	case <-time.After(answers):
		return linux.Usage{}, false
	}
}
