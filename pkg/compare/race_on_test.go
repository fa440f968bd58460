//go:build race

package compare

// raceEnabled says that the tests run under the race detector, some ten times slower.
const raceEnabled = true
