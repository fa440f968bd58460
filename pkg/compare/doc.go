// Package compare says how runs differ from a first one: which rates rose or fell, by how much and how surely, how
// large a fall is excluded, how much longer requests take, how long recoveries took, which findings are new or gone,
// and what was measured differently. It takes traces and their analyses, reads no files and prints nothing. Start at
// Compare, at Groups for repeats, and at Pair.Answer for what to say first.
//
// # How a difference is distinguished from chance
//
// What differs between two runs (disks, hub, connection, host, work) comes first, for it may explain a change.
// Phases are matched by their work and name (see Run.as), disks by name and role. A disk with other files,
// another mix, pace or kind of streams is not compared: its rates would differ anyway. How the same files are
// moved (blocks, flushes and the like) may be what two runs are meant to compare, so it is reported and the
// rates are compared. A disk has two rates: in the window, all its bytes over the time in which all disks of
// the phase were active, and the typical rate of its files that lie in the window. The disks of a phase
// together have one in the window. If a rate steps up or down in either run (stats.Steps), its levels are
// compared as well: one by one if both runs have as many, else those of the same time.
//
// A rate in the window is judged by its noise over time and by how its files differ (stats.Flow), like its
// interval in the analysis. The typical rate is judged by files: if both runs moved files of the same sizes in
// the same order, and the rates of such twins correlate, each is paired with its twin, so that neither its size
// nor what happened at that point of both runs counts; else files count independently. They count by the
// logarithm of their rate, without the slowest and the fastest fifth. How long noise lasts is estimated from
// the slowest waves of either run (stats.Spectrum) and those of all other rates of the comparison (stats.Pool).
//
// All tests of a comparison, over all its runs, are corrected together by Holm's method: the chance that any
// rate is called faster or slower by mistake is at most 5 %. Readers act on a single false alarm, so the chance
// of any is limited and not, as Benjamini and Hochberg do, their share; and Holm's method holds for dependent
// tests, as those of one window are. The interval shown beside a verdict is at the level at which Holm's method
// decided on it, so that the two never disagree; that of a rate by itself (ci95) is narrower.
//
// No significant difference does not mean that there is none. So each rate also says which fall the data exclude, and
// against a limit it fell by more, did not, or the data cannot tell (Comparison.Against).
//
// Latencies are compared by the times that half of a disk's requests, and 99 in 100, did not exceed, of all
// that ended in the window. The unit is the second, and the evidence is how many of its requests exceeded the
// quantile. They are corrected by themselves: the chance that any is called longer or shorter by mistake is at
// most 5 %, and verdicts on rates do not depend on whether latencies were recorded. 20 % more is found in some
// 30 seconds if latencies vary by 5 % from one second to the next, and in one or two minutes if they vary by 10
// %.
//
// Of a search the results are shown without a test: how many streams stay clean, or which pace keeps them
// clean. Its tries differ from run to run and are left out.
//
// A finding in one run only is called new or gone if the rates behind it changed significantly: findings depend on
// thresholds, and equal runs can end up on both sides of one by chance.
//
// All of this is about two recordings. What changes from run to run but not within one (a cable plugged in again, a
// warmer room, a fuller disk) cannot be seen in them; only repeated runs show it, and with them the run is the unit.
package compare
