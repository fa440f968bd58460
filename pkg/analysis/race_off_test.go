//go:build !race

package analysis

// raceEnabled says that the tests run under the race detector, some ten times slower.
const raceEnabled = false
