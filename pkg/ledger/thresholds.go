package ledger

import "math"

// Thresholds decide what counts as a change of a series. They were chosen while looking at seeds 0
// to 9 of all kinds of truths in the tests, and are tested on later seeds.
type Thresholds struct {
	Bins               int     // Bins is the most that a series has; longer phases get longer bins.
	MinBins            int     // MinBins is how many bins a level has at least: two or three of a phase's show none.
	MinS               float64 // MinS is how long a level lasts, in seconds: the shortest real dips take 0.8 s.
	MinSlopeS          float64 // MinSlopeS is how long a slope lasts: what takes less is a step.
	MinTauS            float64 // MinTauS is the shortest time, in seconds, in which a curve goes 63 % of its way.
	MinEndLevelS       float64 // FirstS is how long the first and the last level last: excursions of real disks are shorter.
	MaxDipS            float64 // ShortLevel is how long a level between two alike ones lasts, in seconds, that the disk may show at an end too.
	LargeRise          float64 // LargeRise is a rise, as a logarithm, that is no burst: after another's end the last level may be shorter.
	Penalties          int     // Penalties is how many are tried, each a fixed ratio below the one before.
	MaxCuts            int     // MaxCuts is the most that a set may have to be scored: shorter swings are noise.
	CutCost            float64 // CutCost times log(bins) is what each cut must lower the Schwarz criterion by.
	SlopeCost          float64 // SlopeCost is how many times as much a slope costs besides its cuts,
	CurveCost          float64 // and CurveCost a curve.
	MinChange          float64 // MinChange is the difference, as a logarithm, below which neighbouring levels are one.
	FalseChangeRate    float64 // Chance is how likely noise may make a change of level
	MinJumpRatio       float64 // that is not StandsOut times as large a jump as any other.
	MinRateShare       float64 // Lowest is the part of the mean rate that slower bins count as.
	ClipDeviations     float64 // Outlier is how many deviations from its surroundings clip a short excursion,
	MinClip            float64 // if it is of at least MinOutlier, as a logarithm.
	MaxClipS           float64 // ExcursionS is how long it may last, in seconds.
	MinFiles           float64 // MinFiles on either side are needed by a change that shows inside no file.
	FalseOrderRate     float64 // InOrder is the chance of an order of files that shows a change without that.
	FileEdgeS          float64 // InsideS is how much of a file on either side of a change is looked at, in seconds.
	MinShown           float64 // Shown is the part of a change that must show inside a file,
	MinShownByOne      float64 // Whole is the part that must show if just one bin of the file is seen before it,
	MinNoiseRatio      float64 // and Clear how many times the noise of those bins it must be.
	SlopeEnds          int     // SlopeEnds is in how many places of one level a slope may begin, and end.
	MaxStepMisfit      float64 // StepFits is the part of what a slope leaves that a step may leave at most to be what it is.
	SlopeHalvings      int     // SlopeParts is how many halves of halves of its first level a slope may take, and of its last.
	SlopeStep          float64 // Stair is how large a step of a slope is, as a logarithm, where steps are looked at.
	MinNoise           float64 // MinNoise is the least deviation of a bin, relative.
	MaxLevels          int     // MaxLevels is how many levels a rate keeps at most; more may be a rate that wanders.
	MinSharpShare      float64 // Sharp is the part of the changes between levels that shows within half a second.
	MinWanderMeans     int     // MinMeans is how many means over a second show that a rate wanders instead of keeping levels.
	MinSwingLevels     int     // Runs is the number of alternating levels that are a swing or dips.
	MaxSideSpread      float64 // Alike is the spread, as a logarithm, of levels of one side of them,
	MaxSpreadOfGap     float64 // or AlikeOfGap, a part of the difference between the sides.
	MaxPeriodError     float64 // Regular is the part of the median by which the length of a swing's cycles may differ from it.
	MinWander          float64 // Wanders is the deviation, relative, from which a rate is unsteady,
	MinQuartileGap     float64 // Apart is how far the quartiles of its rates are apart, as a logarithm,
	MinFileCorrelation float64 // Follows is the least correlation of a file with the next from which noise outlasts files,
	MinMemoryS         float64 // MemoryS is the memory, in seconds, above which it may be,
	WanderBlockS       float64 // of its means over so many seconds,
	MinWanderBlocks    int     // of which there are at least WandersN.
	MaxBurstShare      float64 // BurstShare is the part of the time at the higher level up to which they are bursts.
	MaxDipShare        float64 // DipShare is the part of the time at the lower level up to which they are dips.
}

// Defaults are the thresholds of a phase's series.
func Defaults() Thresholds {
	return Thresholds{
		Bins: 1800, MinBins: 4, MinS: 0.8, MinSlopeS: 4, MinTauS: 1.5, MinEndLevelS: 2.2, MaxDipS: 2.64,
		LargeRise: math.Log(1.35), Penalties: 14, MaxCuts: 60, CutCost: 1.5, SlopeCost: 1.5, CurveCost: 2.5,
		MinChange: math.Log(1.12), FalseChangeRate: 3e-4, MinJumpRatio: 2,
		MinRateShare: 0.01, ClipDeviations: 8, MinClip: math.Log(2), MaxClipS: 0.5,
		MaxStepMisfit: 0.7, MinFiles: 4, FalseOrderRate: 0.02, FileEdgeS: 3, MinShown: 0.5, MinShownByOne: 0.8, MinNoiseRatio: 6,
		SlopeEnds: 8, SlopeHalvings: 4, SlopeStep: 0.05, MinNoise: 1e-4,
		MaxLevels: 5, MinSharpShare: 0.65, MinWanderMeans: 20, MinSwingLevels: 5, MaxSideSpread: 0.15, MaxSpreadOfGap: 0.4, MaxPeriodError: 0.3, MaxDipShare: 0.35, MaxBurstShare: 0.24,
		MinWander: 0.13, MinQuartileGap: 0.2, MinFileCorrelation: 0.4, MinMemoryS: 1, WanderBlockS: 4, MinWanderBlocks: 8,
	}
}
