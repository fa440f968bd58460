package device

import "time"

// SlowAfter is how long a disk may take to answer before a person is told what is waited for. A hard disk that starts up
// takes longer.
const SlowAfter = 2 * time.Second

// NotifyIfSlow does what may wait for a disk, and tells a person what is waited for if that takes long.
func NotifyIfSlow(notify func(text string), timeout time.Duration, what string, do func() error) error {
	late := time.AfterFunc(timeout, func() {
		notify("waiting for " + what + ": its disk is starting up or hangs, or the system asks in a window of its own whether this terminal may use it")
	})
	defer late.Stop()
	return do()
}
