package device

import (
	"context"
	"os/exec"
)

// Processes are what this machine does.
func Processes(ctx context.Context) ([]Process, error) {
	out, err := exec.CommandContext(ctx, "/bin/ps", "-Axo", "pid=,time=,command=").Output()
	if err != nil {
		return nil, err
	}
	return parsePS(out), nil
}

// SavingPower says how the processor is held back to save power; empty where it is not, or cannot be asked.
func SavingPower(ctx context.Context) string {
	out, err := exec.CommandContext(ctx, "/usr/bin/pmset", "-g").Output()
	if err != nil {
		return ""
	}
	return macLowPower(out)
}
