package device

import (
	"context"

	"github.com/hubbench/hubbench/pkg/hardware"
)

// LookOptions are what Look is to find out beyond the usual.
type LookOptions struct {
	Serials bool // serial numbers too: they identify a person's disk
}

// Look finds out what is plugged in where: the machine, hubs, disks and their volumes. It reads what the system offers
// and writes nothing. What the system does not report is left out, with a warning if that may surprise.
func Look(ctx context.Context, opts LookOptions) (*hardware.Inventory, error) {
	inv, err := look(ctx, opts)
	if err != nil {
		return nil, err
	}
	inv.Listed()
	return inv, nil
}
