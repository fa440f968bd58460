//go:build !race

package fit

const (
	quickHubs  = 2  // random hubs of each kind predicted
	quickFits  = 10 // fits whose intervals are checked
	quickKnown = 4  // hubs predicted whose parameters are all known
)
