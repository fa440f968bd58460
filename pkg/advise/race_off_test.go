//go:build !race

package advise

// quickHubs is how many random hubs are fitted.
const quickHubs = 4
