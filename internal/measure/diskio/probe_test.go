package diskio

import (
	"strings"
	"testing"
)

func TestPriority(t *testing.T) {
	for _, tt := range []struct {
		background   bool
		policy, name string
		warning      string
	}{
		{false, "", "", ""},
		{false, "important", "important", ""},
		{false, "throttle", "throttle", "I/O policy throttle"},
		{false, "utility", "utility", "I/O policy utility"},
		{true, "important", "background", "efficiency cores"},
	} {
		name, warning := priorityOf(tt.background, tt.policy)
		if name != tt.name || !strings.Contains(warning, tt.warning) ||
			(warning == "") != (tt.warning == "") {
			t.Errorf("priorityOf(%v, %q) = %q, %q, want %q, %q", tt.background, tt.policy, name,
				warning, tt.name, tt.warning)
		}
	}
}
