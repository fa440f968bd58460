// Package supervisor keeps hubbench answering while a disk hangs. A process with a request to such
// a disk cannot be killed until the disk is back, and its parent, such as a shell, waits as long.
// So commands do their work in a second process. The first, the supervisor, touches no disk: it
// passes signals on, and exits with the code that the second reports, even if the second cannot
// end. Where files are opened makes no difference to that: any later request may be the one that
// hangs.
//
// Within the second process, Interrupts are what signals ask of it. Start at Run.
package supervisor

import (
	"context"
	"io"
	"os"

	"github.com/hubbench/hubbench/internal/watch"
)

// Run carries out a command line and exits with the code that it returns, in a process with a
// supervisor if one can be had.
func Run(exit func(code int), command func(context.Context) int) {
	ctx, end, ok := supervised(context.Background(), exit)
	if !ok {
		if code, ok := supervise(); ok {
			exit(code)
			return
		}
	}
	end(command(ctx))
}

// Stdout returns where results go: a file, or whoever reads them.
func Stdout(ctx context.Context, file *os.File) io.Writer {
	if stat, err := file.Stat(); err == nil && !stat.Mode().IsRegular() {
		return Consumer{ctx, file}
	}
	return file
}

// Consumer is a stdout that is no file: whoever reads it may take any time.
type Consumer struct {
	ctx  context.Context
	File *os.File
}

func (c Consumer) Write(p []byte) (int, error) {
	defer watch.Elsewhere(c.ctx)()
	return c.File.Write(p)
}

// Fd makes a terminal recognizable as one.
func (c Consumer) Fd() uintptr { return c.File.Fd() }
