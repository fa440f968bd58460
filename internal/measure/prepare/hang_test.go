package prepare

import (
	"context"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/watch"
	"github.com/hubbench/hubbench/pkg/scenario"
)

// A disk that hangs while a run that is checked or created asks for it is named and given up, or
// let go of at an interrupt.
func TestDisksThatHangBeforeTheyWork(t *testing.T) {
	for want, stall := range map[string]time.Duration{
		"disk A (/a): nothing has moved for 20s: the disk hangs; check that it is connected": 20 *
			time.Second,
		"disk A: context canceled": time.Hour,
	} {
		synctest.Test(t, func(t *testing.T) {
			told := 0
			r := &Ready{
				Plan:  &scenario.Plan{Disks: []scenario.Disk{{Name: "A", Path: "/a"}}},
				Watch: watch.Watch{Stall: stall, Notify: func(string) { told++ }},
			}
			ctx, interrupt := context.WithCancel(t.Context())
			defer interrupt()
			time.AfterFunc(time.Minute, interrupt)
			back := make(chan struct{})
			err := r.each(ctx, func(scenario.Disk) error { <-back; return nil })
			check.Same(t, "error", want, fmt.Sprint(err))
			check.Same(t, "notices", 1, told)
			close(back)
			synctest.Wait()
		})
	}
}
