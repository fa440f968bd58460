package check

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/hubbench/hubbench/internal/machine/gauge"
	"github.com/hubbench/hubbench/internal/measure/diskio"
	"github.com/hubbench/hubbench/internal/measure/testfolder"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

const (
	largest    = 256e6 // largest is bytes of the file that is written and read again.
	pilotSize  = 8 << 20
	pilotTime  = 6 // pilotTime is seconds that the file may take: a slow disk gets a smaller one.
	largeBlock = 8 << 20
	smallBlock = 4096
	smallSize  = 16 << 20
	smallTime  = 4 * time.Second
	depth      = 4
)

func (f *facts) tryTestFolder(context.Context) error {
	f.folderErr = testfolder.Try(f.disk.Path, f.opts.RunID)
	return nil
}

func judgeFolder(f *facts) answer {
	if f.folderErr == nil {
		return pass("created, locked and removed")
	}
	return fail(f.folderErr.Error(),
		"test files might not be removed, or be removed while another run uses them",
		"use a file system of the computer's own ("+f.goodFormats()+"), not one on a network, "+
			"and hubbench clean to remove what is left")
}

// moved says how a file was moved, and how many bytes of it the device counted.
type moved struct {
	diskio.Trial
	job     scenario.Job
	counted int64 // counted is in bytes; -1 if nothing counts them.
}

func (m moved) rate() float64 { return float64(m.Bytes) / max(m.Seconds, 1e-9) }

// each returns how long a small request takes, in nanoseconds.
func (m moved) each() float64 { return depth * smallBlock / m.rate() * 1e9 }

// largeJob is to move a file in large blocks, and smallJob one in small ones.
func largeJob(role trace.Role, size int64) scenario.Job {
	return scenario.Job{Role: role, Sizes: []int64{size}, Seed: 1, IO: scenario.IO{
		Mode: scenario.ModeDirect, Block: largeBlock, Depth: depth, Flush: scenario.FlushFsync,
		Verify: scenario.VerifyOff, Preallocate: true,
	}}
}

func smallJob(role trace.Role, size int64) scenario.Job {
	job := largeJob(role, size)
	job.IO.Block, job.IO.Access, job.IO.Cap = smallBlock, scenario.AccessRandom, smallTime
	return job
}

// move moves a file as a run does, and has the device count.
func (f *facts) move(ctx context.Context, job scenario.Job, stays bool) (moved, error) {
	job.Disk = f.disk.Path
	work := diskio.Job{Job: job, RunID: f.opts.RunID, Phase: "doctor", Dir: f.disk.Path}
	if stays { // The next one reads it.
		work.CarryOver = work.Sizes
	}
	before, noCount := gauge.Count(ctx, f.disk.Path)
	did, err := diskio.Try(ctx, work, f.onProgress)
	m := moved{Trial: did, job: job, counted: -1}
	if after, err := gauge.Count(ctx, f.disk.Path); err == nil && noCount == nil {
		// Trims of removed test files are left out.
		m.counted = after.Read + after.Written - before.Read - before.Written
	}
	return m, err
}

// moveFiles writes a large file and reads it, in large requests and in small ones.
func (f *facts) moveFiles(ctx context.Context) error {
	if f.files != nil {
		return nil // Another check has reported it.
	}
	pilot := largeJob(trace.Write, pilotSize)
	pilot.IO.Block = 1 << 20
	speed, err := f.move(ctx, pilot, false)
	if err != nil {
		return err
	}
	room := int64(speed.rate()*pilotTime) / largeBlock * largeBlock
	f.size = min(max(room, 2*largeBlock), largest)
	small := min(max(f.size/4/smallBlock*smallBlock, 1<<20), smallSize)
	for _, job := range []scenario.Job{
		largeJob(trace.Write, f.size), largeJob(trace.Read, f.size),
		smallJob(trace.Write, small), smallJob(trace.Read, small),
	} {
		m, err := f.move(ctx, job, job.Role == trace.Write)
		if err != nil {
			return err
		}
		f.files = append(f.files, m)
	}
	return nil
}

