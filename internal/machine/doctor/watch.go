package doctor

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/hubbench/hubbench/pkg/trace"
)

const (
	// sayAfter is how long nothing may move on a disk before a notice.
	sayAfter = 8 * time.Second
	// hangTimeout is how long nothing may move before the disk is given up.
	hangTimeout = 20 * time.Second
	// endTime is how long the checks of a disk may take to end when they are interrupted.
	endTime  = time.Second
	lookEach = 100 * time.Millisecond
)

// watchDisk makes every check of one disk, in a goroutine that a disk that hangs may block forever. Such a disk fails, and
// the checks of others go on. It reports whether the goroutine ended.
func (o Options) watchDisk(ctx context.Context, path string, add func(name, path string, c trace.Check)) bool {
	type made struct {
		name  string
		check trace.Check
	}
	left := append([]string{"permissions", "folder"}, diskChecks[:]...)
	checks, moves := make(chan made, len(left)), make(chan struct{}, 1)
	alive := func() {
		select {
		case moves <- struct{}{}:
		default:
		}
	}
	go func() {
		defer close(checks)
		o.checkDisk(ctx, path, alive, func(name, _ string, c trace.Check) { checks <- made{name, c} })
	}()
	stall, interrupted := cmp.Or(o.Stall, hangTimeout), ctx.Done()
	notice := min(sayAfter, stall/2)
	var over <-chan time.Time // soon after an interrupt
	look := time.NewTicker(lookEach)
	defer look.Stop()
	for silent := time.Duration(0); silent < stall && len(left) > 0; {
		select {
		case c, more := <-checks:
			if !more {
				return true
			}
			add(c.name, path, c.check)
			left, silent = left[1:], 0
		case <-moves:
			silent = 0
		case <-look.C:
			if silent += lookEach; silent-lookEach < notice && silent >= notice {
				o.OnHang(fmt.Sprintf("%s: nothing has moved for %s: the disk hangs, or is very slow; it is given up after %s", path, silent, stall))
			}
		case <-interrupted:
			interrupted, over = nil, time.After(endTime)
		case <-over:
			silent = stall
		}
	}
	if len(left) == 0 {
		return true
	}
	add(left[0], path, fail(fmt.Sprintf("nothing moved for %s", stall), "The disk hangs.", "check that it is connected, and try again"))
	for _, name := range left[1:] {
		add(name, path, skip("", "It is not known, as the disk hangs.", ""))
	}
	o.OnHang(fmt.Sprintf("test files may be left in %s, or appear there, as .hubbench-%s, when the disk is back; then run hubbench clean %[1]s", path, o.RunID))
	return false
}
