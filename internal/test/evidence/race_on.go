//go:build race

package evidence

// Raced says that the tests run under the race detector, some ten times slower.
const Raced = true
