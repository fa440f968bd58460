package session

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/scenario"
)

// A run is said to be resumable only if it is: a full disk may have taken no run.json.
func TestFullResults(t *testing.T) {
	for said, info := range map[string]*rundir.Info{
		"continue with: NEXT": {Plan: &scenario.Plan{}}, "begin a new run": nil,
	} {
		dir, err := rundir.Create(filepath.Join(t.TempDir(), "out"), nil)
		check.Must(t, err)
		if info != nil {
			check.Must(t, dir.WriteJSON(rundir.InfoFile, info))
		}
		err = unrecorded(t.Context(), syscall.ENOSPC, dir, "NEXT")
		check.Must(t, dir.Close())
		if !strings.HasSuffix(err.Error(), said) {
			t.Errorf("it said %q, want %q at its end", err, said)
		}
	}
}
