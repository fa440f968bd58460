package awake

import "go.uber.org/zap"

// keep takes systemd's lock against sleep: systemd-inhibit(1) holds it while the command that it runs goes on. Ours is
// cat, which ends with its stdin.
func keep(log *zap.Logger) (release func()) {
	return hold(log, []string{"systemd-inhibit", "--what=sleep:idle", "--who=hubbench", "--why=disks are being measured", "--mode=block", "cat"})
}
