package analysis

// TracesPerKind is the flag -traces, for the tests of the ledger's truths.
var TracesPerKind = perKind
