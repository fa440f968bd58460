package diskio

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/internal/test/testdisk"
	"github.com/hubbench/hubbench/pkg/latency"
	"github.com/hubbench/hubbench/pkg/stream"
)

var quietStreams = flag.Duration("quiet-streams", 0,
	"how long to play and to record streams on a disk in memory, on a machine that does nothing "+
		"else")

// On a quiet device, streams keep their rate within 0.1 %, no frame is late, frames are requested
// within 1 ms of their time, and cost at most a quarter more processor time than they cost fio, as
// runs of fio themselves differ by that much. How late the machine itself wakes a thread that only
// sleeps is measured beside them and allowed for. If other work keeps the processors busy the rest
// fails too, so the test runs only if it is asked for.
func TestStreamsOnAQuietDevice(t *testing.T) {
	if *quietStreams == 0 {
		t.Skip("-quiet-streams is not set")
	}
	disk := testdisk.Make(t, testdisk.Options{Bytes: 5 << 30}, os.Getenv("CI") == "true")
	check.Must(t, disk.Format(0, "mkfs.xfs", "-q"))
	dir, err := disk.Mount(0, "")
	check.Must(t, err)
	_, noFio := exec.LookPath("fio")
	var ours, theirs float64
	engine := ""
	for _, record := range []bool{false, true} {
		spec := stream.Spec{Record: record, Rate: 400e6 / 24, Frame: 40 * time.Millisecond,
			Count: 24, Buffer: time.Second}
		var cpu float64
		cpu, engine = playQuietly(t, dir, spec)
		ours += cpu
		if noFio == nil && engine == "io_uring" {
			theirs += fioCPU(t, dir, spec)
		}
	}
	t.Run("processor time", func(t *testing.T) {
		switch {
		case noFio != nil:
			t.Skip("fio is not installed")
		case engine != "io_uring":
			t.Skipf("frames are moved by %s here, and fio's would be by io_uring", engine)
		}
		evidence.Report(t, evidence.Finding{
			Claim: "streams-pace",
			Case: "24 streams, 400 MB/s, processor time to read and to write; true is what fio " +
				"takes",
			Unit: "% of a core", Truth: 50 * theirs, Measured: 50 * ours, Low: 50 * ours,
			High:  50 * ours,
			Limit: "a quarter more at most", Pass: ours <= 1.25*theirs,
		})
	})
}

// quietFootprint is the size of all streams' files together.
const quietFootprint = 2 << 30