const (
	// cachedPart is the share of a file that other requests may leave in the system's cache.
	cachedPart = 0.01
	// countedPart is the share of a file that the device must have counted, if the system does not
	// say what it caches: the device may count late.
	countedPart = 0.9
)

// judgeDirect asks whether a file went past the system's cache, when it was written and when it was
// read again.
func judgeDirect(files []moved) answer {
	const try = "use a folder on a disk with a file system that the system itself serves: " +
		"not in memory, on a network, in an encrypted container or by a program such as ntfs-3g"
	block := unit.FormatBlock(files[0].job.IO.Block)
	var how []string
	for _, m := range files {
		role := m.job.Role
		size := unit.FormatBytes(m.Bytes)
		cached := float64(m.Cached) / float64(m.Bytes)
		counted := float64(m.counted) / float64(m.Bytes)
		went := fmt.Sprintf("%s %s, ", role, unit.FormatRate(m.rate()))
		switch {
		case m.Effective.Cache == trace.CacheOfWrites:
			how = append(how, "write: see small_direct")
			continue
		case m.Effective.Cache != "direct":
			return fail(fmt.Sprintf("a %s in blocks of %s went through the cache (%s)", role, block,
				strings.Join(m.Effective.Warnings, "; ")),
				"rates are those of memory and disk together", try)
		case m.Cached < 0 && m.counted < 0:
			return skip("this system reports neither what it caches nor what the disk moves")
		case m.Cached < 0 && counted < countedPart:
			return fail(fmt.Sprintf("the disk moved %.0f%% of %s at a direct %s", 100*counted,
				size, role),
				"the rest came from memory, and so may rates", try)
		case m.Cached < 0:
			how = append(how, went+fmt.Sprintf("%.0f%% moved by the disk", 100*counted))
		case cached > cachedPart:
			return fail(fmt.Sprintf("%.0f%% of %s stayed in memory at a direct %s", 100*cached,
				size, role),
				"requests that claim to be direct pass through the cache, so a rate may be that "+
					"of memory", try)
		default:
			how = append(how, went+fmt.Sprintf("%.1f%% in memory", 100*cached))
		}
	}
	return pass(fmt.Sprintf("%s in blocks of %s: %s", unit.FormatBytes(files[0].Bytes), block,
		strings.Join(how, "; ")))
}

func judgeDirect4K(f *facts) answer {
	if f.files[0].Effective.Cache != "direct" {
		return skip("see direct")
	}
	return judgeDirect(f.files[2:])
}

// judgeSmallDirect says what the writes of 4 KiB did, as they were tried before they were measured.
func judgeSmallDirect(f *facts) answer {
	switch did := f.files[2].Effective; did.Cache {
	case "direct":
		return pass("writes of 4 KiB go past the cache")
	case trace.CacheOfWrites:
		return warn(did.SmallWrites, "the disk also reads and writes whole pages for them",
			"compare small writes with those of the same system only")
	}
	return skip("see direct_4k")
}

// inOrder reports whether the engine neither reserves new files here nor writes them with several
// requests at a time, as on exFAT of macOS: then neither is there to be tried.
func (f *facts) inOrder() bool {
	did := f.files[0].Effective
	return did.Space == trace.SpaceNone && did.Depth < depth
}

// reservePart is the share of a reserved file that the disk may move for it: a file system's own
// records are far less.
const reservePart = 0.1

// tryReserve reserves a file as large as the one that was measured, and has the device count.
func (f *facts) tryReserve(ctx context.Context) error {
	if f.inOrder() {
		return nil
	}
	before, noCount := gauge.Count(ctx, f.disk.Path)
	f.reserveErr = diskio.TryReserve(f.disk.Path, f.opts.RunID, f.size)
	f.reserved = -1
	if after, err := gauge.Count(ctx, f.disk.Path); err == nil && noCount == nil {
		f.reserved = after.Written - before.Written
	}
	return ctx.Err()
}

