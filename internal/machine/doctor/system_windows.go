package doctor

import (
	"fmt"

	"golang.org/x/sys/windows"
)

func measurePriority() (priority, error) {
	class, err := windows.GetPriorityClass(windows.CurrentProcess())
	if err != nil {
		return priority{}, fmt.Errorf("ask for the priority: %w", err)
	}
	switch class {
	case windows.IDLE_PRIORITY_CLASS:
		return priority{background: true, how: "priority class idle"}, nil
	case windows.BELOW_NORMAL_PRIORITY_CLASS:
		return priority{nice: 1, how: "priority class below normal"}, nil
	}
	return priority{how: "priority class normal or above"}, nil
}
