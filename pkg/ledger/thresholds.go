package ledger

// The thresholds of this package decide what counts as a change of a series, and how precisely it
// is dated and measured. They were chosen while looking at seeds 0 to 9 of all kinds of truths in
// the tests, and are tested on later seeds. Rates are compared as logarithms, and so are the
// differences between them. Exported ones count for package analysis too.

// How a disk's time is cut into bins.
const (
	// Rates are compared over pieces of 0.1 s, or of a file if nothing finer is known.
	pieceNS = 100_000_000
	// Progress samples, and the bins of dates, are this far apart.
	SampleNS = 50_000_000
	// maxBins limits the length of a series; longer phases get longer bins.
	maxBins = 1800
	// minRateShare is the share of the mean rate that slower bins count as.
	minRateShare = 0.01
	// An excursion is clipped if it lies more than clipDeviations from its surroundings and by at
	// least minClip, the logarithm of 2, and if it lasts for less than maxClipS seconds.
	clipDeviations = 8
	minClip        = 0.6931471805599453
	maxClipS       = 0.5
)

// What counts as a standstill.
const (
	stallNS = 500_000_000 // Shorter ones are noise.
	// A disk at this share of its mean rate or less stands still.
	stillRate = 0.005
	// Without a sample, a disk may move this many times what it moves in SampleNS next to a
	// standstill.
	betweenSamples = 8
	// A flush takes at most this many times the median time from a file's last sample to its end.
	longFlush = 5
)

// How long a level lasts.
const (
	// minLevelBins is the minimum length of a level, since two or three bins of a phase show none.
	minLevelBins = 4
	// minLevelS is the minimum length of a level in seconds: the shortest real dips take 0.8 s.
	minLevelS = 0.8
	// HoldNS is how long a rate must hold to be a level that another disk's end explains.
	HoldNS = 500_000_000
	// A rate that holds for less than MinNS is no figure to quote.
	MinNS = 3_000_000_000
	// minEndLevelS is how long the first and the last level last, in seconds: excursions of real
	// disks are shorter.
	minEndLevelS = 2.2
	// A level at either end of the phase lasts for at least minEndS seconds; after another disk's
	// end a large rise for minRiseS; and burstMargin times as long as the disk's longest excursion.
	minRiseS    = 1.0
	minEndS     = 2.0
	burstMargin = 1.5
	// largeRise is more than a burst, as the logarithm of 1.35: a last level that rose so far may
	// be shorter.
	largeRise = 0.30010459245033816
	// maxDipS is how long a level between two alike may last, in seconds, for the disk to show one
	// as short at the beginning or the end too.
	maxDipS = 2.64
)

// Which cuts the criterion tries, and what they cost.
const (
	// penalties is how many are tried, each a fixed ratio below the one before.
	penalties = 14
	// maxCuts limits the cuts that are scored together: shorter swings are noise.
	maxCuts = 60
	// Each cut must lower the Schwarz criterion by cutCost times log(bins). A slope costs slopeCost
	// times as much besides its cuts, and a curve curveCost times.
	cutCost   = 1.5
	slopeCost = 1.5
	curveCost = 2.5
	// A fixed time of each file costs sizeCost times log(bins).
	sizeCost = 1.5
	// maxFitted is the maximum number of files that a fixed time is fitted to: a sample of very
	// many does.
	maxFitted = 500
)

// How large and how sure a change is.
const (
	// MinGain is the factor of a recovery: a rise of less than a tenth is noise.
	MinGain = 1.10
	// MinChange is the difference below which neighbouring levels are one, the logarithm of 1.12.
	MinChange = 0.11332868530700327
	// noiseChangeRate is how often noise may make a change of level, except for a jump that is
	// minJumpRatio times as large as any other.
	noiseChangeRate = 3e-4
	minJumpRatio    = 2
	// jumpWidth is over how many bins a mean beside a jump is, and jumpBins how many bins on either
	// side a jump may take.
	jumpWidth = 3
	jumpBins  = 2
	// minBinNoise is the minimum relative deviation of a bin, and minNoise that of a measured rate:
	// a smaller difference is no change, however quiet the rest is.
	minBinNoise = 1e-4
	minNoise    = 0.01
)

