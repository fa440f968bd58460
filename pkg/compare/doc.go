// Package compare says how runs differ from a first one: which rates rose or fell, by how much and how surely, how
// large a fall is excluded, how much longer requests take, how long recoveries took, which findings appeared or went,
// and what was not measured alike. It takes traces and their analyses, reads no files and prints nothing. Start at
// Compare, and at Groups for repeats.
//
// # How a difference is told from chance
//
// What differs between two runs (disks, hub, connection, host, work) is said first, and with it what a change can be about.
// Phases are matched by their work and name (see Run.as), disks by name and role; a disk that is asked for other files, a
// mix, a pace or streams of other kinds is not compared, for its rates differ whatever it does. How the same files are
// moved (blocks, flushes and the like) may be what two runs are made for: it is compared, and said. A disk has two rates: in the window, all its bytes over the
// time in which all disks of the phase were active, and the typical rate of its files that lie in the window. The disks
// of a phase together have one in the window. Where the rate steps up or down in either run (stats.Steps), its levels
// are compared as well: those of the same place where both runs have as many, else those of the same time.
//
// A rate in the window is judged by its noise over time and by how its files differ (stats.Flow), as its interval in the
// analysis is. For files the evidence is the file: where both runs moved files of the same sizes in the same order, and
// the rates of such twins go together, each is paired with its twin, so that neither its size nor what happened at that
// point of both runs counts; else the files stand by themselves. Files count by the logarithm of their rate, without the
// lowest and the highest fifth. How long noise lasts is asked of the slowest waves of either run (stats.Spectrum), and of
// those of all other rates of the comparison (stats.Pool).
//
// All tests of a comparison, over all its runs, are corrected together by Holm's method: the chance that any rate is
// called faster or slower by mistake is 5 % at most. False alarms are what a reader acts on, so the chance of any is
// held down and not, as Benjamini and Hochberg do, their share; and Holm's method holds for tests that go together, as
// those of one window do. The interval shown beside a verdict is at the level at which Holm's method decided on it, so that
// the two never disagree; that of a rate by itself (ci95) is narrower.
//
// That no difference is significant does not say that there is none. So each rate also says which fall the data exclude,
// and against a limit it fell by more, did not, or the data cannot tell (Comparison.Against).
//
// Latencies are compared by what half of a disk's requests and what 99 in 100 took no longer than, of all that ended in the
// window. The unit is the second, and the evidence how many of its requests took longer than the quantile. They are
// corrected by themselves: the chance that any is called longer or shorter by mistake is 5 % at most, and what is said of
// rates does not depend on whether latencies were recorded. 20 % more is found in some 30 seconds where those vary by 5 %
// from one to the next, and in one or two minutes where they vary by 10 %.
//
// Of a search the answers are set side by side, without a test: how many streams stay clean, or which pace leaves them
// clean. Its tries are other ones in every run, and are left out.
//
// A finding of one run alone is said to have appeared or gone where the rates behind it surely changed: findings are
// lines drawn through numbers, and equal runs come to lie on both sides of them by chance.
//
// All of this is about two recordings. What changes from run to run but not within one (a cable plugged in anew, a
// warmer room, a fuller disk) cannot be seen in them; only repeated runs show it, and with them the run is the unit.
package compare
