package diskio

import (
	"math"
	"os"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// BenchmarkLatencyCost says what recording latencies costs of the rate of random 4 KiB requests, 64 at a time: a pass
// over a file of 16 MiB with them and one without in turns, in the folder that HUBBENCH_BENCH_DIR names: on a loop device
// of memory a request costs the least of all. An operation is such a pair. "wall" is the share of the rate, and "cpu"
// that of the process's time, which is the rate's if nothing but the processor limits it, and is less disturbed by
// what else the machine does.
func BenchmarkLatencyCost(b *testing.B) {
	dir := os.Getenv("HUBBENCH_BENCH_DIR")
	if dir == "" {
		dir = b.TempDir()
	}
	for _, how := range []string{"io_uring", "threads"} {
		for _, role := range []trace.Role{trace.Read, trace.Write} {
			b.Run(how+" "+string(role), func(b *testing.B) {
				engine, is := costEngine(b, dir, role, systems[how])
				if is != how {
					b.Skipf("%s is to be had here", is)
				}
				counted := engine.latencies
				defer func() { engine.latencies = counted }()
				seq := 0
				pass := func(l *latencies) (wall, cpu float64) {
					seq++
					engine.latencies = l
					before := processNS(b)
					span, err := engine.Transfer(b.Context(), seq, nil)
					if err != nil {
						b.Fatal(err)
					}
					return float64(span.EndNS - span.StartNS), processNS(b) - before
				}
				var walls, cpus, requests []float64
				b.ResetTimer()
				for i := range b.N {
					first, second := counted, (*latencies)(nil)
					if i%2 == 1 { // neither is always the first
						first, second = second, first
					}
					wall, cpu := pass(first)
					wall2, cpu2 := pass(second)
					if i%2 == 1 {
						wall, wall2, cpu, cpu2 = wall2, wall, cpu2, cpu
					}
					walls, cpus = append(walls, 100*(1-wall2/wall)), append(cpus, 100*(1-cpu2/cpu))
					requests = append(requests, cpu2/float64(engine.job.Sizes[0]/engine.job.IO.Block))
				}
				reportMedian(b, "%cpu", cpus)
				reportMedian(b, "%wall", walls)
				reportMedian(b, "cpu-ns/request", requests)
			})
		}
	}
}

// reportMedian reports the median and the ends of its 95 % interval, those of the order statistics (Conover, Practical
// Nonparametric Statistics, 1999, 3.2).
func reportMedian(b *testing.B, what string, list []float64) {
	b.Helper()
	slices.Sort(list)
	n := float64(len(list))
	at := func(rank float64) float64 { return list[int(min(max(rank, 0), n-1))] }
	half := 1.96 * math.Sqrt(n) / 2
	b.ReportMetric(at(n/2), what)
	b.ReportMetric(at(n/2-half), what+"-low")
	b.ReportMetric(at(n/2+half), what+"-high")
}

// processNS is the processor time that the process has had.
func processNS(b *testing.B) float64 {
	b.Helper()
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &ts); err != nil {
		b.Fatal(err)
	}
	return float64(ts.Nano())
}

// costEngine is ready to pass over one file again and again.
func costEngine(b *testing.B, dir string, role trace.Role, sys system) (_ *real, is string) {
	b.Helper()
	job := newJob(dir, role, 16<<20)
	job.IO = scenario.IO{
		Mode: scenario.ModeDirect, Block: 4096, Depth: 64, Flush: scenario.FlushNone, Preallocate: true, OneFile: true, Access: scenario.AccessRandom,
	}
	engine, eff := prepared(b, job, sys)
	engine.Start(clock.Now(), func(trace.Event) {})
	if _, err := engine.Transfer(b.Context(), 0, nil); err != nil { // one to warm up
		b.Fatal(err)
	}
	return engine, eff.Engine
}
