package fio

import "testing"

func TestReadReport(t *testing.T) {
	const report = `{"jobs": [{"read": {"io_bytes": 10, "bw_bytes": 5}, "write": {"io_bytes": 20, "bw_bytes": 7}},
		{"read": {"io_bytes": 0, "bw_bytes": 0}, "write": {"io_bytes": 3, "bw_bytes": 2}}]}`
	for _, out := range []string{report, "note: both iodepth >= 1 and synchronous I/O engine\n" + report} {
		r, err := ReadReport([]byte(out))
		if err != nil {
			t.Fatal(err)
		}
		if got, want := r.Total(), (Direction{Bytes: 33, Rate: 14}); got != want || len(r.Jobs) != 2 {
			t.Errorf("%d jobs, %v of %q, want 2 and %v", len(r.Jobs), got, out, want)
		}
	}
	for _, out := range []string{"", "fio: failed", "{", `{"jobs": 1}`} {
		if _, err := ReadReport([]byte(out)); err == nil {
			t.Errorf("%q is no report, and is read", out)
		}
	}
}
