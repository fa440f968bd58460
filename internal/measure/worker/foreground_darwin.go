package worker

import "golang.org/x/sys/unix"

// prioDarwinProcess is PRIO_DARWIN_PROCESS of setpriority(2), which x/sys does not have.
const prioDarwinProcess = 4

// foreground takes this process out of the background, where macOS keeps what a scheduled job starts: on the slow cores,
// with its I/O throttled. Outside of it threads of no particular class run on any core. A class of one's own
// (pthread_set_qos_class_self_np) is not available without cgo.
func foreground() error { return unix.Setpriority(prioDarwinProcess, 0, 0) }
