package ledger

import "math"

// Thresholds decide what counts as a change of a series. They were chosen while looking at seeds 0
// to 9 of all kinds of truths in the tests, and are tested on later seeds.
type Thresholds struct {
	Bins       int     // Bins is the most that a series has; longer phases get longer bins.
	MinBins    int     // MinBins is how many bins a level has at least: two or three of a phase's show none.
	MinS       float64 // MinS is how long a level lasts, in seconds: the shortest real dips take 0.8 s.
	MinSlopeS  float64 // MinSlopeS is how long a slope lasts: what takes less is a step.
	MinTauS    float64 // MinTauS is the shortest time, in seconds, in which a curve goes 63 % of its way.
	FirstS     float64 // FirstS is how long the first and the last level last: excursions of real disks are shorter.
	ShortLevel float64 // ShortLevel is how long a level between two alike ones lasts, in seconds, that the disk may show at an end too.
	LargeRise  float64 // LargeRise is a rise, as a logarithm, that is no burst: after another's end the last level may be shorter.
	Penalties  int     // Penalties is how many are tried, each a fixed ratio below the one before.
	MaxCuts    int     // MaxCuts is the most that a set may have to be scored: shorter swings are noise.
	CutCost    float64 // CutCost times log(bins) is what each cut must lower the Schwarz criterion by.
	SlopeCost  float64 // SlopeCost is how many times as much a slope costs besides its cuts,
	CurveCost  float64 // and CurveCost a curve.
	MinChange  float64 // MinChange is the difference, as a logarithm, below which neighbouring levels are one.
	Chance     float64 // Chance is how likely noise may make a change of level
	StandsOut  float64 // that is not StandsOut times as large a jump as any other.
	Lowest     float64 // Lowest is the part of the mean rate that slower bins count as.
	Outlier    float64 // Outlier is how many deviations from its surroundings clip a short excursion,
	MinOutlier float64 // if it is of at least MinOutlier, as a logarithm.
	ExcursionS float64 // ExcursionS is how long it may last, in seconds.
	MinFiles   float64 // MinFiles on either side are needed by a change that shows inside no file.
	InOrder    float64 // InOrder is the chance of an order of files that shows a change without that.
	InsideS    float64 // InsideS is how much of a file on either side of a change is looked at, in seconds.
	Shown      float64 // Shown is the part of a change that must show inside a file,
	Whole      float64 // Whole is the part that must show if just one bin of the file is seen before it,
	Clear      float64 // and Clear how many times the noise of those bins it must be.
	SlopeEnds  int     // SlopeEnds is in how many places of one level a slope may begin, and end.
	StepFits   float64 // StepFits is the part of what a slope leaves that a step may leave at most to be what it is.
	SlopeParts int     // SlopeParts is how many halves of halves of its first level a slope may take, and of its last.
	Stair      float64 // Stair is how large a step of a slope is, as a logarithm, where steps are looked at.
	MinNoise   float64 // MinNoise is the least deviation of a bin, relative.
	MaxLevels  int     // MaxLevels is how many levels a rate keeps at most; more may be a rate that wanders.
	Sharp      float64 // Sharp is the part of the changes between levels that shows within half a second.
	MinMeans   int     // MinMeans is how many means over a second show that a rate wanders instead of keeping levels.
	Runs       int     // Runs is the number of alternating levels that are a swing or dips.
	Alike      float64 // Alike is the spread, as a logarithm, of levels of one side of them,
	AlikeOfGap float64 // or AlikeOfGap, a part of the difference between the sides.
	Regular    float64 // Regular is the part of the median by which the length of a swing's cycles may differ from it.
	Wanders    float64 // Wanders is the deviation, relative, from which a rate is unsteady,
	Apart      float64 // Apart is how far the quartiles of its rates are apart, as a logarithm,
	Follows    float64 // Follows is the least correlation of a file with the next from which noise outlasts files,
	MemoryS    float64 // MemoryS is the memory, in seconds, above which it may be,
	WandersS   float64 // of its means over so many seconds,
	WandersN   int     // of which there are at least WandersN.
	BurstShare float64 // BurstShare is the part of the time at the higher level up to which they are bursts.
	DipShare   float64 // DipShare is the part of the time at the lower level up to which they are dips.
}

// Defaults are the thresholds of a phase's series.
func Defaults() Thresholds {
	return Thresholds{
		Bins: 1800, MinBins: 4, MinS: 0.8, MinSlopeS: 4, MinTauS: 1.5, FirstS: 2.2, ShortLevel: 2.64,
		LargeRise: math.Log(1.35), Penalties: 14, MaxCuts: 60, CutCost: 1.5, SlopeCost: 1.5, CurveCost: 2.5,
		MinChange: math.Log(1.12), Chance: 3e-4, StandsOut: 2,
		Lowest: 0.01, Outlier: 8, MinOutlier: math.Log(2), ExcursionS: 0.5,
		StepFits: 0.7, MinFiles: 4, InOrder: 0.02, InsideS: 3, Shown: 0.5, Whole: 0.8, Clear: 6,
		SlopeEnds: 8, SlopeParts: 4, Stair: 0.05, MinNoise: 1e-4,
		MaxLevels: 5, Sharp: 0.65, MinMeans: 20, Runs: 5, Alike: 0.15, AlikeOfGap: 0.4, Regular: 0.3, DipShare: 0.35, BurstShare: 0.24,
		Wanders: 0.13, Apart: 0.2, Follows: 0.4, MemoryS: 1, WandersS: 4, WandersN: 8,
	}
}
