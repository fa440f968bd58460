package main

import "testing"

func TestFioTotal(t *testing.T) {
	const report = `{"jobs": [
		{"read": {"io_bytes": 10, "bw_bytes": 5}, "write": {"io_bytes": 20, "bw_bytes": 7}},
		{"read": {"io_bytes": 0, "bw_bytes": 0}, "write": {"io_bytes": 3, "bw_bytes": 2}}]}`
	for _, out := range []string{report, "note: both iodepth >= 1\n" + report} {
		got, jobs, err := fioTotal([]byte(out))
		if err != nil {
			t.Fatal(err)
		}
		if want := (direction{Bytes: 33, Rate: 14}); got != want || jobs != 2 {
			t.Errorf("%d jobs, %v of %q, want 2 and %v", jobs, got, out, want)
		}
	}
	for _, out := range []string{"", "fio: failed", "{", `{"jobs": 1}`} {
		if _, _, err := fioTotal([]byte(out)); err == nil {
			t.Errorf("%q is no report, and is read", out)
		}
	}
}
