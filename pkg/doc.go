// Package pkg is hubbench as a library. Its packages take values and give values: none opens a
// file, reads a clock, starts a process or logs.
//
// Start at trace.Load, which reads the events of a run (events.jsonl), then analysis.Analyze: what
// they come to, with a sentence for each finding. The examples of package analysis are such
// programs. Rates are bytes per second, which unit.FormatRate prints, and intervals are low and
// high. If you need only the time in which all disks were busy, and the bytes moved in it, overlap
// is enough: it links neither a YAML parser nor a model.
//
// Before the first release any version may change these packages. Files keep what they have: no key
// of events.jsonl, analysis.json or a scenario is renamed or removed, and none changes its meaning.
package pkg
