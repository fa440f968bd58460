// Package pkg is hubbench as a library. Its packages take values and give values: none opens a file, reads a clock,
// starts a process or logs.
//
// Start at trace.Load, which reads the events of a run (events.jsonl), then say.Analyze: what they come to, with a
// sentence for each finding. The example of package say is such a program. For no more than the time in which all
// disks were busy, and the bytes moved in it, overlap is enough, which links neither a YAML parser nor a model.
//
// # What is stable
//
// Files are: of events.jsonl, analysis.json and scenarios no key is renamed or removed, and none changes its meaning.
//
// Of Go, what v1 only adds to, by a package's comment, keeps its name, type and meaning until v2. Structs gain
// fields: name those that you set. Before v1 anything may change. Each change of hubbench is compared with the last
// release: one that would break a program which uses what is stable is refused.
//
// Stable: analysis, hardware, latency, overlap, stream, trace, unit, work.
//
// Stable in part, as their comments say: level, meter, quantile, say, search, size, stats.
//
// Not stable: advise, compare, draft, fit, forecast, foreign, hub, limit, policy, scenario, strictyaml, trend.
package pkg
