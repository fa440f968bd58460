package device

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"
)

// TestMain fails if a goroutine outlives the tests.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Whatever the machine is, looking at it gives a host, and every volume a disk to be on.
func TestLook(t *testing.T) {
	inventory, err := Look(t.Context(), false)
	must(t, err)
	if len(inventory.Hosts) != 1 || inventory.Hubs == nil || inventory.Disks == nil {
		t.Errorf("%+v: want one host, and lists that are empty rather than missing", inventory)
	}
	for _, disk := range inventory.Disks {
		if disk.Path.Links == nil || disk.Volumes == nil {
			t.Errorf("disk %+v: want lists that are empty rather than missing", disk)
		}
		if disk.Name == "" || disk.Serial != "" {
			t.Errorf("disk %+v: want a name, and no serial number", disk)
		}
		t.Logf("%s: %s, %d volumes", disk.Name, disk.Model, len(disk.Volumes))
		for _, v := range disk.Volumes {
			t.Logf("  %s at %q: %s, %d of %d bytes free", v.Device, v.Mount, v.Filesystem, v.FreeBytes, v.SizeBytes)
		}
	}
	t.Logf("warnings: %q", inventory.Warnings)
}

// A disk that is held back, by a question to the person, is waited for and said; no worker's time runs meanwhile.
func TestNotifyIfSlow(t *testing.T) { synctest.Test(t, notifiesIfSlow) }

func notifiesIfSlow(t *testing.T) {
	if err := NotifyIfSlow(func(text string) { t.Errorf("said %q", text) }, "disk A", func() error { return nil }); err != nil {
		t.Errorf("at once: %v", err)
	}
	answered, said := make(chan struct{}), ""
	err := NotifyIfSlow(func(text string) { said = text; close(answered) }, "disk A (/Volumes/A)", func() error {
		<-answered
		return errors.New("refused")
	})
	if err == nil || err.Error() != "refused" {
		t.Errorf("after a refusal: %v", err)
	}
	if !strings.Contains(said, "waiting for disk A (/Volumes/A)") {
		t.Errorf("said %q", said)
	}
}
