package change

// The thresholds of this package. A cost is in nats, a length of time in seconds unless it says
// bins. They were chosen on seeds 0 to 3 of ten kinds of events (noise of 2 and 10%), and judged on
// others.

// How time is cut.
const (
	// Rates are compared over bins of binS, or longer ones in a phase that would have more than
	// maxBins.
	binS    = 0.1
	maxBins = 2000
	// A level has this many bins or more: the shortest real dips take 0.8 s.
	minLevelBins = 8
	// A bin at this share of the upper quartile or less is no rate, if stillBins in a row are.
	stillShare = 0.005
	stillBins  = 4
	// A disk with fewer bins is left out.
	minDiskBins = 5
	// Levels are compared over this many bins on either side of an event, and at least minSideBins.
	windowBins  = 200
	minSideBins = 4
)

// Which cuts are candidates: penalties from a third of the variance to that of neighbouring bins
// (Killick, Fearnhead and Eckley, "Optimal Detection of Changepoints With a Linear Computational
// Cost", JASA 107, 2012), scored by a Schwarz criterion with autoregressive innovations (Cho and
// Fryzlewicz, "Multiple Change Point Detection Under Serial Dependence", 2024).
const (
	minSeriesBins = 24
	penalties     = 9
	maxCuts       = 60
	maxEvents     = 500
	// The price of a cut, in units of log(bins): where noise is estimated, and where candidates are
	// sought, in one disk or in the sum of all.
	cutPrice          = 1.5
	candidatePrice    = 0.75
	sumCandidatePrice = 0.5
	// Cuts that score worse than the best by this are too many, and so are more.
	hopeless = 40
	// The sum is sought over disks that work for this share of the phase, if they have this many
	// bins in common.
	longShare     = 0.5
	minCommonBins = 100
	// Events of the sum lie this far from others.
	sumApartS = 1
)

// What shows that files are no draws of chance.
const (
	// This many orders of the files must all show levels worse than the true one (drawn until one
	// does not: Besag and Clifford, "Sequential Monte Carlo p-values", Biometrika 78, 1991).
	orders = 199
	// A series has so many units at most; fewer files than minFiles tell nothing.
	maxUnits    = 150
	minSumUnit  = 5 // bins
	minFiles    = 6
	minUnitSD   = 0.01
	orderPrice  = 3
	shownShare  = 0.5 // of a change inside a file, or of the cuts that show in one
	edgeBins    = 30  // how much of a file on either side of a cut counts
	loneShare   = 0.8 // of a level that is one file
	minFileBins = 4   // of a file whose mean counts
	// A change that a disk's own history does not show rests on so many files on either side.
	minSideFiles = 4
)

// When the sizes of files explain a rate.
const (
	minCostFiles = 20
	// A small file takes so many times as long a byte as a large one (a tenth of the files each).
	minCostRatio = 1.1
)

// What counts as a burst or a dip that is no level.
const (
	excursionS = 2.6
	// In a disk that shows such, a level lasts longer by this factor.
	burstMargin = 1.5
	besideBins  = 2
	// What follows another disk's start or end may be as short as this at the end of a series.
	minLastS = 1
	// The levels beside it differ by less.
	sameLevel = 0.15
	// So many that go as far are a swing.
	minExcursions = 3
	minDepth      = 0.3 // of the logarithm of the rate
)

// The noise of a mean (the largest of an autoregression and of blocks of 1 and 3 s), and slopes.
const (
	minVariance  = 1e-6
	maxMemory    = 0.98
	shortBlock   = 10 // bins
	longBlock    = 30 // bins
	minBlocks    = 8
	blockMargin  = 1.5
	quieterRatio = 1.5 // noise that fell by this is worth settling again
	minDriftBins = 100
	driftShare   = 0.8 // of the phase that a drifting disk works
	driftPrice   = 0.75
	minDriftGain = 1.15
	sameStretch  = 0.5 // slopes that have this share of their time in common are one
	driftKnots   = 9
	refinements  = 3 // each halves the distance between knots
	maxSteps     = 40
)

// What an event may be.
const (
	// A smaller change of the logarithm of a rate is none, in an event as a whole and in one disk.
	minChange = 0.10
	minShift  = 0.04
	// What no disk's own history shows must save more than this, and a slope than that.
	unseenNats      = 4
	unseenSlopeNats = 10
	// A disk has moved if that saves more than this.
	movedNats = 2
	// Two factors, or sizes, are equal within this.
	tolerance = 0.03
	// A fixed error of each change: of its logarithm, squared, and of its size.
	shiftVariance = 1e-4
	sizeError     = 0.01
	// Who responds takes this share at most of what is left, and does not move before it by more.
	maxTaken  = 1.15
	foreseenS = 0.6
	totalBlur = 0.05
	rateBlur  = 0.1
	// A rise is a rarer source than a fall.
	riseOdds = 4
	fallOdds = 4.0 / 3
	// A shift of several disks for which nobody is named.
	shiftOdds = 8
	turnOdds  = 4
	// An event follows another disk's end after this at most, and its start or a standstill. It may
	// be dated early by leadS.
	recoveryS = 15
	startS    = 1.5
	leadS     = 0.5
	lagPrice  = 0.7
	// What was lost at a start comes back, by this share, when the disk that began has finished.
	returnShare = 0.5
)

// How events are put together.
const (
	dateNats = 2
	// A cut is dated within this, and candidates that lie this close beyond it are one.
	maxDateS   = 2.5
	dateSlackS = 0.35
	// Seconds of a disk about a date.
	dateWindowS = 10
	// A stall of several disks begins and ends within this.
	togetherS = 0.5
	// How often the disks of all events are decided about.
	maxRounds = 50
	// The rate at a start or an end is the median over this.
	edgeRateS = 3
)

// What a swing is.
const (
	minSwingSteps = 5
	// Its higher levels lie within this factor, and its lower ones.
	highSpread = 1.25
	lowSpread  = 1.35
	// Two sets of disks are about the same.
	sameDisks = 0.6
	// The total stays if it changes by this share of all changes.
	turnShare = 0.15
)
