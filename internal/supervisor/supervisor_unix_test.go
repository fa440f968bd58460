//go:build unix

package supervisor

import (
	"context"
	"fmt"
	"os"
	"testing"
)

// TestSupervisorOfASupervised hands a process pipes that cannot be used. If it is a supervisor's it
// does without, or it would start a process that starts the next, without end.
func TestSupervisorOfASupervised(t *testing.T) {
	for _, tt := range []struct {
		name       string
		parent     int
		supervised bool
	}{
		{"of its parent", os.Getppid(), true},
		{"of another process", os.Getppid() + 1, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Setenv(supervisedVariable, fmt.Sprintf(pipesFormat, -1, -1, tt.parent, "SECRET"))
			_, _, ok := supervised(context.Background(), nil)
			if ok != tt.supervised {
				t.Errorf("it is supervised: %t, want %t", ok, tt.supervised)
			}
			if left := os.Getenv(supervisedVariable); left != "" {
				t.Errorf("its own processes get %q", left)
			}
		})
	}
}
