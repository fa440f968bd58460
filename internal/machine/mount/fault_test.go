package mount

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestParseFault(t *testing.T) {
	for _, tc := range []struct {
		text string
		want Fault
		fail string // what the mistake is
	}{
		{"A:eio@2GB", Fault{Disk: "A", Kind: EIO, AtBytes: 2e9}, ""},
		{"B:enospc", Fault{Disk: "B", Kind: ENOSPC}, ""},
		{"A:stall=3s@10s", Fault{Disk: "A", Kind: Stall, For: 3 * time.Second, After: 10 * time.Second}, ""},
		{"A:stall=3s@1MiB", Fault{Disk: "A", Kind: Stall, For: 3 * time.Second, AtBytes: 1 << 20}, ""},
		{"A:vanish@90s", Fault{Disk: "A", Kind: Vanish, After: 90 * time.Second}, ""},
		{"A:short", Fault{Disk: "A", Kind: Short}, ""},
		{"A:corrupt", Fault{Disk: "A", Kind: Corrupt}, ""},
		{"A:slowsync=500ms", Fault{Disk: "A", Kind: SlowSync, For: 500 * time.Millisecond}, ""},
		{"eio", Fault{}, `write it as DISK:KIND, such as A:eio@2GB`},
		{"Z:eio", Fault{}, `the profile has no disk "Z"; it has A, B`},
		{"A:fire", Fault{}, `no fault is called "fire"; there are eio, enospc, stall, vanish, short, corrupt, slowsync`},
		{"A:stall", Fault{}, `it needs a time, such as stall=500ms`},
		{"A:stall=0s", Fault{}, `a time must be above zero`},
		{"A:eio=3s", Fault{}, `eio takes no time`},
		{"A:eio@", Fault{}, `"" after @ is neither a size above zero, such as 2GB, nor a time, such as 30s`},
		{"A:eio@soon", Fault{}, `"soon" after @ is neither a size above zero, such as 2GB, nor a time, such as 30s`},
		{"A:eio@-1GB", Fault{}, `"-1GB" after @ is neither a size above zero, such as 2GB, nor a time, such as 30s`},
	} {
		got, err := ParseFault(tc.text, []string{"A", "B"})
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s: (-want +got)\n%s", tc.text, diff)
		}
		if (err == nil) != (tc.fail == "") || err != nil && err.Error() != fmt.Sprintf("fault %q: %s", tc.text, tc.fail) {
			t.Errorf("%s: got error %v, want %s", tc.text, err, tc.fail)
		}
	}
}

// A fault begins when it is said to, on its own disk, and a stall ends.
func TestFaultsBegin(t *testing.T) {
	var nowNS int64 = 5e9
	now := func() int64 { return nowNS }
	all := []Fault{
		{Disk: "A", Kind: EIO, AtBytes: 100},
		{Disk: "A", Kind: Vanish, After: 10 * time.Second},
		{Disk: "A", Kind: Stall, For: 3 * time.Second, AtBytes: 50},
		{Disk: "B", Kind: Short},
	}
	a, b := newFaults("A", all, now), newFaults("B", all, now)
	check := func(f *faults, kind Kind, want bool) {
		t.Helper()
		if _, got := f.has(kind); got != want {
			t.Errorf("%s: got %t, want %t", kind, got, want)
		}
	}
	check(b, Short, true)
	check(a, Short, false)
	a.moved.Add(50)
	if left := a.stalls(); left != 0 {
		t.Errorf("it stands still for %s before its time", left)
	}
	a.moved.Add(50)
	check(a, EIO, false)
	for _, want := range []time.Duration{3 * time.Second, 2 * time.Second, time.Second, 0, 0} {
		if left := a.stalls(); left != want {
			t.Errorf("it stands still for %s, want %s", left, want)
		}
		nowNS += 1e9
	}
	a.moved.Add(1)
	check(a, EIO, true)
	check(a, Vanish, false)
	nowNS = 15e9
	check(a, Vanish, true)
	check(b, EIO, false)
}
