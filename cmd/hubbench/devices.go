package main

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/internal/tell/output"
	"github.com/hubbench/hubbench/internal/tell/recorded"
	"github.com/hubbench/hubbench/internal/tell/report"
)

func newDevices(p program) *cobra.Command {
	out := p.output()
	var serials bool
	var capture string
	cmd := &cobra.Command{
		Use:   "devices",
		Short: "Show what is plugged in where",
		Long: `Print the disks of this machine as a tree: the port and hub that each is connected
to, what its link negotiated and can carry in one direction, its volumes with their free space and
file systems, and what else is connected to the hub. --all adds disk images, unmounted partitions
and other devices. Nothing is written but the file that you name.

If something is wrong, attach the file that --capture writes to an issue: what this system has
answered, with other words for serial numbers, UUIDs, addresses, and the names of the computer, of
its users and of mounted volumes. Read it before you attach it.`,
		Example: `  hubbench devices
  hubbench devices --json
  hubbench devices --capture my-mac.txt`,
		Args: takes(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if cmd.Flags().Changed("capture") {
				return captureDevices(cmd, &out, capture)
			}
			inv, err := device.Look(cmd.Context(), serials)
			if err != nil {
				return err
			}
			return out.Send(report.OfDevices(inv, out.Format == "text" && !out.All))
		},
	}
	cmd.Flags().BoolVar(&serials, "serials", false, "show serial numbers too")
	cmd.Flags().StringVar(&capture, "capture", "",
		"write what the system has answered to this new `FILE`, for an issue")
	documentFlags(cmd, &out, printed())
	return cmd
}

// captureDevices writes the system's raw answers to a file, which is not there yet.
func captureDevices(cmd *cobra.Command, o *output.Output, path string) error {
	for _, name := range []string{"all", "format", "json", "out", "phase", "serials", "table"} {
		if cmd.Flags().Changed(name) {
			return exit.Usagef("--capture and --%s contradict each other; give one", name)
		}
	}
	switch {
	case path == "":
		return exit.Usagef("--capture needs the name of a new file")
	case recorded.Exists(path):
		return exit.Usagef("--capture %s is there already; give the name of a new file", path)
	case !recorded.IsFolder(filepath.Dir(path)):
		return exit.Usagef("--capture %s: there is no folder %s; create it first", path,
			filepath.Dir(path))
	}
	title := fmt.Sprintf("hubbench %s, %s/%s, %s", toolVersion(), runtime.GOOS, runtime.GOARCH,
		time.Now().UTC().Format(time.DateOnly))
	text, err := device.Capture(cmd.Context(), title)
	if err != nil {
		return err
	}
	o.Path = path
	err = o.Write(func(w io.Writer) error {
		_, err := w.Write(text)
		return err
	})
	refused, ok := errors.AsType[*fs.PathError](err)
	if ok && filepath.Dir(refused.Path) == filepath.Dir(path) { // else it is of stdout
		return fmt.Errorf("--capture %s: %w; give a new file in a folder that you may write to",
			path, refused.Err)
	}
	return err
}