func judgeReserve(f *facts) answer {
	size, wrote := unit.FormatBytes(f.size), unit.FormatBytes(f.reserved)
	switch {
	case f.inOrder():
		return skip("see exfat")
	case f.reserveErr != nil:
		return pass(fmt.Sprintf(
			"files can't be reserved here (%v), so they get their space as they are "+
				"written", f.reserveErr))
	case f.reserved < 0:
		return skip("nothing counts what this disk moves")
	case float64(f.reserved) > reservePart*float64(f.size):
		return warn(fmt.Sprintf("the disk wrote %s to reserve %s", wrote, size),
			"the file system fills with zeros what it reserves, so new files are written twice",
			"use another file system, such as "+f.goodFormats())
	}
	return pass(fmt.Sprintf("the disk wrote %s to reserve %s", wrote, size))
}

// The device may count this much of what was moved: the file system's own records are far less.
const (
	countLow  = 0.98
	countHigh = 1.15
)

// judgeCounters compares the bytes that hubbench moved with those that the device counted.
func judgeCounters(f *facts) answer {
	var how []string
	high := false
	for _, m := range f.files[:2] {
		if m.counted < 0 {
			return skip("nothing counts what this disk moves, so other programs' traffic looks " +
				"like a slow disk")
		}
		part := float64(m.counted) / float64(m.Bytes)
		if part < countLow {
			return fail(fmt.Sprintf("%s of %s, but the disk moved %s",
				m.job.Role, unit.FormatBytes(m.Bytes), unit.FormatBytes(m.counted)),
				"part of the bytes never went over the link, as they stayed in a cache or were "+
					"compressed",
				"turn compression off for the folder, and see the check `direct`")
		}
		high = high || part > countHigh
		how = append(how, fmt.Sprintf("%s %.1f%%", m.job.Role, 100*part))
	}
	measured := "the disk counts of what was moved: " + strings.Join(how, ", ")
	if high {
		return warn(measured,
			"another program uses the disk, or its file system writes everything twice, so its "+
				"rates come out too low",
			"stop backups, indexing and other programs on it, and try again")
	}
	return pass(measured)
}

const (
	// evenPart: no disk moves random blocks of 4 KiB, four at a time, nearly as fast as large ones,
	// unless something allows so many bytes a second and no more.
	evenPart = 0.8
	// evenBelow is the rate above which that is no limit but a very fast disk.
	evenBelow = 1.5e9
	// slowRequest is longer than any SSD takes for a small request, and shorter than a spinning
	// disk does.
	slowRequest = 5e6 // nanoseconds
	// slowRate is what USB 2 carries.
	slowRate = 60e6
)

// judgeLimits checks whether only the disk itself limits its rate: it compares large requests with
// small ones, unless these were at the rate of memory.
func judgeLimits(f *facts) answer {
	large := f.files[:2]
	small := f.files[2:]
	direct := small[0].Effective.Cache == "direct" && small[1].Effective.Cache == "direct"
	var how []string
	for i, m := range large {
		text := fmt.Sprintf("%s %s in large requests", m.job.Role, unit.FormatRate(m.rate()))
		if direct { // Else the small ones' rate is memory's.
			text += fmt.Sprintf(", %s in 4 KiB ones (%s each)", unit.FormatRate(small[i].rate()),
				span(small[i].each()))
		}
		how = append(how, text)
	}
	measured := strings.Join(how, "; ")
	if len(f.limits) > 0 {
		return fail(strings.Join(f.limits, "; ")+": "+measured,
			"rates are those of the limit, not of the disk",
			"lift the limit (systemd: IOReadBandwidthMax and the like; containers: "+
				"--device-write-bps), or start hubbench outside of it")
	}
	for i, m := range large {
		switch {
		case !direct:
		case small[i].each() > slowRequest:
			return fail(measured, fmt.Sprintf("a small %s takes longer than on any SSD, so the "+
				"disk spins or something holds each request up", m.job.Role),
				"check that the disk is an SSD, that nothing limits requests a second, and that "+
					"no other program keeps it busy")
		case small[i].rate() > evenPart*m.rate() && m.rate() < evenBelow:
			return fail(measured, fmt.Sprintf(
				"small requests (%s) move as many bytes as large ones, as no disk does, so "+
					"something limits it to %s", m.job.Role,
				unit.FormatRate(m.rate())),
				"look for a limit on this process, container or virtual machine")
		}
	}
	if max(large[0].rate(), large[1].rate()) < slowRate { // A link is as slow both ways.
		return warn(measured, "the disk is as slow as USB 2", usb2Advice)
	}
	return pass(measured)
}

