package rundir

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestSince(t *testing.T) {
	dir := t.TempDir()
	now := time.Now().Truncate(time.Second)
	for name, run := range map[string]struct {
		info string
		ago  time.Duration
	}{
		"good":        {`{"status":"complete","plan":{"disks":[{"name":"A","path":"/x"}]}}`, time.Minute},
		"old":         {`{"status":"complete","plan":{}}`, time.Hour},
		"interrupted": {`{"status":"partial","plan":{}}`, time.Minute},
		"simulated":   {`{"status":"complete","simulated":true,"plan":{}}`, time.Minute},
		"bad":         {`{`, time.Minute},
		"no plan":     {`{"status":"complete"}`, time.Minute},
	} {
		file := filepath.Join(dir, name, InfoFile)
		if err := os.Mkdir(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(run.info), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, now, now.Add(-run.ago)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, "photos"), 0o755); err != nil {
		t.Fatal(err)
	}
	runs := Since(dir, now.Add(-10*time.Minute))
	if len(runs) != 1 || runs[0].Path != filepath.Join(dir, "good") || !runs[0].Ended.Equal(now.Add(-time.Minute)) || runs[0].Info.Plan.Disks[0].Path != "/x" {
		t.Errorf("Since() = %+v, want the good run of a minute ago", runs)
	}
	if runs := Since(filepath.Join(dir, "nowhere"), now); runs != nil {
		t.Errorf("Since() of no folder = %v", runs)
	}
}
