// Package analysis turns a trace into numbers a reviewer can quote: it composes overlap and stats into phases,
// recoveries, throttles, contention, a matrix and findings. It is a pure function of the trace: it reads no files and
// says nothing: findings and warnings are codes and numbers (internal/say puts them into words). Start at Analyze;
// Analysis says what comes out, key by key.
//
// # One model of a disk's noise
//
// Every claim is held against the noise of the disk's own trace. A disk's rate over its active time, in bins of 0.1 s,
// strays from its levels by a part that is new in every bin and by one with a memory; both come from the variogram of
// the bins' logarithms within levels (stats.EstimateNoise, which cites the method). From it follow the standard error of
// a rate over any stretch and that of a difference. A claim is made where Student's t gives the noise a chance of less
// than 1 % to make any of its kind in the whole run, corrected for the number of disks and phases looked at
// (Bonferroni). Otherwise the number stands without the claim.
//
// # Levels
//
// Candidates come from optimal partitioning (stats.Segments, PELT) wherever a cut lowers the squared error by more than
// 3 ln n times the noise of long stretches. A change is dated within its pieces by the bytes they hold, so that it may
// fall inside a file. What holds for less than 3 s, such as a stall or a burst, is no level. Then the least certain
// change goes, until noise would make each of those left in too few runs: by the noise of the whole trace and by that of
// the two stretches, whichever strays more. A change that was not given beforehand was chosen among many places, unless
// the rate jumps there as nowhere else.
//
// A throttle is a fall between such levels, to four fifths or less in all, from which the rate does not come back
// without a pause. It is the disk's own where no other disk starts, ends, pauses or recovers about then, and the others do
// not gain half of what it loses, unless it clearly fell before they rose or stays as low where it works alone. It must show
// in several files on either side, or inside one: the luck of one file is no level; and the sizes of its files must not
// explain it. Full cache and heat look the same while a disk works; how it is
// after a pause is reported, because it differs.
//
// A recovery is a climb of a tenth or more after another disk's end and before the next start or end, to a level that
// holds for longer than any burst seen. The lag runs until the earliest of the rising levels that is not clearly below the
// highest. Disks that end within half a second of one another count as one event.
//
// # Contention
//
// A disk's reference is its own solo phase, of the same direction, connection and test, at the lowest level it had
// there; else its rate after others ended. It was held back where it has less than nine tenths of that, by more than the
// noise of both, and did not fall meanwhile. The fair part is its max-min share of the window's total. Of what a disk
// that was held back lacks of its fair part, others took in proportion to what they have above theirs: those of the same
// direction that kept clearly more of their own references. Where that cannot be told, what a disk got above an even
// share is all that is said.
//
// # Gauges
//
// A device's own counters are held against what was counted from the first reading of a phase to the last: what its disks
// moved, 2 % and what file systems need besides (64 KB a file, 4 MiB in all) allowed for. What it moved beyond is foreign
// traffic, told over the stretch of readings that has most of it; writes that an earlier phase left in a cache are none.
// What was read without the device came from a cache.
//
// A throttle is heat where the disk warmed up to 55 °C or more by its own sensor and held its temperature when it fell, or
// counted a throttle itself; that overrules what the others' gain would explain. It is a full cache where a disk that
// writes stayed as cool as it was, and no other phase shows it past that number of bytes at full speed. Else the cause is
// unknown; a temperature that never moves is no evidence. Of 1000 generated falls of each kind 8, 6 and none were told
// wrong. The host is the limit where all its cores are 95 % busy in the overlap.
//
// # Figures
//
// make proof FULL=1 plays the full number of traces, of the classes that no threshold was chosen by (tracetest.Classes) as of
// the others: of 200 steady runs in each class and layout no claim may show in more than 5 %, and of falls to 60 % or less
// and rises of 30 % or more under noise of up to 10 %, 95 % are to be found.
//
// # Sizes, modes and totals
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
// The window, its rates and bounds are overlap's. The 95 % intervals rest on the rate over time, in bins of 0.1 s, 600 at
// most: on its slowest waves, with what they say of how long noise lasts (stats.Spectrum), on its skewness, and on how
// files differ where few of them took most of the time (stats.Spread). Where one or two did, there is no interval, and
// a warning.
//
// No link is known by a rate. Disks have a limit in common where one was added to a set without raising its total in
// a direction, though one by one they reach a fifth more, where no other set passed that total, and where so many sets
// that had more to give ended on it that chance is ruled out: the binomial tail of totals spread over half of what
// the disks reach. Totals count as one within 1.7 times their intervals. Mixed traffic gains where its total passes the
// best one way by a tenth and beyond both intervals; fio's rule is wrong where it misses by a tenth and by more than
// the interval.
//
// # Streams, searches and latency
//
// Disks that do not go as fast as they can, such as those that play streams or are probed, have no part in any claim about
// speed; in the fair sharing of a total they have what their work asks for. Their neighbours' claims stand.
//
// What came of a stream is counted, not estimated. Late frames are laid to another disk only where it was at work
// whenever frames were late, and frames were due for a second and the buffer's length without it, none of them late. A
// search's answer is the largest value that was clean in all of its tries, three at least.
//
// A quantile of latency is told where ten requests exceed it. How sure it is, and when a disk's requests are said to take
// longer beside others than alone, is said at quantile. A latency line counts where its second lies, but for a hundredth,
// within what it is counted to: the overlap, or stages of one set of disks.
package analysis