// fioCPU is how much of a core fio takes for as many frames of the same size, except for the part
// of a page, in a thread and by an io_uring for each stream.
func fioCPU(t *testing.T, dir string, spec stream.Spec) float64 {
	t.Helper()
	const page = 4096
	frame := int(spec.Bytes(0)) / page * page
	run := func(seconds int, more ...string) (cpu time.Duration) {
		args := append([]string{
			"--name=streams", "--thread", "--ioengine=io_uring", "--direct=1", "--fixedbufs",
			"--rw=" + map[bool]string{false: "read", true: "write"}[spec.Record],
			"--directory=" + dir, "--filename_format=fio.$jobnum",
			fmt.Sprint("--numjobs=", spec.Count),
			fmt.Sprint("--bs=", frame),
			fmt.Sprint("--size=", quietFootprint/spec.Count/frame*frame),
			fmt.Sprint("--rate_iops=", int(time.Second/spec.Frame)), "--time_based",
			fmt.Sprint("--runtime=", seconds),
		}, more...)
		cmd := exec.CommandContext(t.Context(), "fio", args...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("fio: %v\n%s", err, out)
		}
		return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	run(1, "--create_only=1")
	length := max(2, int(quietStreams.Seconds()))
	start := run(1) // to begin and to end are in both
	return (run(1+length) - start).Seconds() / float64(length)
}

// playQuietly runs streams, reports how they kept to their times, and returns how much of a core
// they took, and by what.
func playQuietly(t *testing.T, dir string, spec stream.Spec) (cpu float64, engine string) {
	t.Helper()
	job := streamsJob(dir, spec)
	job.IO.Footprint, job.IO.Block = quietFootprint, 1<<20
	runtime.LockOSThread()
	s := newStreams(job, systemCalls())
	plain := exec.CommandContext(t.Context(), os.Args[0], "-test.run=^TestSleep$", "-test.v",
		"-sleep", quietStreams.String())
	var woken bytes.Buffer
	plain.Stdout = &woken
	var user, system, userNow, systemNow, beganNS, endedNS int64
	p := playStreams(t, s, *quietStreams, func() {
		check.Must(t, plain.Start())
		user, system = cpuTime(t)
		beganNS = clock.Now()
	}, func() {
		userNow, systemNow = cpuTime(t)
		endedNS = clock.Now()
		check.Must(t, plain.Wait())
	})
	eff := p.effective
	var moved int64
	for _, span := range p.spans {
		moved += span.Bytes
	}
	end := p.spans[len(p.spans)-1].EndNS
	var p99, p999, longest time.Duration
	_, after, _ := strings.Cut(woken.String(), sleptLate)
	_, err := fmt.Sscan(after, (*int64)(&p99), (*int64)(&p999), (*int64)(&longest))
	check.Must(t, err)
	late, due, lowest := 0, 0, spec.Buffer
	for _, o := range p.outcomes {
		late, due, lowest = late+o.Late, due+o.Due, min(lowest, time.Duration(o.LowestNS))
	}
	rate := float64(moved) / float64(end) * 1e9
	cpu = float64(userNow-user+systemNow-system) / float64(endedNS-beganNS)
	at := func(q float64) time.Duration {
		return time.Duration(s.lateNS.ValueAtQuantile(100 * q))
	}
	t.Logf("%s by %s, %s, block %d: %d frames due, lowest buffer %s; requested late by p50 %s, "+
		"p99 %s, p99.9 %s, max %s; processor %.2f %%, %.2f %% of that in the kernel; a thread "+
		"that only sleeps was woken late by p99 %s, p99.9 %s, max %s",
		job.Role, eff.Engine, eff.Cache, eff.Block, due, lowest, at(0.5), at(0.99), at(0.999),
		at(1),
		100*cpu, 100*float64(systemNow-system)/float64(userNow-user+systemNow-system), p99, p999,
		longest)
	report := func(what, unit string, truth, measured float64, limit string, pass bool) {
		t.Helper()
		evidence.Report(t, evidence.Finding{
			Claim: "streams-pace", Case: fmt.Sprintf("24 streams, %s, 400 MB/s, %s", job.Role,
				what),
			Unit: unit, Truth: truth, Measured: measured, Low: measured, High: measured,
			Limit: limit, Pass: pass,
		})
	}
	ms := func(d time.Duration) float64 { return float64(d) / 1e6 }
	report("rate", "B/s", spec.TotalRate(), rate, "within 0.1 %",
		math.Abs(rate/spec.TotalRate()-1) <= 0.001)
	report("late frames", fmt.Sprintf("of %d", due), 0, float64(late), "none", late == 0)
	lateness := "of 100 frames requested after their time by at most; true is how late a thread " +
		"that only sleeps was woken"
	report("99 "+lateness, "ms", ms(p99), ms(at(0.99)), "1 ms more", at(0.99) <= p99+
		time.Millisecond)
	report("99.9 "+lateness, "ms", ms(p999), ms(at(0.999)),
		"1 ms more than twice as much, as they are few", at(0.999) <= 2*p999+time.Millisecond)
	return cpu, eff.Engine
}

var sleepFor = flag.Duration("sleep", 0, "how long TestSleep sleeps")

const sleptLate = "woken late by, in ns: "

// TestSleep is no test: in a process of its own it says how late this machine wakes a thread that
// only sleeps, as often as TestStreamsOnAQuietDevice has frames.
func TestSleep(t *testing.T) {
	if *sleepFor == 0 {
		t.Skip("it belongs to TestStreamsOnAQuietDevice")
	}
	runtime.LockOSThread()
	lateNS := latency.New()
	for at, end := clock.Now(), clock.Now()+sleepFor.Nanoseconds(); at < end; {
		at += (40 * time.Millisecond / 24).Nanoseconds()
		clock.SleepUntil(at)
		latency.Record(lateNS, clock.Now()-at, 1)
	}
	fmt.Println(sleptLate, lateNS.ValueAtPercentile(99), lateNS.ValueAtPercentile(99.9),
		lateNS.Max())
}

// cpuTime is what the process has had of all processors.
func cpuTime(t *testing.T) (user, system int64) {
	t.Helper()
	var u unix.Rusage
	check.Must(t, unix.Getrusage(unix.RUSAGE_SELF, &u))
	return u.Utime.Nano(), u.Stime.Nano()
}
