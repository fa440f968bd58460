//go:build !windows

package main

// removeProgram is for Windows, on which testscript cannot remove a program that still runs.
func removeProgram() {}
