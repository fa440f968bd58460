package check

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/internal/machine/gauge"
	"github.com/hubbench/hubbench/internal/measure/clock"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/scenario"
)

// Options are what the checks must know beside the plan.
type Options struct {
	// Look finds out what is plugged in.
	Look func(context.Context) (*hardware.Inventory, error)
	// Watch is for how long other work on the disks is watched; 0: not at all.
	Watch time.Duration
	// Allow are the codes of checks to leave out.
	Allow []string
	// Results is the folder that will take the results; empty: none.
	Results string
	Recent  []Written

	// What follows is for Examine alone.

	// Paths are a folder on each disk.
	Paths []string
	// RunID names the test folders.
	RunID string
	// Command makes a process of hubbench itself.
	Command func(args ...string) *exec.Cmd
	// Notify is told what is being done, and at once if a disk moves nothing.
	Notify func(text string)
}

// Written is what an earlier run wrote to a disk.
type Written struct {
	Run    string // Run is its folder.
	Volume uint64 // Volume is the disk's, as Place.ID.
	Bytes  int64
	Ago    time.Duration // Ago is since the run ended.
}

// facts are all that judges know: of the machine, and of one of its disks. What could not be had is
// empty.
type facts struct {
	opts   Options
	plan   *scenario.Plan
	system string // system is runtime.GOOS.

	// places are the real disks' folders, by the disks' names.
	places map[string]device.Place
	// placeErrs are why the others can't be looked at.
	placeErrs  map[string]error
	results    device.Place
	machine    *hardware.Inventory // never nil
	machineErr error               // machineErr is why the machine is not known.
	// traffic is what moves on a disk that should be idle, in bytes per second.
	traffic   map[string]float64
	processes []device.Process // processes have what they did meanwhile.
	// powerSaving is how the processor is slowed to save power; empty if it is not.
	powerSaving string

	clocks    readings
	began     instant // began is when the checks began.
	ended     instant // ended is at least ten seconds later.
	stopwatch clock.Stopwatch
	// stopwatchErrorNS is how far the stopwatch is from the clock at the end.
	stopwatchErrorNS float64
	lateNS           []float64 // lateNS is how late each worker started.
	// skewsNS are the times between the first and the last worker's start of each release.
	skewsNS    []float64
	releaseErr error // releaseErr is why workers could not be started.
	awakeErr   error // awakeErr is why the machine may go to sleep.
	niceness   int   // Other programs go first if it is above zero.
	// lowPriority says that the system gives other programs the processor or the disks first.
	lowPriority bool
	priority    string // priority describes both.

	disk      scenario.Disk // disk is empty if the machine is judged.
	placeErr  error         // placeErr is why its folder can't be looked at.
	place     device.Place  // place is its folder.
	own       *hardware.Drive
	volume    *hardware.Volume  // volume is what holds the folder, as own does.
	under     []*hardware.Drive // under are the physical disks beneath.
	folderErr error             // folderErr is what was wrong with a test folder.
	size      int64             // size is a large test file's, in bytes.
	files     []moved           // files were written and read in large blocks, then in small ones.
	// reserveErr is why a file can't be reserved.
	reserveErr error
	// reserved is how many bytes the disk wrote for it; -1 if nothing counts them.
	reserved int64
	limits   []string // limits is what the system sets to this process, in words.
	flushes  flushes
	// cacheVolatile says that the disk's cache loses its content without power, and cacheKnown that
	// the disk reports which it is.
	cacheVolatile, cacheKnown bool
	// virtualDisk says that a program makes the disk: a host, or this system out of a file.
	virtualDisk bool
	// depthOneRates and depthFourRates are bytes per second of new files, written with as many
	// requests in flight.
	depthOneRates, depthFourRates []float64
	onProgress                    func() // onProgress is called when something has moved.
}

func newFacts(plan *scenario.Plan, opts Options) *facts {
	return &facts{opts: opts, plan: plan, system: runtime.GOOS, began: now(),
		stopwatch: clock.Start(),
		places:    map[string]device.Place{}, placeErrs: map[string]error{},
		machine: &hardware.Inventory{}, traffic: map[string]float64{}}
}

// inspect looks at a disk's folder.
func (f *facts) inspect(disk scenario.Disk) {
	place, err := device.Inspect(disk.Path)
	if err != nil {
		f.placeErrs[disk.Name] = err
	} else {
		f.places[disk.Name] = place
	}
}

// forDisk returns the facts with one of the disks to be judged.
func (f facts) forDisk(disk scenario.Disk) *facts {
	f.disk, f.placeErr, f.place = disk, f.placeErrs[disk.Name], f.places[disk.Name]
	f.own, f.volume = f.machine.Holding(f.place.Path)
	f.under = f.machine.Physical(f.own, f.volume)
	return &f
}

// observeMachine finds out what it can without touching a disk.
func (f *facts) observeMachine(ctx context.Context) {
	for path := f.opts.Results; path != ""; path = filepath.Dir(path) { // It need not be there yet.
		place, err := device.Inspect(path)
		if errors.Is(err, fs.ErrNotExist) && filepath.Dir(path) != path {
			continue
		}
		// It is empty if it can't be looked at: making it fails with a better message.
		f.results = place
		break
	}
	machine, err := f.opts.Look(ctx)
	f.machine, f.machineErr = cmp.Or(machine, f.machine), err
	f.powerSaving = device.SavingPower(ctx)
	f.watch(ctx)
}

// watch looks twice at what the disks have moved and at what processes have done, and keeps what
// happened between. If processes can't be listed, there are none to warn of.
func (f *facts) watch(ctx context.Context) {
	before, began := f.bytesMoved(ctx), time.Now()
	f.processes, _ = device.Processes(ctx)
	if f.opts.Watch <= 0 {
		return
	}
	select {
	case <-time.After(f.opts.Watch):
	case <-ctx.Done():
		return
	}
	passed := time.Since(began)
	for name, bytes := range f.bytesMoved(ctx) {
		if earlier, ok := before[name]; ok {
			f.traffic[name] = float64(bytes-earlier) / passed.Seconds()
		}
	}
	later, _ := device.Processes(ctx)
	f.processes = device.Between(f.processes, later, passed)
}

// bytesMoved returns what the disks have moved in all.
func (f *facts) bytesMoved(ctx context.Context) map[string]int64 {
	counts := map[string]int64{}
	for name, place := range f.places {
		if count, err := gauge.Count(ctx, place.Path); err == nil {
			counts[name] = count.Sum()
		}
	}
	return counts
}

// physicalDisks returns the physical disks under a place; none if the machine does not say.
func (f *facts) physicalDisks(place device.Place) []*hardware.Drive {
	return f.machine.Physical(f.machine.Holding(place.Path))
}

// sharedDisk returns a physical disk that the judged disk's folder and another place both lie on;
// nil if none is known.
func (f *facts) sharedDisk(other device.Place) *hardware.Drive {
	for _, disk := range f.physicalDisks(other) {
		if slices.Contains(f.under, disk) {
			return disk
		}
	}
	return nil
}
