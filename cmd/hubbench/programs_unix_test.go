//go:build unix && !linux

package main

// programs are what this test binary can be besides hubbench.
var programs map[string]func()
