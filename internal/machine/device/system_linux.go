package device

import (
	"context"
	"os"
)

// Processes are what this machine does.
func Processes(context.Context) ([]Process, error) { return procProcesses(os.DirFS("/proc")) }

// SavingPower says how the processor is held back to save power; empty if it is not.
func SavingPower(context.Context) string { return governed(os.DirFS("/sys")) }
