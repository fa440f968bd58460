// Package analysis turns a trace into numbers a reviewer can quote: it composes overlap and stats into phases,
// recoveries, throttles, contention, a matrix and findings. It is a pure function of the trace: it reads no files and
// prints nothing (see render). Start at Analyze; Analysis says what comes out, key by key.
//
// # How the numbers come about
//
// The window, its rates and bounds are overlap's. Its 95 % intervals come from a moving-block bootstrap over bins of
// 0.1 s, 600 at most, with blocks as long as the bins' correlation asks for (stats.MeanIntervals).
//
// Levels are the ground for recoveries and throttles: a disk's rate over its active time, in pieces of 0.1 s (or
// whole files where no progress was recorded), is cut by optimal partitioning (stats.Segments, PELT) wherever that
// lowers the squared error by more than 3 ln n times the noise of long stretches. A level holds for half a second at
// least. A change is dated within its pieces by the bytes they hold, so that it may fall inside a file.
//
// A recovery is a climb of a tenth or more, after another disk's end and before the next start or end. Levels
// less than 9 % apart are one here. The lag runs until the highest, which must be seen for a second; else it is null,
// with a reason. Disks that end within half a second of one another count as one event.
//
// A throttle is a fall to four fifths or less, for two seconds at least, from which the rate does not come back
// without a pause. A fall up to two seconds after another disk starts, ends or pauses, or when another recovers, is
// contention and no throttle. Full cache and heat look the same while a disk works; how it is after a pause is
// reported, because it differs.
//
// A knee is a shift of the rate along file size of a tenth or more, with p <= 0.01 by permutation (stats.RankShift),
// among files that met the same conditions. Below latency times rate (n-half), a file's time hardly depends on size.
//
// Two modes are told by Hartigan's dip test at 0.05, or by a throttle; they must lie 15 % apart and hold 2 % of the
// files each. The mean of such files carries a warning, and another figure is quoted.
//
// Contention is measured against the disk's own solo phases, of the same direction, connection and test, else against
// its rate after others ended. The fair part is its max-min share of the window's total. What a disk that does
// better alone lacks of it was taken, in proportion, by those that have more than theirs.
package analysis
