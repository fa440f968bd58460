// Package compare says how runs differ from a first one: which rates rose or fell, by how much and how surely, how
// long recoveries took, which findings appeared or went, and what was not measured alike. It takes traces and their
// analyses, reads no files and prints nothing. Start at Compare.
//
// # How a difference is told from chance
//
// Phases are matched by name and disks by name and role. A disk has two rates: in the window, all its bytes over the
// time in which all disks of the phase were active, and the typical rate of its files that lie in the window. The disks
// of a phase together have one in the window.
//
// What a rate in the window varies by is seen in 30 blocks of the window's time, fewer where the trace knows less of
// its progress. For files the evidence is the file: where both runs moved files of the same sizes in the same order, and
// the rates of such twins go together, each is paired with its twin, so that neither its size nor what happened at that
// point of both runs counts; else the files stand by themselves. Files count by the logarithm of their rate, without the
// lowest and the highest fifth.
//
// Blocks and files that follow one another go together: a test that takes them for independent finds differences
// where there are none. So the test is Welch's t between means of blocks, or of the pairs' differences against zero,
// with what neighbouring blocks share taken into account (stats.Difference, which cites the methods). Fewer than eight
// files or blocks, or so slow a wave that they are worth fewer than two, give no verdict.
//
// All tests of a comparison, over all its runs, are corrected together by Holm's method: the chance that any rate is
// called faster or slower by mistake is 5 % at most. False alarms are what a reader acts on, so the chance of any is
// held down and not, as Benjamini and Hochberg do, their share; and Holm's method holds for tests that go together, as
// those of one window do. Intervals are 95 % ones, each by itself.
//
// All of this is about two recordings. What changes from run to run but not within one (a cable plugged in anew, a
// warmer room, a fuller disk) cannot be seen in them; only repeated runs show it.
package compare
