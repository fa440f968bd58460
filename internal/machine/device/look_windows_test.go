package device

import (
	"testing"

	parser "github.com/hubbench/hubbench/internal/machine/device/windows"
	"github.com/hubbench/hubbench/internal/test/check"
)

// What the drives tell without PowerShell is little, but the system's disk and its volumes are in it.
func TestAskDrives(t *testing.T) {
	answer, err := askDrives()
	check.Must(t, err)
	for _, disk := range parser.Parse(answer, false).Disks {
		if disk.System {
			if len(disk.Volumes) == 0 || disk.Volumes[0].Mount == "" || disk.Volumes[0].SizeBytes == 0 {
				t.Errorf("the system's disk has the volumes %+v, want a mounted one of known size", disk.Volumes)
			}
			return
		}
	}
	t.Errorf("no disk is the system's: %s", answer)
}
