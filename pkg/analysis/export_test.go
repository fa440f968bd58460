package analysis

// TracesPerKind is the flag -traces, for the tests of the ledger's truths.
var TracesPerKind = perKind

// Jointly has pkg/change explain all disks of a phase together.
func Jointly() Options { return Options{jointly: true} }
