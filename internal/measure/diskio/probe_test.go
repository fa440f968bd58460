package diskio

import (
	"strings"
	"testing"
)

func TestPriority(t *testing.T) {
	for _, tt := range []struct {
		background   bool
		policy, name string
		doubt        string
	}{
		{false, "", "", ""},
		{false, "important", "important", ""},
		{false, "throttle", "throttle", "I/O policy throttle"},
		{false, "utility", "utility", "I/O policy utility"},
		{true, "important", "background", "efficiency cores"},
	} {
		name, doubt := priorityOf(tt.background, tt.policy)
		if name != tt.name || !strings.Contains(doubt, tt.doubt) ||
			(doubt == "") != (tt.doubt == "") {
			t.Errorf("priorityOf(%v, %q) = %q, %q, want %q, %q", tt.background, tt.policy, name,
				doubt, tt.name, tt.doubt)
		}
	}
}
