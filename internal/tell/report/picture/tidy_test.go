package picture

import "testing"

func TestShortPath(t *testing.T) {
	for _, test := range []struct {
		path, want string
		ok         bool
	}{
		{"M28.901,114.3L28.901,206.5L31.946,206.5L31.946,205.94Z", "M28.9,114.3v92.2h3v-.6z", true},
		{"M0,0L0.04,0.04L10,0.5", "M0,0l10,.5", true},
		{"M13.6,10A3.6,3.6 0 0 1 6.4,10A3.6,3.6 0 0 1 13.6,10Z", "M13.6,10a3.6,3.6 0 0 1 -7.2,0a3.6,3.6 0 0 1 7.2,0z", true},
		{"M1,1C1,2,3,4,5,6", "", false},
		{"M1,one", "", false},
	} {
		if got, ok := shortPath(test.path); got != test.want || ok != test.ok {
			t.Errorf("shortPath(%q) = %q, %v; want %q, %v", test.path, got, ok, test.want, test.ok)
		}
	}
}

// Rounding each point, not each step, keeps long lines in place.
func TestShortPathDoesNotDrift(t *testing.T) {
	got, ok := shortPath("M0,0L0.06,1L0.12,2L0.18,3L0.24,4L0.3,5")
	if want := "M0,0l.1,1v1l.1,1v1l.1,1"; got != want || !ok {
		t.Errorf("got %q, want %q", got, want)
	}
}
