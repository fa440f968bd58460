// Package analysis turns a trace into numbers and claims that a reviewer can quote. It is a pure
// function of the trace: it reads no files, and what it finds are codes, numbers and a sentence for
// each. Start at Analyze, whose steps are in their order; Analysis says what comes out, key by key.
//
// Package ledger cuts a disk's rate into levels and knows their errors. The ledger (ledger.go)
// lists every change with the one cause that the evidence leaves; between changes lie stretches
// (change.go). What a disk has in the longest stretch of the window is compared with what it has
// without the others (contention.go): later in the same phase, or alone in a phase of the same work
// (same.go). Where disks have a limit in common is in ceiling.go, why one fell for good in
// throttle.go and cause.go, and who wins and loses in summary.go and answer.go.
//
// A claim is made if noise would make any of its kind in fewer than 1 % of runs, corrected for the
// number of disks and phases looked at (Bonferroni). Otherwise the number stands without the claim.
// All thresholds are in thresholds.go. What they were chosen by and what they were tested on is
// listed in internal/test/tracetest: half of the noise classes and truths are tuned, the others
// held out. Of 1000 generated falls of each kind, the cause of 8 for heat, 6 for a full cache and
// none for others was wrongly reported.
//
// Disks that do not go as fast as they can, such as those that play streams or are probed, have no
// part in any claim about speed. The outcome of a stream is counted, not estimated.
package analysis
