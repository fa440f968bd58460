package gauge

import (
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/test/check"
)

// The first reading of the cores has nothing to count from, and the next shows how busy they were.
func TestCores(t *testing.T) {
	sources := whole(t.Context(), nil)
	if len(sources) != 1 {
		t.Fatalf("%d sources of the cores", len(sources))
	}
	came := check.Within(10*time.Second, func() bool {
		reads, err := sources[0].Read(t.Context())
		check.Must(t, err)
		if len(reads) == 0 {
			return false
		}
		if v := reads[0].Value; v < 0 || v > 100 {
			t.Errorf("the cores were %v %% busy", v)
		}
		return true
	})
	if !came {
		t.Error("the cores were never read")
	}
}
