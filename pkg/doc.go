// Package pkg is hubbench as a library. Its packages take values and give values: none opens a file, reads a clock,
// starts a process or logs.
//
// Start at trace.Load, which reads the events of a run (events.jsonl), then say.Analyze: what they come to, with a
// sentence for each finding. The examples of packages say and analysis are such programs. Rates are bytes per second,
// which unit.FormatRate prints, and intervals are low and high. If you need only the time in which all disks were busy,
// and the bytes moved in it, overlap is enough: it links neither a YAML parser nor a model.
//
// # What is stable
//
// Files are: no key of events.jsonl, analysis.json or a scenario is renamed or removed, and none changes its meaning.
//
// In Go, what a package's comment says that v1 only adds to keeps its name, type and meaning until v2. Structs gain
// fields, so name those that you set. Before v1 anything may change. Each change of hubbench is compared with the last
// release, and refused if it would break a program that uses only what is stable.
//
// Stable: analysis, hardware, latency, overlap, stream, trace, unit, work.
//
// Stable in part, as their comments say: level, meter, quantile, say, search, size, stats.
//
// Not stable: advise, compare, draft, fit, forecast, foreign, hub, limit, policy, scenario, strictyaml, trend.
package pkg
