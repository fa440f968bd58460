package awake

import (
	"bytes"
	"os"

	"go.uber.org/zap"
)

// canSleep reports whether the kernel knows a way to sleep: virtual machines mostly have none. The file lists them:
// https://docs.kernel.org/admin-guide/pm/sleep-states.html
func canSleep() bool {
	states, err := os.ReadFile("/sys/power/state")
	return err != nil || len(bytes.TrimSpace(states)) > 0
}

// keep takes systemd's lock against sleep: systemd-inhibit(1) holds it while the command that it runs goes on. Ours is
// cat, which ends with its stdin.
func keep(log *zap.Logger, lost func(error)) (release func()) {
	return hold(log, lost, []string{"systemd-inhibit", "--what=sleep:idle", "--who=hubbench", "--why=disks are being measured", "--mode=block", "cat"})
}
