package device

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/machine/device/macos"
	"github.com/hubbench/hubbench/pkg/hardware"
)

// toolTimeout is how long a tool may take. system_profiler takes some seconds, and more if a disk has to spin up.
const toolTimeout = 30 * time.Second

// look asks macOS' own tools, all at once. One that fails costs what it would have shown, and a warning.
func look(ctx context.Context, serials bool) (*hardware.Inventory, error) {
	var captures macos.Captures
	tools := []struct {
		into  *[]byte
		tells string
		argv  []string
	}{
		{&captures.Profiler, "ports, hubs and models", append([]string{"/usr/sbin/system_profiler", "-json"}, macos.DataTypes[:]...)},
		{&captures.Disks, "disks and volumes", []string{"/usr/sbin/diskutil", "list", "-plist"}},
		{&captures.APFS, "APFS containers and encryption", []string{"/usr/sbin/diskutil", "apfs", "list", "-plist"}},
		{&captures.Routers, "the rates of Thunderbolt", []string{"/usr/sbin/ioreg", "-a", "-l", "-r", "-c", "IOThunderboltSwitch"}},
		{&captures.Drivers, "the way to each disk", []string{"/usr/sbin/ioreg", "-a", "-l", "-r", "-t", "-c", "IOBlockStorageDriver"}},
		{&captures.Mounts, "mount options", []string{"/sbin/mount"}},
	}
	failures := make([]error, len(tools))
	var all sync.WaitGroup
	for i, tool := range tools {
		all.Go(func() { *tool.into, failures[i] = ask(ctx, toolTimeout, tool.argv) })
	}
	all.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	inventory := macos.Parse(captures, serials)
	for i, err := range failures {
		if err != nil {
			inventory.Warnings = append(inventory.Warnings,
				fmt.Sprintf("%s: %v, so %s may stay unknown", filepath.Base(tools[i].argv[0]), err, tools[i].tells))
		}
	}
	return inventory, nil
}

// mounted also asks as a program does that lists the folder: if the person has not let this one at removable volumes,
// the system says that the operation is not permitted, whatever the folder's own permissions are.
func (p *Place) mounted(st *unix.Statfs_t) {
	p.Filesystem = unix.ByteSliceToString(st.Fstypename[:])
	p.Mount = unix.ByteSliceToString(st.Mntonname[:])
	p.Source = unix.ByteSliceToString(st.Mntfromname[:])
	fd, err := unix.Open(p.Path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err == nil {
		_ = unix.Close(fd) // nothing was read
	} else if errors.Is(err, unix.EPERM) {
		p.Closed = err
	}
}

// Processes are what this machine does.
func Processes(ctx context.Context) ([]Process, error) {
	out, err := ask(ctx, toolTimeout, []string{"/bin/ps", "-Axo", "pid=,time=,command="})
	if err != nil {
		return nil, err
	}
	return parsePS(out), nil
}

// SavingPower says how the processor is held back to save power; empty if it is not, or cannot be asked.
func SavingPower(ctx context.Context) string {
	out, _ := ask(ctx, toolTimeout, []string{"/usr/bin/pmset", "-g"}) // nothing if it fails
	return macLowPower(out)
}
