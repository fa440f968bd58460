//go:build race

package advise

// The race detector makes a fit some ten times slower, and there is one goroutine.
const quickHubs = 1
