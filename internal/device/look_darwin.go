package device

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/hubbench/hubbench/internal/device/macos"
	"github.com/hubbench/hubbench/pkg/hardware"
)

// patience is how long a tool may take. system_profiler takes some seconds, and more where a disk has to spin up.
const patience = 30 * time.Second

// look asks macOS' own tools, all at once. One that fails costs what it would have told, and a warning.
func look(ctx context.Context, opts LookOptions) (*hardware.Inventory, error) {
	var captures macos.Captures
	tools := []struct {
		into *[]byte
		argv []string
	}{
		{&captures.Profiler, append([]string{"/usr/sbin/system_profiler", "-json"}, macos.DataTypes[:]...)},
		{&captures.Disks, []string{"/usr/sbin/diskutil", "list", "-plist"}},
		{&captures.APFS, []string{"/usr/sbin/diskutil", "apfs", "list", "-plist"}},
		{&captures.Routers, []string{"/usr/sbin/ioreg", "-a", "-l", "-r", "-c", "IOThunderboltSwitch"}},
		{&captures.Drivers, []string{"/usr/sbin/ioreg", "-a", "-l", "-r", "-t", "-c", "IOBlockStorageDriver"}},
		{&captures.Mounts, []string{"/sbin/mount"}},
	}
	failures := make([]error, len(tools))
	var all sync.WaitGroup
	for i, tool := range tools {
		all.Go(func() { *tool.into, failures[i] = ask(ctx, patience, tool.argv) })
	}
	all.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	inventory := macos.Parse(captures, opts.Serials)
	for i, err := range failures {
		if err != nil {
			inventory.Warnings = append(inventory.Warnings, fmt.Sprintf("%s: %v, so what it tells stays unknown", strings.Join(tools[i].argv[:min(2, len(tools[i].argv))], " "), err))
		}
	}
	return inventory, nil
}
