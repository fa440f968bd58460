package effect

// The thresholds of effects. They are from the field reports; those of noise were chosen on the
// classes of internal/test/tracetest that are marked as tuned.
const (
	// FalseClaimRate is the probability that noise alone makes a claim, in a whole run.
	FalseClaimRate = 0.01
	// A loss of less than MinLoss of a rate is of no interest, and rates that lie no further apart
	// are about the same.
	MinLoss = 0.10
	// A disk that keeps more than MinRetained of its baseline is not called slowed.
	MinRetained = 1 - MinLoss
	// A disk kept its rate if it has MinRetained of its baseline, and noise would show that much of
	// a disk with only clearlyLess at a lower rate than falseKeptRate.
	clearlyLess   = 0.80
	falseKeptRate = 0.02
	// MinIntervalS is the length of a stretch below which no interval is given: a stall of a second
	// or two, or noise that lasts that long, may fill it or be missing from it, and nothing in it
	// shows that.
	MinIntervalS = 5
	// As a logarithm: if the rate of a solo and a later one are this close, the solo is used.
	sameReference = 0.1
	// What starts takes from a disk no more than it moves itself, but for waste: 1.25 on hubs of
	// the field notes.
	maxWaste = 1.25
	// Changes this close together, in nanoseconds, are one.
	CloseNS = 250_000_000
	// Pauses between files that take less than this part of a stretch do not matter.
	fewPauses = 0.02
)