const (
	flushTries = 40
	// minFlush is less than a command takes to a disk behind a cable and back.
	minFlush = 25e3 // nanoseconds
	// minFlash is how long the fastest flash takes to be programmed (Cheong et al., A flash memory
	// controller for 15 µs ultra-low-latency SSD using high-speed 3D NAND flash with 3 µs read
	// time, ISSCC 2018).
	minFlash = 100e3 // nanoseconds
	// flushSlow is a flush that takes as long as a file.
	flushSlow = 200e6
)

// flushes are how long flushes took, in nanoseconds, by their mode.
type flushes struct {
	fsync, full []float64
	refused     error   // refused is why the file system has no full flush.
	write       float64 // write is how long the write before each takes: the median.
}

// farthest returns how long those took that go as far as the file system lets them.
func (f *flushes) farthest() []float64 {
	if f.refused != nil {
		return f.fsync
	}
	return f.full
}

func (f *facts) tryFlushes(ctx context.Context) error {
	fsync, err := diskio.TryFlush(ctx, f.disk.Path, f.opts.RunID, scenario.FlushFsync, flushTries,
		f.onProgress)
	if err != nil {
		return err
	}
	full, err := diskio.TryFlush(ctx, f.disk.Path, f.opts.RunID, scenario.FlushFull, flushTries,
		f.onProgress)
	if err != nil {
		return err
	}
	f.flushes = flushes{fsync: floats(fsync.FlushNS), full: floats(full.FlushNS),
		refused: full.Refused,
		write:   quantile(floats(fsync.WriteNS), 0.5)}
	f.readCacheState()
	return nil
}

// readCacheState asks sysfs whether the disk's cache forgets what it holds without power, and
// whether a program makes the disk. Windows says the former by itself, and macOS neither.
func (f *facts) readCacheState() {
	if f.own == nil {
		return
	}
	if collects := f.own.WriteCache; collects != nil {
		f.cacheKnown = true
		f.cacheVolatile = *collects
		return
	}
	disk, err := filepath.EvalSymlinks("/sys/class/block/" + f.own.Name)
	if err != nil {
		return
	}
	cache, err := os.ReadFile(filepath.Join(disk, "queue/write_cache"))
	f.cacheKnown = err == nil
	f.cacheVolatile = strings.TrimSpace(string(cache)) == "write back"
	f.virtualDisk = strings.Contains(disk, "/virtual/") || strings.Contains(disk, "/virtio")
}

func floats(list []int64) []float64 {
	out := make([]float64, len(list))
	for i, v := range list {
		out[i] = float64(v)
	}
	return out
}

