// Package analysis turns a trace into numbers and claims that a reviewer can quote. It is a pure function of the trace: it
// reads no files, and what it finds are codes and numbers, which internal/tell/say puts into words. Start at Analyze; Analysis
// says what comes out, key by key.
//
// # From a trace to an answer
//
//  1. Rates over time (package level). A disk's rate over its active time, in bins of 0.1 s, is cut into
//     levels (stats.Segments). How it deviates from them, by a part that is new in every bin and one with a memory
//     (stats.EstimateNoise), gives the error of any rate. The luck of single files counts as well: a level rests on several
//     files, on a change inside one, or on files that are all beyond any others.
//  2. What needs no levels, there too: standstills within files, two levels in turn, and slopes.
//  3. Recoveries (recovery.go): what a disk gains after another's end, and how long that takes.
//  4. The ledger (ledger.go, entries.go; Change is an entry): all changes of all disks, those of one instant
//     together, each with the one cause that the evidence leaves. The questions, in their order: did another disk start, end or
//     recover just then? Did all that work, or all of one direction, change by one factor? Did one disk fall by itself, which
//     it did if the others gain less than half of what it lost, rise clearly later, or it stays as low when it works alone?
//     Did some gain what others lost? Else the cause is unknown, and the change is reported only if noise is ten times less likely
//     to make it than other claims.
//  5. Stretches (change.go) are what lies between changes. Every rate that is compared, and every recommended figure
//     (quote.go), belongs to one.
//  6. Contention (contention.go): the longest stretch of the window against what each disk has without the others. That
//     reference is the nearest in condition: the same phase after the others ended, if the disk did not change by itself in
//     between and was seen longer than recoveries take; else a phase in which it does the same work alone (same.go). Another
//     disk took from one that was held back only if both want all they can get in one direction, it kept more, and no phase of
//     some of the same disks shows the loser as low without it. Readers of the ledger: throttle.go, cause.go, removal.go.
//  7. The answer (summary.go, answer.go): who wins, who loses, which disk to plug in elsewhere, and its uncertainty.
//
// # What may be claimed
//
// A claim is made if noise would make any of its kind in fewer than 1 % of runs, corrected for the number of disks and phases
// looked at (Bonferroni). Otherwise the number stands without the claim. What the thresholds were chosen by and what they were
// tested on is listed in pkg/trace/tracetest: half of the noise classes and truths are tuned, the others held out. make
// proof FULL=1 plays the numbers of traces that the README's figures are from.
//
// # Causes
//
// A fall is heat if the disk warmed up to 55 °C or more by its own sensor and held its temperature, or counted a throttle
// itself. It is a full cache if a disk that writes stayed as cool as it was and no other phase shows it past that number of
// bytes at full speed. A temperature that never moves is no evidence. Of 1000 generated falls of each kind 8, 6 and none were
// wrongly reported. A change of all is the link's if its speed was renegotiated about then, the host's if its cores had nothing to
// spare from then on. A device's own counters, less what was counted and what file systems need, show foreign traffic.
//
// # Sizes, modes and totals
//
// Files are compared at equal conditions: in the longest stretch in which nothing changed. A knee is a step of the rate at one
// file size, beyond the fixed cost of a file (stats.FitCost) and a rate that bends with size, clearer than in 99.5 % of runs
// without one (stats.StepScan); none rests on files that take less than ten times the clock's noise. Two modes are found by
// Hartigan's dip test. 95 % intervals rest on the slowest waves of the rate over time (stats.Spectrum) and on how files differ.
// Disks have a limit in common if one was added to a set without raising its total, though one by one they reach a fifth more,
// and chance is ruled out (ceiling.go). Mixed traffic gains if its total passes the best one way by a tenth and both intervals.
//
// # Streams, searches and latency
//
// Disks that do not go as fast as they can, such as those that play streams or are probed, have no part in any claim about
// speed. The outcome of a stream is counted, not estimated, for all of its time and for the time in which all others worked. A
// search's answer is the limit that its tries leave as good as sure, or the range in which it lies (package search). A quantile
// of latency is given if ten requests exceed it.
package analysis
