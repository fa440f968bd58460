// Package trace says what happened: the events of a run, one JSON object a line, and their reader
// and writer. It draws no conclusions (see overlap and analysis). Start at Event, Reader and Read.
package trace
