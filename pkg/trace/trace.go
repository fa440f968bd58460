// Package trace says what happened: the events of a run, one JSON object a line (events.jsonl),
// with their one codec, and Run, which is those events sorted out by phase, disk and file. It draws
// no conclusions (see overlap and analysis) and opens no files.
//
// A trace is written as the run goes and may be cut off anywhere: the reader drops a torn last line
// with a warning, ignores types and keys it does not know, and calls any other bad line an error
// that names its number. Only file lines are required; disks and phases are inferred if their lines
// are missing.
//
// No file is counted twice. File lines that say the same are one, and a second run line or a second
// line of a phase is an error. If files of one disk overlap, the trace decides what is possible:
//
//   - If leaving out at most 5 % of a disk's files lets the rest come one at a time, the disk
//     moved one at a time, and those files are left out: the fewest that it takes.
//   - If it takes more, the disk had several files in transfer (a queue deeper than one), and all
//     count.
//
// Two files overlap, for these rules, when they share more than half of the shorter one's time;
// less may come from rounded times. The run's warnings say how many lines were left out, and where.
//
// Start at Load for a whole run, at Reader for one event at a time, at AppendEvent to record.
package trace
