// Package scenario says what to do: it loads a scenario file, checks it, and makes of it a Plan
// in which nothing is left to decide. It touches no disk. Start at Load, then Scenario.Plan.
package scenario
