//go:build !race

package fit

const (
	quickHubs    = 1  // random hubs of each kind predicted
	quickFits    = 6  // fits whose intervals are checked
	quickEven    = 2  // even hubs predicted
	quickKinds   = 20 // kinds of hubs, at most
	QuickForeign = 4  // hubs of whose streams is asked
)
