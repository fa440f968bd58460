package analysis

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/latency"
	"github.com/hubbench/hubbench/pkg/trace"
)

// FuzzAnalyze holds that whatever can be read can be analysed and written as JSON, which refuses
// NaN and infinity, with every list a list and the window within its stages.
func FuzzAnalyze(f *testing.F) {
	f.Add([]byte(nil))
	f.Add([]byte(`{"type":"file","phase":"p","disk":"A","op":"read","bytes":1,"end_ns":1}`))
	f.Add([]byte(`{"type":"file","phase":"p","disk":"A","op":"read","bytes":-5,"start_ns":7,"end_ns":1}
{"type":"progress","phase":"p","disk":"B","bytes":5,"t_ns":100}
{"type":"progress","phase":"p","disk":"B","bytes":9,"t_ns":1000000000}
{"type":"phase","phase":"p","roles":{"A":"write","B":"read","C":"write"},"stop":"hold"}
{"type":"error","phase":"p","disk":"C","error":"gone"}`))
	f.Add(writeRun(fieldNotes(), 3))
	rnd := rand.New(rand.NewPCG(61, 62))
	n := noise{fast: 0.1, samples: true}
	f.Add(writeRun(runOf(
		script{name: "A", op: trace.Write, paces: []pace{{4, 2e9}, {12, 0.5e9}},
			pauses: []pause{{6, 7}}, sizes: tracetest.Fixed(2e8)}.play(rnd, n),
		script{name: "B", op: trace.Read, startS: 1, paces: []pace{{5, 1e9}, {9, 2e9}},
			sizes: tracetest.Fixed(3e8)}.play(rnd, n)), 12))
	played := playing(2, plenty(0.5, 1.8),
		script{name: "C", op: trace.Write, paces: []pace{{2, 1e9}},
			sizes: tracetest.Fixed(2e8)}.play(rnd, n))
	played.Disks[1].Latencies = tracetest.Latency{PerS: 300, MedianNS: 1e5, Sigma: 1}.Play(rnd, 2,
		nil)
	played.Search = &trace.Try{Search: "s", Kind: trace.SearchStreams, Disk: "A", Value: 4}
	f.Add(writeRun(tracetest.Run(played), 40))
	f.Add([]byte(`{"type":"phase","phase":"p","roles":{"A":"read"},"work":{"A":{"op":"read","pace":-1,"probe":-9,"reads":7,"streams":[{"rate":1e300,"frame_ns":-4,"count":-3,"buffer_ns":-9},{"count":2,"frame_ns":1}]}},"search":{"search":"","value":-1e300}}
{"type":"stream","phase":"p","disk":"A","stream":"1","t_ns":-1000000000000000,"due":9223372036854775807,"late":9223372036854775807,"buffer_ns":9223372036854775807,"stall_ns":9223372036854775807}
{"type":"stream","phase":"p","disk":"A","stream":"1","t_ns":1000000000000000000,"due":0,"late":0,"buffer_ns":0,"stall_ns":0}
{"type":"latency","phase":"p","disk":"A","op":"read","t_ns":-1000000000000000000,"hist":"` + emptyHist() + `"}
{"type":"latency","phase":"p","disk":"A","op":"read","t_ns":1000000000000000000,"hist":"` + emptyHist() + `"}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		run, err := trace.Load(bytes.NewReader(data), "fuzz")
		if err != nil {
			return
		}
		checkAnalysis(t, Analyze(run, Options{}))
	})
}

// emptyHist is a histogram of nothing.
func emptyHist() string { return latency.Encode(latency.New()) }

// FuzzMoves holds the same of traces made of numbers: nearly every input is one, while
// FuzzAnalyze's mostly fail to be read. Eight bytes are a file: disk and kind, pause before it,
// length and size with an exponent each.
func FuzzMoves(f *testing.F) {
	f.Add([]byte{0, 0, 1, 100, 3, 50, 2, 0, 1, 0, 1, 90, 3, 60, 2, 0, 2, 1, 1, 100, 3, 50, 2, 9})
	f.Add(bytes.Repeat([]byte{0, 0, 1, 100, 3, 50, 2, 0, 9, 0, 1, 90, 3, 60, 2, 0}, 20))
	f.Fuzz(func(t *testing.T, data []byte) {
		names := []string{"A", "B", "C", "D"}
		phases := []*trace.Phase{tracetest.Phase("p"), tracetest.Phase("q")}
		for _, p := range phases {
			for _, name := range names {
				p.Disks = append(p.Disks, &trace.DiskRecord{Name: name, Op: trace.Write})
			}
		}
		for ; len(data) >= 8; data = data[8:] {
			p := phases[data[0]>>2&1]
			d := p.Disks[data[0]&3]
			if data[0]&8 != 0 {
				d.Op = trace.Read
			}
			scaled := func(v, exponent byte) int64 {
				return int64(v) * int64(math.Pow(10, float64(exponent%12)))
			}
			var at int64
			if n := len(d.Files); n > 0 {
				at = d.Files[n-1].EndNS - int64(data[7]&3)*1e6
			}
			file := trace.File{
				Seq: len(d.Files), StartNS: at + scaled(data[1], data[2]),
				Bytes: scaled(data[5], data[6]), Filler: data[0]&16 != 0,
			}
			file.EndNS = file.StartNS + scaled(data[3], data[4])
			if data[0]&32 != 0 && file.Usable() {
				file.AddSample(trace.Sample{
					TNS: (file.StartNS + file.EndNS) / 2, Bytes: file.Bytes / (1 + int64(data[7])),
				})
			}
			d.Files = append(d.Files, file)
		}
		run, err := trace.Load(bytes.NewReader(writeRun(tracetest.Run(phases...), math.MaxInt)),
			"fuzz")
		if err != nil {
			t.Skip("beyond what can be counted")
		}
		checkAnalysis(t, Analyze(run, Options{}))
	})
}

// checkAnalysis holds what must be true of any analysis.
func checkAnalysis(t *testing.T, a *Analysis) {
	t.Helper()
	text, err := json.Marshal(a)
	if err != nil {
		t.Fatalf("%v in %+v", err, a)
	}
	for _, list := range []string{
		"order", "phases", "matrix", "findings", "warnings", "stages", "active", "recoveries",
		"steals", "roles", "disks", "rates", "departures",
	} {
		if bytes.Contains(text, []byte(`"`+list+`":null`)) {
			t.Fatalf("%q is null in %s", list, text)
		}
	}
	for i := range a.Phases {
		checkPhase(t, &a.Phases[i])
		checkStreams(t, &a.Phases[i])
	}
}

// checkStreams holds what must be true of any phase's streams and latencies.
func checkStreams(t *testing.T, p *PhaseResult) {
	t.Helper()
	for _, s := range p.Streams {
		if s.Late > s.Due || s.Late < 0 || s.LowestBufferS < 0 || s.Series != nil &&
			len(s.Series.Late) > maxStreamSteps {
			t.Fatalf("impossible stream: %+v", s)
		}
	}
	for name, d := range p.Disks {
		l := d.Latency
		if l == nil {
			continue
		}
		if l.Requests < 0 || l.Seconds < 0 || l.P50NS != nil &&
			(l.P99NS != nil && *l.P50NS > *l.P99NS || *l.P50NS > l.MaxNS) {
			t.Fatalf("impossible latency of %s: %+v", name, l)
		}
		if l.P99CI95 != nil && (l.P99CI95[0] > *l.P99NS || l.P99CI95[1] < *l.P99NS) {
			t.Fatalf("p99 of %s beside its interval: %+v", name, l)
		}
	}
}

// checkPhase holds what must be true of any phase.
func checkPhase(t *testing.T, p *PhaseResult) {
	t.Helper()
	for i, s := range p.Stages {
		if s.EndS < s.StartS || i > 0 && s.StartS < p.Stages[i-1].EndS || len(s.Active) == 0 {
			t.Fatalf("stages out of order: %+v", p.Stages)
		}
	}
	o := p.Overlap
	if o == nil {
		return
	}
	if o.DurationS > o.EndS-o.StartS+1e-6 || o.Rate < 0 || o.BytesLow > o.Bytes ||
		o.BytesHigh < o.Bytes {
		t.Fatalf("impossible overlap: %+v", o)
	}
	var sum int64
	for _, d := range o.Disks {
		sum += d.Bytes
		if d.CI95 != nil && d.CI95[0] > d.CI95[1] {
			t.Fatalf("impossible interval: %+v", d)
		}
	}
	if sum != o.Bytes {
		t.Fatalf("the disks' bytes add up to %d, the window's are %d", sum, o.Bytes)
	}
}

// writeSamples writes at most that many of a disk's latency lines, and of the lines of each of its
// streams.
func writeSamples(text []byte, phase string, d *trace.DiskRecord, limit int) []byte {
	for _, l := range d.Latencies[:min(limit, len(d.Latencies))] {
		text = trace.AppendEvent(text, &trace.Event{
			Type: trace.LatencyType, Phase: phase, Disk: d.Name, Op: l.Op, TNS: l.TNS,
			Hist: latency.Encode(l.Hist),
		})
	}
	for _, s := range d.Streams {
		for _, l := range s.Samples[:min(limit, len(s.Samples))] {
			text = trace.AppendEvent(text, &trace.Event{
				Type: trace.StreamType, Phase: phase, Disk: d.Name, Stream: s.Name, TNS: l.TNS,
				Due: l.Due, Late: l.Late, BufferNS: l.BufferNS, StallNS: l.StallNS,
			})
		}
	}
	return text
}

// writeRun writes a run's events as a worker would, with at most that many files a disk.
func writeRun(run *trace.Run, limit int) []byte {
	text := trace.AppendEvent(nil,
		&trace.Event{Type: trace.RunType, Version: 1, Name: run.Name, Disks: run.Disks})
	for _, p := range run.Phases {
		text = trace.AppendEvent(text, &trace.Event{
			Type: trace.PhaseType, Phase: p.Name, Roles: p.Roles, Stop: p.Stop, Work: p.Work,
			Search: p.Search,
		})
		for _, d := range p.Disks {
			text = writeSamples(text, p.Name, d, limit)
			for _, f := range d.Files[:min(limit, len(d.Files))] {
				e := trace.Event{
					Type: trace.ProgressType, Phase: p.Name, Disk: d.Name, Op: d.Op, Seq: f.Seq,
				}
				for _, s := range f.Samples() {
					e.Bytes, e.TNS = s.Bytes, s.TNS
					text = trace.AppendEvent(text, &e)
				}
				e.Type, e.Bytes, e.StartNS, e.EndNS, e.Filler = trace.FileType, f.Bytes, f.StartNS,
					f.EndNS, f.Filler
				text = trace.AppendEvent(text, &e)
			}
		}
	}
	return trace.AppendEvent(text, &trace.Event{Type: trace.EndType, Status: run.Status})
}
