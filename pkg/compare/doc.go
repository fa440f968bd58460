// Package compare says how runs differ from a first one: which rates rose or fell, by how much and how surely,
// how large a fall is excluded, how much longer requests take, how long recoveries took, which findings are new
// or gone, and what was measured differently. It takes traces and their analyses, reads no files and prints
// nothing. Start at Runs, at Groups for repeats, and at Pair.Answer for what to say first.
//
// Phases are matched by their work and name (match), disks by name and role. A disk whose files, mix, pace or
// kind of streams differ is not compared: its rates would differ anyway. How the same files are moved may be
// what two runs are meant to compare, so it is reported and the rates are compared.
//
// A rate in the window is judged by its noise over time and by how its files differ (stats.Flow); if it steps
// up or down (stats.Steps), so are its levels. The typical rate is judged by files, without the slowest and the
// fastest fifth, pair by pair if both runs moved the same sizes in the same order and the rates of such twins
// correlate. The unit of a latency is the second, and the evidence is how many of its requests exceeded the
// quantile. Errors come from the slowest cosines of either run (stats.MeanOf); a window whose noise lasts as long
// as the phase has none, and no verdict.
//
// All tests of rates are corrected together by Holm's method, those of latencies by themselves: the chance that
// any is called different by mistake is at most 5 %. Readers act on a single false alarm, so the chance of any
// is limited and not, as Benjamini and Hochberg do, their share; and Holm's method holds for tests that depend
// on one another. The interval beside a verdict is at the level of that verdict, so that the two never
// disagree; ci95 is that of a rate by itself. What changes from run to run but not within one (a cable plugged
// in again, a warmer room) only repeated runs show, and with them the run is the unit. Repeats of a phase within a
// run are pooled into one: between two runs the repeat is the unit, between groups the run, with the mean of its
// repeats.
package compare
