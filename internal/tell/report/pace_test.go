package report

import (
	"testing"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/stream"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// What disks do is said in one breath, whatever it is.
func TestWhoDoesWhat(t *testing.T) {
	type paced = work.Paced
	play := func(n int) work.Work { return work.Work{Streams: []stream.Spec{{Kind: "hq", Count: n}}} }
	record := func(n int) work.Work {
		return work.Work{Streams: []stream.Spec{{Kind: "hq", Count: n, Record: true}}}
	}
	for _, test := range []struct {
		pattern string
		paced   paced
		want    string
	}{
		{"RRW", nil, "A and B read, C writes"},
		{"RW", paced{"A": play(1)}, "A plays 1 stream, B writes"},
		{"RRR", paced{"A": play(2), "B": play(2), "C": {Probe: 4096}}, "A and B play 2 streams each, C is probed"},
		{"W-R", paced{"A": record(3), "B": play(1)}, "A records 3 streams, C reads"},
		{"R", paced{"A": {Streams: append(play(2).Streams, record(1).Streams...)}}, "A plays and records 3 streams"},
		{"RW", paced{"A": {Reads: 0.7}}, "A reads and writes 70/30, B writes"},
		{"WRR", paced{"A": {Pace: 2e8}, "B": {Probe: 4096}, "C": {Probe: 4096}}, "A writes at up to 200 MB/s, B and C are probed"},
	} {
		roles := map[string]trace.Role{}
		for i, letter := range test.pattern {
			roles[string(rune('A'+i))] = map[rune]trace.Role{'R': trace.Read, 'W': trace.Write, '-': trace.Idle}[letter]
		}
		if got := does(newKeys([]string{"A", "B", "C"}), roles, test.paced); got != test.want {
			t.Errorf("%s: got %q, want %q", test.pattern, got, test.want)
		}
	}
}

func TestDoing(t *testing.T) {
	for want, paced := range map[string]work.Work{
		"writing": {},
		"playing and recording 4 x hq and 1 x raw": {Streams: []stream.Spec{{Kind: "hq", Count: 4}, {Kind: "raw", Count: 1, Record: true}}},
		"probed 4 KiB at a time":                   {Probe: 4096},
		"probed 1 MiB at a time":                   {Probe: 1 << 20},
		"probed 5 KB at a time":                    {Probe: 5000},
		"writing at up to 200 MB/s":                {Pace: 200e6},
		"reading and writing 70/30":                {Reads: 0.7},
	} {
		v := &phaseView{found: &analysis.Phase{Roles: map[string]trace.Role{"A": trace.Write}, Paced: work.Paced{"A": paced}}}
		if got := v.key("A").Does; got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
