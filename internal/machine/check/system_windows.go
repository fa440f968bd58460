package check

import (
	"context"

	"golang.org/x/sys/windows"
)

func (f *facts) askPriority(context.Context) error {
	class, err := windows.GetPriorityClass(windows.CurrentProcess())
	f.priority = "priority class normal or above"
	switch class {
	case windows.IDLE_PRIORITY_CLASS:
		f.lowPriority = true
		f.priority = "priority class idle"
	case windows.BELOW_NORMAL_PRIORITY_CLASS:
		f.niceness = 1
		f.priority = "priority class below normal"
	}
	return err
}
