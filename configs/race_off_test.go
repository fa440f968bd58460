//go:build !race

package configs

// raceEnabled says that the tests run under the race detector, some ten times slower.
const raceEnabled = false
