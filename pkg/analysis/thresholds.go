package analysis

import "github.com/hubbench/hubbench/pkg/effect"

// The thresholds of this package decide what is claimed and what is reported. Those of noise were
// chosen on the classes and truths of internal/test/tracetest that are marked as tuned, and are
// tested on the others; those of hubs and disks are from the field reports. Package ledger has its
// own.

// How surely something is claimed.
const (
	// falseClaimRate is the probability that noise alone makes a claim, in a whole run.
	falseClaimRate = effect.FalseClaimRate
	// modesRate is that of two modes, in a whole run.
	modesRate = 0.02
	// minIntervalS is the length of a window below which no interval is given.
	minIntervalS = effect.MinIntervalS
	// minImprecise is half a 95 % interval, relative, from which a rate says nothing of who wins.
	minImprecise = 0.7
)

// How large an effect is reported.
const (
	// A loss, a gain or an error of less than minEffect of a rate is of no interest, and rates that
	// lie no further apart are about the same.
	minEffect   = effect.MinLoss
	minRetained = effect.MinRetained
	// A disk that keeps more than maxRetained of what it has alone was measured alone in another
	// state.
	maxRetained = 1.05
	// A change by a smaller share of the rate before is hard to see in a chart, and not reported.
	minChange = 0.15
	// A rate that falls for good must fall to this share or less.
	maxDrop = 0.80
	// To recommend a port of its own for one disk and not for another, the others must gain this
	// much more than from moving any other disk, and more than both errors.
	minMoveLead = 0.05
	// Disks share evenly from this fairness on.
	evenJain = 0.98
)

// What a disk's rates are compared with.
const (
	// A disk that has less than evenShare of the total over the number of disks crowds out nobody.
	// Measured totals are known to 1 or 2 %.
	evenShare = 0.97
	// Shorter pauses between files are none.
	noPauseNS = 1_000_000
	// Disks have recovered by then: the slowest seen took 11 s (field notes).
	recoveredNS = 12_000_000_000
)

// How a recovery is detected.
const (
	// Disks that end within so many seconds count as one end, the last one's.
	togetherS = 0.5
	// The old level must be seen for this long.
	settleNS = 2_000_000_000
	// Below this share of its rate alone, a disk that shows no recovery was still waiting for it.
	maxWaiting = 0.8
)

// When what all disks of a phase do at once is the headline.
const (
	// They drop by minCommonFall, or stand still for minCommonStallS in all, and for a tenth of the
	// time.
	minCommonFall   = 0.25
	minCommonStallS = 5
)

// How changes of several disks are compared.
const (
	// Changes of two disks this close together are one event; further apart, but no more than
	// explainsNS, if noise dates them worse.
	closeNS = effect.CloseNS
	// Rates before and after an event are compared over at most aroundS seconds. As progress is
	// only sampled, clearNS on either side are left out.
	aroundS = 10
	clearNS = 100_000_000
	// Another disk's start or end explains a drop up to explainsNS after it and, as levels are
	// dated roughly, foreseenNS before it; the others' recovery explains one within coincidentNS.
	explainsNS   = 2_000_000_000
	foreseenNS   = 500_000_000
	coincidentNS = 1_000_000_000
)

// How a warm-up is detected.
const (
	// A warm-up takes no longer than this.
	warmUpS = 30
	// If only one start shows a rise by itself, it begins at no more than this part of the later
	// rate.
	keptOfOne = 0.7
	// The ratio of a disk's longest warm-up to its shortest is no larger than this.
	warmUpMore = 3.5
)

// How heat is distinguished from a full cache. Disks slow down at 60 to 85 °C by their own sensor;
// one that writes gets warmer whether it throttles or not, so that a rise alone says nothing.
// Temperatures come in whole degrees.
const (
	hotC       = 55 // A cooler disk is not hot enough to throttle.
	surelyHotC = 65 // A small rise is enough from here on.
	smallRiseC = 3
	clearRiseC = 8
	// A disk that throttles for heat gets no warmer than this, or, as its sensor lags, than this
	// share of its rise.
	settledC = 5
	lagShare = 0.3
	flatC    = 3 // A sensor wanders this much by itself.
	// A disk this warm may have throttled for heat however little it warmed up.
	notCoolC     = 70
	aroundFallNS = 15_000_000_000 // Readings further away say nothing about the fall.
	minBefore    = 3              // At least this many readings must precede the fall.
	minStuck     = 10             // A gauge with this many readings alike is stuck.
	// Two falls have one cause if the bytes written before them differ by a smaller factor.
	sameBudget  = 1.3
	eventNearNS = 10_000_000_000
	// Storage moves so many bytes per second through a link that fell back to USB 2 (480 Mbit/s).
	usb2Low  = 25e6
	usb2High = 47e6
)

// When links, hubs and computers limit disks.
const (
	// Hosts and enclosures lie as far apart as this, of what such links have been seen to carry.
	nearLimit = 0.85
	// Up to here a rate speaks for an uncommonly good link, above it against what is known of it.
	beyondLimit = 1.15
	// fastestHub is what the fastest hub link, Thunderbolt 5's PCIe 4.0 x4, has been seen to carry
	// in one direction, after line code and protocol; it is itself only known to within slack.
	fastestHub = 7.0e9
	slack      = 1.03
	// busyCPU is the share of all cores' time, in percent, from which the host has nothing to
	// spare; of one core's, a worker.
	busyCPU = 95
	// maxSkewS is the time between the disks' starts above which a phase carries a warning.
	maxSkewS = 0.001
	// wholeRequest is the smallest request, in bytes, that the model of a hub stands for: its rates
	// were measured with files that were moved in requests of this size and more.
	wholeRequest = 1 << 20
)

// How much is looked at and listed.
const (
	// maxStages is how many stages are listed. A run has as many as disks start, end and pause:
	// more than this help nobody, and cost more than all the rest.
	maxStages = 10_000
	// maxEdgeError is the share of the window's bytes up to which it does not matter when exactly
	// they moved.
	maxEdgeError = 0.02
	// maxStreamSteps is how many steps the series of a stream has at most. They are as long as the
	// time between two of its samples, or some times as long.
	maxStreamSteps = 300
	// quietNS is how long frames must have been due without a disk, or for their buffer's length if
	// that is longer, for it to count that none of them was late: what a disk leaves behind shows
	// only once the buffer is used up.
	quietNS = 1_000_000_000
)
