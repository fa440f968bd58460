// Package pkg is hubbench as a library. Its packages take values and give values: none opens a
// file, reads a clock, starts a process or logs. A program of your own starts at trace.Load, which
// reads the events of a run (events.jsonl), then analysis.Analyze, as the examples of package
// analysis do. For the time in which all disks were busy, and the bytes moved in it, overlap is
// enough. Rates are bytes per second, and unit.FormatRate prints them.
//
// The packages, in the order in which data flows:
//
//	unit, hardware, stream, latency   quantities; what hardware is; video; times of requests
//	scenario, strictyaml, draft       reads a scenario, makes a plan; writes a first scenario
//	hub, policy, search, forecast     simulates a hub; when jobs go on and end; looks for limits
//	work, trace, foreign              what a disk does; the events of a run; logs of other tools
//	stats, overlap, ledger, change,   statistics; when disks were busy together; how a rate
//	size, meter, quantile, analysis     changed; what it all comes to, and its words
//	compare, limit, trend             runs against one another, limits, and over time
//	model                             fits a hub to runs and predicts
//
// Before the first release any version may change these packages. Files keep what they have: no key
// of events.jsonl, analysis.json or a scenario is renamed or removed, and none changes its meaning.
package pkg
