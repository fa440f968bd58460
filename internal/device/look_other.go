//go:build !linux && !darwin

package device

import (
	"context"

	"github.com/hubbench/hubbench/pkg/hardware"
)

func look(context.Context, LookOptions) (*hardware.Inventory, error) {
	return &hardware.Inventory{
		Hosts: []hardware.Host{}, Hubs: []hardware.Hub{}, Disks: []hardware.Disk{},
		Warnings: []string{"hubbench does not know how to list the disks of this system"},
	}, nil
}
