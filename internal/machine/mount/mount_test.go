package mount

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/hubbench/hubbench/pkg/hub"
)

// TestMain fails if a goroutine outlives the tests.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Folders in one another are refused, whatever links say so, and folders beside one another are not.
func TestCheckNested(t *testing.T) {
	root := t.TempDir()
	at := func(names ...string) string { return filepath.Join(append([]string{root}, names...)...) }
	for _, dir := range []string{"hub", "files", "hubs"} {
		if err := os.Mkdir(at(dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, link := range [][2]string{{at("hub"), at("link")}, {at("hub", "A"), at("files", "A")}, {at("hubs", "B"), at("hubs", "A")}} {
		if err := os.Symlink(link[0], link[1]); err != nil {
			t.Skip(err)
		}
	}
	for _, tc := range []struct{ dir, backing, want string }{
		{at("hub"), at("hub"), "keep its files in itself"},
		{at("hub"), at("hub", "in", "it"), "keep its files in itself"},
		{at("new", "in"), at("new"), "keep its files in itself"},
		{at("link"), at("hub"), "keep its files in itself"},
		{at("hub"), at("link", "new"), "keep its files in itself"},
		{at("hub"), at("files"), "keep its files in itself"}, // by the link of disk A, which leads nowhere yet
		{at("hub"), at("hubs"), "the files of A and B would lie in one another"},
		{at("hub"), at("new"), ""},
		{at("hub"), at("hub-behind"), ""},
		{at("hub"), "", ""},
	} {
		o := Options{Profile: even(), Dir: tc.dir, Backing: tc.backing}
		switch err := o.Check(); {
		case tc.want == "" && err != nil:
			t.Errorf("%s, files in %s: %v", tc.dir, tc.backing, err)
		case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%s, files in %s: got %v, want %s", tc.dir, tc.backing, err, tc.want)
		}
	}
}

// A disk of 80 MB/s may be slowed down to 20 MB/s.
func TestSlowed(t *testing.T) {
	for part, want := range map[float64]string{
		0.25: "", 1: "", 0.24: "disk A would move less than 20.0 MB/s, and its requests look like those of a disk that hangs; try 0.25 or more",
		1e-9: "try 0.25 or more", 0: "must be above 0 and up to 1", 1.5: "must be above 0 and up to 1",
	} {
		got, err := Slowed(even(), part)
		switch {
		case want == "" && (err != nil || got.Disks[0].Read.Hub != part*80*mb):
			t.Errorf("%g: %v, %v", part, got, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
			t.Errorf("%g: got %v, want %s", part, err, want)
		}
	}
	slow := &hub.Profile{Disks: []hub.Disk{{Name: "A", Read: hub.Side{Hub: 1 * mb}, Write: hub.Side{Hub: 1 * mb}}}}
	if _, err := Slowed(slow, 1); err != nil {
		t.Errorf("as slow as its profile says: %v", err)
	}
}
