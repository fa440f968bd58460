// Package analysis turns a trace into numbers a reviewer can quote: it composes overlap and stats
// into phases, recoveries, summaries and findings. It is a pure function of the trace. Start at Analyze.
package analysis
