package hub

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// The time of a rest counts from its beginning, and as no work.
func TestDemandRests(t *testing.T) {
	for restMS, want := range map[int64]int64{100: 700e6, 200: 400e6, 2000: 0} { // a rest takes away three times its length
		d := &demand{}
		d.proceed(1e9, true)
		d.proceed(1e9+restMS*1e6, true)
		if !d.resting || d.sinceNS != 1e9 || d.worked != 1e9 {
			t.Errorf("after 1 s of work, %d ms of rest: %+v", restMS, d)
		}
		back := 1e9 + restMS*1e6
		d.resume(back)
		if d.resting || d.sinceNS != back || d.worked != want {
			t.Errorf("at work again after %d ms: %+v, want %d ns of work left", restMS, d, want)
		}
		d.resume(back + 1e9)
		if d.sinceNS != back {
			t.Errorf("resumed twice: %+v", d)
		}
	}
}

// Of a file that is read and written, the direction of which nothing was moved has no event.
func TestTell(t *testing.T) {
	for _, tt := range []struct {
		reads float64
		bytes int64
		want  map[trace.Role]int64
	}{
		{0, 9, map[trace.Role]int64{"": 9}},
		{0.25, 8, map[trace.Role]int64{read: 2, write: 6}},
		{0.25, 1, map[trace.Role]int64{write: 1}},
		{1, 8, map[trace.Role]int64{read: 8}},
	} {
		w := &worker{job: &scenario.Job{Reads: tt.reads}, event: trace.Event{Type: trace.FileType, Bytes: tt.bytes}}
		got := map[trace.Role]int64{}
		if err := w.report(func(e *trace.Event) error { got[e.Op] += e.Bytes; return nil }); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%g read of %d bytes (-want +got):\n%s", tt.reads, tt.bytes, diff)
		}
	}
}

// All that two runs have seen is joined.
func TestAddEvidence(t *testing.T) {
	one := func(name string, squares float64, freedom int) *Evidence {
		e := &Evidence{Rates: []Observation{{Phase: name}}, Lags: []ObservedLag{{}}}
		e.Noise.Squares, e.Noise.Freedom = squares, freedom
		return e
	}
	e := one("first", 1, 20)
	e.Add(one("second", 2, 30))
	if len(e.Rates) != 2 || e.Rates[1].Phase != "second" || len(e.Lags) != 2 || e.Noise.Squares != 3 || e.Noise.Freedom != 50 {
		t.Errorf("%+v", e)
	}
}
