package device

import (
	"context"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"github.com/hubbench/hubbench/internal/machine/device/macos"
	"github.com/hubbench/hubbench/pkg/hardware"
)

// toolTimeout is how long a tool may take. system_profiler takes some seconds, and more if a disk has to spin up.
const toolTimeout = 30 * time.Second

// look asks macOS' own tools, all at once. One that fails costs what it would have shown, and a warning.
func look(ctx context.Context, opts LookOptions) (*hardware.Inventory, error) {
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
	inventory := macos.Parse(captures, opts.Serials)
	for i, err := range failures {
		if err != nil {
			inventory.Warnings = append(inventory.Warnings, fmt.Sprintf("%s: %v, so %s may stay unknown", filepath.Base(tools[i].argv[0]), err, tools[i].tells))
		}
	}
	return inventory, nil
}
