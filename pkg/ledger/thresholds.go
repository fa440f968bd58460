package ledger

import "math"

// Thresholds decide what counts as a change of a series. They were chosen while looking at seeds 0
// to 9 of all kinds of truths in the tests, and are tested on later seeds. Rates are compared as
// logarithms, and so are the differences between them.
type Thresholds struct {
	// Bins limits the length of a series; longer phases get longer bins.
	Bins int
	// MinBins is the minimum length of a level, since two or three bins of a phase show none.
	MinBins int
	// MinS is the minimum length of a level in seconds: the shortest real dips take 0.8 s.
	MinS float64
	// MinSlopeS is the minimum length of a slope in seconds; a shorter one is a step.
	MinSlopeS float64
	// MinTauS is the shortest time, in seconds, in which a curve goes 63 % of its way.
	MinTauS float64
	// MinEndLevelS is how long the first and the last level last, in seconds: excursions of real
	// disks are shorter.
	MinEndLevelS float64
	// MaxDipS is how long a level between two alike may last, in seconds, for the disk to show one
	// as short at the beginning or the end too.
	MaxDipS float64
	// LargeRise is more than a burst: a last level that rose so far may be shorter.
	LargeRise float64
	// Penalties is how many are tried, each a fixed ratio below the one before.
	Penalties int
	// MaxCuts limits the cuts that are scored together: shorter swings are noise.
	MaxCuts int
	// Each cut must lower the Schwarz criterion by CutCost times log(bins). A slope costs SlopeCost
	// times as much besides its cuts, and a curve CurveCost times.
	CutCost   float64
	SlopeCost float64
	CurveCost float64
	// MinChange is the difference below which neighbouring levels are one.
	MinChange float64
	// FalseChangeRate is how often noise may make a change of level, except for a jump that is
	// MinJumpRatio times as large as any other.
	FalseChangeRate float64
	MinJumpRatio    float64
	// MinRateShare is the share of the mean rate that slower bins count as.
	MinRateShare float64
	// An excursion is clipped if it lies more than ClipDeviations from its surroundings and by at
	// least MinClip, and if it lasts for less than MaxClipS seconds.
	ClipDeviations float64
	MinClip        float64
	MaxClipS       float64
	// A change that shows inside no file needs MinFiles on either side, or files in an order that
	// has at most a chance of FalseOrderRate.
	MinFiles       float64
	FalseOrderRate float64
	// FileEdgeS is how much of a file on either side of a change is examined, in seconds.
	FileEdgeS float64
	// A file must show this share of a change, or the larger one if only one of its bins lies
	// before the change, and MinNoiseRatio times the noise of its bins.
	MinShown      float64
	MinShownByOne float64
	MinNoiseRatio float64
	// SlopeEnds is the number of places in one level at which a slope may begin or end.
	SlopeEnds int
	// A slope is a step if a step leaves less than this share of the slope's squared error.
	MaxStepMisfit float64
	// SlopeHalvings is how often the parts of its first and last level that a slope may take are
	// halved.
	SlopeHalvings int
	// SlopeStep is the size of the steps that stand for a slope.
	SlopeStep float64
	// MinNoise is the minimum relative deviation of a bin.
	MinNoise float64
	// MaxLevels limits the levels that a rate keeps; one with more may wander.
	MaxLevels int
	// Levels are real if this share of their changes shows within half a second.
	MinSharpShare float64
	// MinWanderMeans is how many means over a second show that a rate wanders.
	MinWanderMeans int
	// MinSwingLevels is the number of alternating levels that make a swing or dips.
	MinSwingLevels int
	// The levels of one side of a swing may differ by MaxSideSpread, or by MaxSpreadOfGap times the
	// difference between the sides.
	MaxSideSpread  float64
	MaxSpreadOfGap float64
	// MaxPeriodError is how far the length of a swing's cycles may lie from their median, as a
	// share of it.
	MaxPeriodError float64
	// A rate is unsteady if its means over WanderBlockS seconds, at least MinWanderBlocks of them,
	// deviate by MinWander, and its quartiles lie MinQuartileGap apart.
	MinWander       float64
	MinQuartileGap  float64
	WanderBlockS    float64
	MinWanderBlocks int
	// Noise outlasts files if a file and the next have this correlation.
	MinFileCorrelation float64
	// A rate may be unsteady if its noise has a longer memory, in seconds.
	MinMemoryS float64
	// The higher levels are bursts up to this share of the time.
	MaxBurstShare float64
	// The lower levels are dips up to this share of the time.
	MaxDipShare float64
}

// Defaults are the thresholds of a phase's series.
func Defaults() Thresholds {
	return Thresholds{
		Bins: 1800, MinBins: 4, MinS: 0.8, MinSlopeS: 4, MinTauS: 1.5,
		MinEndLevelS: 2.2, MaxDipS: 2.64, LargeRise: math.Log(1.35),
		Penalties: 14, MaxCuts: 60, CutCost: 1.5, SlopeCost: 1.5, CurveCost: 2.5,
		MinChange: math.Log(1.12), FalseChangeRate: 3e-4, MinJumpRatio: 2,
		MinRateShare: 0.01, ClipDeviations: 8, MinClip: math.Log(2), MaxClipS: 0.5,
		MinFiles: 4, FalseOrderRate: 0.02, FileEdgeS: 3,
		MinShown: 0.5, MinShownByOne: 0.8, MinNoiseRatio: 6,
		SlopeEnds: 8, MaxStepMisfit: 0.7, SlopeHalvings: 4, SlopeStep: 0.05, MinNoise: 1e-4,
		MaxLevels: 5, MinSharpShare: 0.65, MinWanderMeans: 20,
		MinSwingLevels: 5, MaxSideSpread: 0.15, MaxSpreadOfGap: 0.4, MaxPeriodError: 0.3,
		MinWander: 0.13, MinQuartileGap: 0.2, WanderBlockS: 4, MinWanderBlocks: 8,
		MinFileCorrelation: 0.4, MinMemoryS: 1, MaxBurstShare: 0.24, MaxDipShare: 0.35,
	}
}
