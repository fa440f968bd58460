package main

import (
	"regexp"
	"syscall"
	"testing"

	"github.com/hubbench/hubbench/internal/exit"
)

// A disk that does not answer any more, in whatever state the run is, is named, and ends the run:
// by itself, or at one interrupt.
func TestFaultsOfDisksThatHangInARun(t *testing.T) {
	t.Parallel()
	c := faults(t, "a disk that hangs before, in and between phases: given up, and interrupted once")
	const two = "- {name: first, pattern: WW}\n- {name: second, pattern: RR"
	for _, tc := range []struct {
		state  string
		phases string
		far    func(events string) bool // when it hangs; nil: before the run
		code   int                      // when it is given up
		says   string
	}{
		{"checked", two + "}", nil, exit.Failed, `disk A \([^)]*\): nothing has moved for \d+s`},
		{"resting", two + ", cooldown: 1 h}", ended("first"), exit.Partial,
			`disk A, phase second: nothing has moved for \d+s: the disk hangs`},
		{"resting until idle", two + ", cooldown: {until: idle, most: 1 h}}", ended("first"),
			exit.Partial, `disk A, phase second: nothing has moved for \d+s: the disk hangs`},
		{"getting ready", two + "}", ended("first"), exit.Partial,
			`disk A, phase second: its worker was killed`},
		{"measuring", writing, func(events string) bool {
			return filesOf(events, "WW", "A") >= 3
		}, exit.Partial, `disk A, phase WW: its worker was killed`},
	} {
		for _, interrupted := range []bool{false, true} {
			name := tc.state + " given up"
			stall := "10s"
			if interrupted {
				name = tc.state + " interrupted"
				stall = "1h"
			}
			c.try(name, func(t *testing.T) {
				disk, root := newBeneathFolder(t)
				well := inMemory(t)
				// It is back before what waits for it is killed, which is in vain till then.
				defer func() { _ = disk.cmd.Process.Signal(syscall.SIGCONT) }()
				hang := func() error { return disk.cmd.Process.Signal(syscall.SIGSTOP) }
				if tc.far == nil {
					must(t, hang())
				}
				r := beginRun(t, endless(root, well, tc.phases), "--stall", stall)
				if tc.far != nil {
					r.injectAt(hang, tc.far)
				}
				blamed := regexp.MustCompile(`[Dd]isk B[^\n]*(nothing|hang|killed|failed)`)
				named := regexp.MustCompile(`disk A[^\n]*: nothing has moved for \d+s`)
				r.until(t, "the disk is not named", func() bool {
					return named.MatchString(r.said.String())
				})
				if interrupted {
					r.interrupt()
					r.ends(exit.Interrupted, "interrupted")
				} else {
					r.ends(tc.code, tc.says)
				}
				if blamed.MatchString(r.said.String()) {
					t.Errorf("a disk that is well is blamed:\n%s", r.said)
				}
				must(t, disk.cmd.Process.Signal(syscall.SIGCONT))
				r.leaves(root, well)
			})
		}
	}
}