// judgeFlush checks whether a flush waits for the disk. The fastest quarter counts: the others also
// wrote the file system's own records.
func judgeFlush(f *facts) answer {
	measured := "fsync " + span(quantile(f.flushes.fsync, 0.5))
	reaches := f.flushes.farthest()
	if f.flushes.refused != nil {
		measured += fmt.Sprintf(", full not known here (%v)", f.flushes.refused)
	} else {
		measured += ", full " + span(quantile(reaches, 0.5))
	}
	fastest := quantile(reaches, 0.25)
	measured += fmt.Sprintf(
		" (medians of %d; the write before each takes %s; the fastest quarter return within %s)",
		len(reaches), span(f.flushes.write), span(fastest))
	// What Windows says of the cache is what the enclosure's bridge says, which may be wrong.
	doubtful := f.own != nil && f.own.WriteCache != nil && fastest < minFlush
	switch {
	case f.cacheKnown && !f.cacheVolatile && !doubtful:
		return pass(measured + "; the disk says that it loses nothing without power")
	case fastest < minFlush:
		return fail(measured,
			"a flush returns sooner than a disk can answer, as something on the way ignores "+
				"flushes, so rates of small files are too high, and a power cut loses what was "+
				"reported as written",
			"measure on the disk itself, not on a file in memory or a virtual disk; update the "+
				"enclosure's firmware, or use another")
	case fastest < minFlash && !f.virtualDisk:
		return warn(measured,
			"a flush returns sooner than flash can be programmed, so something on the way "+
				"ignores flushes unless the disk's memory survives a power cut",
			"measure on the disk itself, and compare its small files with those of disks that "+
				"flush alike only")
	case f.flushes.refused != nil:
		return warn(measured,
			"`flush: full` is not available, and fsync may leave bytes in the disk's own cache",
			"compare with disks of the same file system only, or format the disk as APFS")
	case quantile(reaches, 0.5) > flushSlow:
		return warn(measured,
			"each file ends with a long wait for its flush, so small files look slow",
			"check that no other program writes to the disk; `flush: none` leaves the flush out "+
				"of the times")
	case fastest < minFlash:
		return pass(measured + "; sooner than flash can be programmed, but it is a virtual disk")
	}
	return pass(measured)
}

const (
	laneTries = 5
	// mostLaneTries is how many there are until four requests in flight were once not slower: a
	// busy machine holds up the more those that are many.
	mostLaneTries = 25
	// lanesLow: four requests in flight are not much slower than one unless the file system makes
	// them so: one that fills each gap with zeros writes twice.
	lanesLow = 0.6
)

// tryLanes alternates between new files, so that a change meanwhile affects both.
func (f *facts) tryLanes(ctx context.Context) error {
	if f.inOrder() {
		return nil
	}
	job := largeJob(trace.Write, max(f.size/4/largeBlock*largeBlock, largeBlock))
	job.IO.Block = 1 << 20
	for tries := 0; tries < laneTries || tries < mostLaneTries && f.lanesAreSlow(); tries++ {
		for _, rates := range []*[]float64{&f.depthOneRates, &f.depthFourRates} {
			job.IO.Depth = depth
			if rates == &f.depthOneRates {
				job.IO.Depth = 1
			}
			m, err := f.move(ctx, job, false)
			if err != nil {
				return err
			}
			*rates = append(*rates, m.rate())
		}
	}
	return nil
}

// lanesAreSlow reports whether four requests in flight were slower than one, by the best tries:
// other programs can only make them slower.
func (f *facts) lanesAreSlow() bool {
	return slices.Max(f.depthFourRates) < lanesLow*slices.Max(f.depthOneRates)
}

// judgeLanes checks whether a new file is written as fast in four lanes as in one. A file system
// makes it slower if it fills each gap with zeros, or allows one writer at a time.
func judgeLanes(f *facts) answer {
	if f.inOrder() {
		return skip("see exfat")
	}
	measured := fmt.Sprintf("a new file with one request in flight %s, with four %s (best of %d)",
		unit.FormatRate(slices.Max(f.depthOneRates)), unit.FormatRate(slices.Max(f.depthFourRates)),
		len(f.depthOneRates))
	if f.lanesAreSlow() {
		return warn(measured, "the file system slows down several requests to a new file, so "+
			"rates are its own and not the disk's", "set `depth: 1`, or use another file system")
	}
	return pass(measured)
}
