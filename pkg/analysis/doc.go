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
// Files are judged against one another at equal conditions: in the longest stretch in which no other disk began or
// ended, and the disk neither recovered nor throttled.
//
// A knee is a step of the rate at one file size. The fixed cost of a file is taken out first, by least absolute
// deviations of log time from log(cost + bytes/rate) (stats.FitCost), and the rates above and below are those of the
// bytes alone. The step's score is greatest over all sizes; it must be clearer than in 99.5 % of runs without one, all
// disks and phases together, by surrogates of the residuals' normal scores in blocks as long as their memory
// (stats.StepScan), be clear (p <= 0.1) beside a rate that bends with the logarithm of the size, and change both the
// typical rate and the summed one by a tenth. From files in order of size no knee is told: it may be a change in time.
// Below latency times rate (n-half), a file's time hardly depends on size.
//
// Two modes are told by Hartigan's dip test on the logarithms of the files' typical rates: that of the middle byte, by
// the samples, which a stall within the file does not move, else bytes over time less the fixed cost. Neighbours count
// for as many files as are worth the same independent ones (stats.Memory). By chance one run in fifty may show so deep
// a dip; the modes must lie 1.3 apart and hold a quarter of the files each, as spells that come and go do not. A
// throttle is two modes in time. The mean of such files carries a warning.
//
// The figure to quote is one that a user meets again: beside others the rate in the window, after a lasting fall the
// later level, else bytes over time, whose expectation is the rate in the long run.
//
// Contention is measured against the disk's own solo phases, of the same direction, connection and test, else against
// its rate after others ended. The fair part is its max-min share of the window's total. What a disk that does
// better alone lacks of it was taken, in proportion, by those that have more than theirs.
//
// No link is known by a rate. Disks have a limit in common where one was added to a set without raising its total in
// a direction, though one by one they reach a fifth more, where no other set passed that total, and where so many sets
// that had more to give ended on it that chance is ruled out: the binomial tail of totals spread over half of what
// the disks reach. Totals count as one within 1.7 times their intervals.
package analysis
