package configs

import (
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/pkg/hub"
)

func load(t *testing.T, name string) *hub.Profile {
	t.Helper()
	data, ok := Hub(name)
	if !ok {
		t.Fatalf("no built-in hub %s", name)
	}
	p, err := hub.Load(name+".yaml", data)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// Every built-in hub has disks A, B and C, so one scenario can be tried on all of them.
func TestHubs(t *testing.T) {
	if diff := gocmp.Diff([]string{"goshen-ridge", "ideal", "thunderbolt-5", "usb-10g"}, Hubs()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, name := range Hubs() {
		if p := load(t, name); p.Name != name {
			t.Errorf("hubs/%s.yaml calls itself %q", name, p.Name)
		} else if p.Disk("A") == nil || p.Disk("B") == nil || p.Disk("C") == nil {
			t.Errorf("hubs/%s.yaml lacks one of A, B and C", name)
		} else if measured := p.Source == hub.Measured; measured != (name == "goshen-ridge") {
			t.Errorf("hubs/%s.yaml: its source is %q", name, p.Source)
		}
	}
	if _, ok := Hub("../configs"); ok {
		t.Error("a name led out of the folder")
	}
}
