package device

import "context"

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
	out, err := ask(ctx, toolTimeout, []string{"/usr/bin/pmset", "-g"})
	if err != nil {
		return ""
	}
	return macLowPower(out)
}
