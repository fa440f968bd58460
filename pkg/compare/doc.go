// Package compare says how runs differ from a first one: which rates rose or fell, by how much and
// how surely, how large a fall is excluded, how much longer requests take, how long recoveries
// took, and what was measured differently. It takes traces and their analyses, reads no files and
// prints nothing. Start at Runs, at Groups for repeats and a history, and at Pair.Conclusion for
// what to say first.
//
// Phases are matched by their work and name (match), disks by name and role. A disk whose files,
// mix, pace or kind of streams differ is not compared: its rates would differ anyway. How the same
// files are moved may be what two runs are meant to compare, so it is reported and the rates are
// compared.
//
// A rate is compared by the logarithm of its mean in the overlap, with the interval that package
// analysis gives it. If the ledger found changes of a disk's rate, so are its first level, its last
// and its lowest, and they are what a gate goes by. What varies from run to run is known from
// repeats or earlier runs (Variation), and is then part of every interval; of one run a side it is
// not known. Repeats of a phase within a run are pooled into one; between two runs without a
// history, the repeat is the unit.
//
// All tests of rates are corrected together by Holm's method, those of latencies by themselves:
// the chance that any is called different by mistake is at most 5 %. Readers act on a single false
// alarm, so the chance of any is limited and not, as Benjamini and Hochberg do, their share; and
// Holm's method holds for tests that depend on one another. The interval beside a verdict is at
// the level of that verdict, so that the two never disagree; ci95 is that of a rate by itself.
// Judge is the rule of all gates, also of packages limit and trend.
package compare
