package gauge

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/trace"
)

// cpuTimes is how long all cores together were busy, and how long there was, in any unit.
type cpuTimes struct{ busy, total float64 }

// parseStat reads the first line of Linux' /proc/stat: user, nice, system, idle, iowait, irq, softirq, steal. A core that
// waits for a disk is not busy; one that a hypervisor has given to another guest is not available.
func parseStat(text string) (cpuTimes, error) {
	line, _, _ := strings.Cut(text, "\n")
	fields := strings.Fields(line)
	if len(fields) < 5 || fields[0] != "cpu" {
		return cpuTimes{}, fmt.Errorf("/proc/stat: its first line is %q", line)
	}
	var t cpuTimes
	for i, field := range fields[1:min(len(fields), 9)] { // guests' time is in user's already
		ticks, err := strconv.ParseFloat(field, 64)
		if err != nil {
			return cpuTimes{}, fmt.Errorf("/proc/stat: %w", err)
		}
		t.total += ticks
		if i != 3 && i != 4 {
			t.busy += ticks
		}
	}
	return t, nil
}

// cpuSource reads how busy the cores were since the reading before; the first has no value.
func cpuSource(read func() (cpuTimes, error)) Source {
	var last cpuTimes
	return Source{Name: "CPU", Every: Every, Read: func(context.Context) ([]Reading, error) {
		now, err := read()
		if err != nil {
			return nil, err
		}
		was := last
		last = now
		if was.total == 0 || now.total <= was.total {
			return nil, nil
		}
		percent := 100 * (now.busy - was.busy) / (now.total - was.total)
		if percent < 0 || percent > 100.5 {
			return nil, errors.New("CPU times run backwards")
		}
		return []Reading{{Name: trace.CPU, Value: min(percent, 100)}}, nil
	}}
}
