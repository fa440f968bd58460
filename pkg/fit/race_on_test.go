//go:build race

package fit

// The race detector makes a fit some ten times slower, and there is one goroutine.
const (
	quickHubs    = 1
	quickFits    = 2
	quickEven    = 1
	quickKinds   = 2
	QuickForeign = 1 // hubs of whose streams is asked
)
