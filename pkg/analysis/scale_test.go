package analysis

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"runtime"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/latency"
	"github.com/hubbench/hubbench/pkg/trace"
)

// longTrace is events.jsonl with that many files, of three disks that write together.
func longTrace(files int) []byte {
	var text []byte
	rnd := rand.New(rand.NewPCG(51, 52))
	var at [3]int64
	for i := range files {
		disk := i % 3
		bytes := 2e6 + rnd.Float64()*200e6
		end := at[disk] + int64(bytes/1.1*(1+0.05*rnd.NormFloat64()))
		text = trace.AppendEvent(text, &trace.Event{
			Type: trace.FileType, Phase: "WWW", Disk: string(rune('A' + disk)), Op: trace.Write,
			Seq: i / 3, Bytes: int64(bytes), StartNS: at[disk], EndNS: end,
		})
		at[disk] = end + 1000
	}
	return text
}

// BenchmarkFiles is all that `hubbench analyze --json` does of a trace except for opening the file.
// It must grow no faster than n log n, and do a million files in two seconds, and as a whole
// command (GOGC 60) in 180 MB.
func BenchmarkFiles(b *testing.B) {
	for _, files := range []int{10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(files), func(b *testing.B) {
			text := longTrace(files)
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				run, err := trace.Load(bytes.NewReader(text), "bench")
				check.Must(b, err)
				if _, err := json.Marshal(Analyze(run, Options{})); err != nil {
					b.Fatal(err)
				}
			}
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			b.ReportMetric(float64(m.Sys)/1e6, "MB-from-OS")
			b.ReportMetric(b.Elapsed().Seconds()*1e9/float64(b.N)/float64(files), "ns/file")
		})
	}
}

// hourOfLatencies is events.jsonl of an hour of three disks that write together, with a latency
// line a second of each.
func hourOfLatencies() []byte {
	var text []byte
	rnd := rand.New(rand.NewPCG(53, 54))
	for disk := range 3 {
		name := string(rune('A' + disk))
		for s := range int64(3600) {
			text = trace.AppendEvent(text, &trace.Event{
				Type: trace.FileType, Phase: "WWW", Disk: name, Op: trace.Write, Seq: int(s),
				Bytes: 1e9, StartNS: s * 1e9, EndNS: (s + 1) * 1e9,
			})
		}
		lines := tracetest.Latency{PerS: 3000, MedianNS: 2e6, Sigma: 0.8, Slow: 0.01,
			SlowNS: 50e6}.Play(rnd, 3600, nil)
		for _, l := range lines {
			text = trace.AppendEvent(text, &trace.Event{
				Type: trace.LatencyType, Phase: "WWW", Disk: name, Op: trace.Write, TNS: l.TNS,
				Hist: latency.Encode(l.Hist),
			})
		}
	}
	return text
}

// BenchmarkLatencies is all that `hubbench analyze --json` does of an hour of latencies except for
// opening the file. It must take no more than three seconds, and hold no more than 130 MB of
// histograms: most of that is reading them.
func BenchmarkLatencies(b *testing.B) {
	text := hourOfLatencies()
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		run, err := trace.Load(bytes.NewReader(text), "bench")
		check.Must(b, err)
		if _, err := json.Marshal(Analyze(run, Options{})); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(len(text))/3/3600, "B/line")
}
