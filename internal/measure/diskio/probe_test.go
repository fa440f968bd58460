package diskio

import (
	"strings"
	"testing"

	"github.com/hubbench/hubbench/pkg/trace"
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
		if name != tt.name || !strings.Contains(doubt, tt.doubt) || (doubt == "") != (tt.doubt == "") {
			t.Errorf("priorityOf(%v, %q) = %q, %q, want %q, %q", tt.background, tt.policy, name, doubt, tt.name, tt.doubt)
		}
	}
}

// A job whose requests are held back says so, beside its numbers.
func TestPriorityOfAJob(t *testing.T) {
	sys := system{open: openTestFile, ring: noRing, priority: func() (string, string) { return priorityOf(true, "") }}
	_, eff := prepared(t, newJob(t.TempDir(), trace.Write, 1<<20), sys)
	if eff.Priority != "background" || !strings.Contains(strings.Join(eff.Warnings, "\n"), "in the background") {
		t.Errorf("Prepare() = %+v, want its priority and a warning", eff)
	}
}
