package check

import (
	"context"

	"golang.org/x/sys/windows"
)

func (f *facts) askPriority(context.Context) error {
	class, err := windows.GetPriorityClass(windows.CurrentProcess())
	f.priorityHow = "priority class normal or above"
	switch class {
	case windows.IDLE_PRIORITY_CLASS:
		f.heldBack, f.priorityHow = true, "priority class idle"
	case windows.BELOW_NORMAL_PRIORITY_CLASS:
		f.niceness, f.priorityHow = 1, "priority class below normal"
	}
	return err
}
