package doctor

import (
	"fmt"
	"strings"

	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

const (
	countLow  = 0.98
	countHigh = 1.15 // the file system's own records are far below
)

// judgeCounters compares the bytes that hubbench moved with those that the device counted.
func judgeCounters(files []moved) trace.Check {
	var how []string
	high := false
	for _, m := range files {
		if m.counted < 0 {
			return skip("nothing counts what this disk moves", "Traffic of other programs cannot be distinguished from a slow disk.", "close other programs before measuring")
		}
		part := float64(m.counted) / float64(m.Bytes)
		if part < countLow {
			return fail(fmt.Sprintf("%s of %s, but the disk moved %s", m.role, unit.FormatBytes(m.Bytes), unit.FormatBytes(m.counted)),
				"Part of the bytes never went over the link: they stayed in a cache, or were compressed.", "turn compression off for the folder, and see the check `direct`")
		}
		high = high || part > countHigh
		how = append(how, fmt.Sprintf("%s %.1f %%", m.role, 100*part))
	}
	measured := "the disk counts of what was moved: " + strings.Join(how, ", ")
	if high {
		return warn(measured, "More moves on this disk than was asked for, so that its rates come out too low: because of another program, or a file system that writes everything twice.",
			"stop backups, indexing and other programs on it, and try again")
	}
	return pass(measured, "What hubbench reports is what the disk moved, and no other program uses it.")
}
