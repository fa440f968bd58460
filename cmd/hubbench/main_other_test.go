//go:build !windows

package main

// removeProgram is for Windows, where testscript cannot remove a program that still runs.
func removeProgram() {}