// What shows that a change is not that of single files.
const (
	// A change that shows inside no file needs minLevelFiles on either side, or files in an order
	// that has at most a chance of falseOrderRate.
	minLevelFiles  = 4
	falseOrderRate = 0.02
	// fileEdgeS is how much of a file on either side of a change is examined, in seconds.
	fileEdgeS = 3
	// A file must show this share of a change, or the larger one if only one of its bins lies
	// before the change, and minNoiseRatio times the noise of its bins.
	minShown      = 0.5
	minShownByOne = 0.8
	minNoiseRatio = 6
	// Noise outlasts files if a file and the next have this correlation.
	minFileCorrelation = 0.4
	// A rate rests on MinFiles files: if ten may come in any order, the five slowest come first
	// once in 252 times. No file may take a larger share of the time than maxFileShare.
	MinFiles     = 5
	maxFileShare = 0.35
	// How far a file's rate deviates from the next one's, relative: defaultScatter if there are too
	// few to know, and at least minScatter. Ten files or fewer scatter so much, more files less.
	minScatter     = 0.10
	defaultScatter = 0.30
)

// How slopes are found.
const (
	// minSlopeS is the minimum length of a slope in seconds; a shorter one is a step.
	minSlopeS = 4
	// minTauS is the shortest time, in seconds, in which a curve goes 63 % of its way, and
	// triedTaus how many times are tried.
	minTauS   = 1.5
	triedTaus = 16
	// slopeEnds is the number of places in one level at which a slope may begin or end.
	slopeEnds = 8
	// slopeHalvings is how often the parts of its first and last level that a slope may take are
	// halved.
	slopeHalvings = 4
	// A slope is a step if a step leaves less than this share of the slope's squared error.
	maxStepMisfit = 0.7
	// slopeStep is the size of the steps that stand for a slope.
	slopeStep = 0.05
)

// How swings and rates that wander are found.
const (
	// minSwingLevels is the number of alternating levels that make a swing.
	minSwingLevels = 5
	// The levels of one side of a swing may differ by maxSideSpread, or by maxSpreadOfGap times the
	// difference between the sides.
	maxSideSpread  = 0.15
	maxSpreadOfGap = 0.4
	// maxPeriodError is how far the length of a swing's cycles may lie from their median, as a
	// share of it.
	maxPeriodError = 0.3
	// The higher levels are bursts up to maxBurstShare of the time, or up to maxDipShare if there
	// are as few levels as that.
	maxBurstShare = 0.24
	maxDipShare   = 0.35
	// maxLevels limits the levels that a rate keeps; one with more may wander.
	maxLevels = 5
	// Levels are real if this share of their changes shows within half a second.
	minSharpShare = 0.65
	// minWanderMeans is how many means over a second show that a rate wanders.
	minWanderMeans = 20
	// A rate is unsteady if its means over wanderBlockS seconds, at least minWanderBlocks of them,
	// deviate by minWander, and its quartiles lie minQuartileGap apart.
	minWander       = 0.13
	minQuartileGap  = 0.2
	wanderBlockS    = 4
	minWanderBlocks = 8
	// A rate may be unsteady if its noise has a longer memory than this, in seconds and in bins.
	minMemoryS    = 1
	minMemoryBins = 10
)

// How precisely a change is dated.
const (
	// blurNS is how much too early a change may be dated.
	blurNS = 300_000_000
	// dateErrorFactor is how far noise may move the date of a change of level in 95 of 100 cases,
	// in units of the noise's variance (of the mean over a second) over the squared change, if the
	// variance is known (Yao, "Approximating the Distribution of the Maximum Likelihood Estimate of
	// the Change-Point in a Sequence of Independent Random Variables", Annals of Statistics 15,
	// 1987).
	dateErrorFactor = 11
	// maxDateErrorNS is the longest time by which noise is assumed to misdate a change.
	maxDateErrorNS = 10_000_000_000
)

// How surely a rate is measured.
const (
	// LongDegreesOfFreedom is the minimum of degrees of freedom that the error of a rate over LongS
	// seconds or more is worth, however long the noise's memory: of 600 steady traces in each of
	// the tuned classes, 15 s and 40 s long, Student's t with that many holds 99.8 % of the errors,
	// unless a stall of seconds falls into 15 s.
	LongDegreesOfFreedom = 3
	LongS                = 10
	// jumpDegreesOfFreedom is the minimum for a change that jumps, for a wave of slow noise does
	// not.
	jumpDegreesOfFreedom = 10
)

// When a cache has recovered.
const (
	// A cache has recovered if it takes this share of what it took at first.
	backShare = 0.95
	// A burst with this share of what the fast rate allows never reached the end of the cache.
	fullShare = 0.98
	// What a rest gives back grows with it up to this share of the cache.
	RefillShare = 0.90
	// The points may lie off a line through zero by this many times the variance of their noise.
	maxLineMisfit = 4.0
)
