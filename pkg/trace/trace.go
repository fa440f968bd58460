// Package trace says what happened: the events of a run, one JSON object a line (events.jsonl), with
// their writer and reader, and Run, which is those events sorted out by phase, disk and file. It draws
// no conclusions (see overlap and analysis) and opens no files.
//
// A trace is written as the run goes and may be cut off anywhere: the reader drops a torn last line with
// a warning, ignores types and keys it does not know, and calls any other bad line an error that names
// its number. Only file lines are required; disks and phases are inferred where their lines are missing.
//
// Start at Load for a whole run, at Reader for one event at a time, at Writer to record.
package trace
