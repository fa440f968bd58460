package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/hubbench/hubbench/internal/exit"
	"github.com/hubbench/hubbench/internal/tell/output"
	"github.com/hubbench/hubbench/pkg/unit"
)

// exitCode is a code that a command can return, and what it means.
type exitCode struct {
	code     int
	commands []string // none: all
	meaning  string
}

func exitCodes() []exitCode {
	return []exitCode{
		{exit.OK, nil, "ok"},
		{exit.Failed, nil, "failed"},
		{exit.Misuse, nil, "bad usage or scenario"},
		{exit.Partial, []string{"run"}, "partial run, results kept"},
		{exit.Partial, []string{"check"}, "a limit was not measured"},
		{exit.Partial, []string{"compare", "trend"}, "a fall can't be ruled out (--fail-above)"},
		{exit.Threshold, []string{"run", "simulate"}, "a rate is too low (--fail-below)"},
		{exit.Threshold, []string{"compare", "trend"}, "a rate fell (--fail-above)"},
		{exit.Threshold, []string{"check"}, "a limit failed"},
		{exit.Threshold, []string{"doctor"}, "a check failed"},
		{exit.Interrupted, []string{"run"}, "interrupted, results kept"},
		{exit.Interrupted, []string{"doctor"}, "interrupted"},
	}
}

// exitCodesOf returns the codes of a command, and those of all for hubbench itself.
func exitCodesOf(cmd *cobra.Command) (codes []exitCode) {
	for _, c := range exitCodes() {
		switch {
		case c.commands == nil || slices.Contains(c.commands, cmd.Name()):
		case cmd.Name() == "hubbench":
			c.meaning = unit.List(c.commands) + ": " + c.meaning
		default:
			continue
		}
		codes = append(codes, c)
	}
	return codes
}

// exitCodesKey is the annotation that the template of usages takes the codes from.
const exitCodesKey = "exit codes"

func noteExitCodes(cmd *cobra.Command) {
	var text strings.Builder
	text.WriteString("\nExit codes:\n")
	for _, c := range exitCodesOf(cmd) {
		fmt.Fprintf(&text, "  %-3d  %s\n", c.code, c.meaning)
	}
	cmd.Annotations = map[string]string{exitCodesKey: text.String()}
	for _, child := range cmd.Commands() {
		noteExitCodes(child)
	}
}

// maxMistakes is how many mistakes are printed at once.
const maxMistakes = 10

// printError prints an error, on a line for each of several mistakes, and returns the exit code.
func (p program) printError(err error) int {
	code, mistakes := exit.Mistakes(err)
	if code == exit.Failed && errors.Is(err, context.Canceled) {
		code = exit.Interrupted
	}
	for _, mistake := range mistakes[:min(len(mistakes), maxMistakes)] {
		p.Notef("hubbench: %s\n", output.OneLine(mistake.Error()))
	}
	if more := len(mistakes) - maxMistakes; more > 0 {
		p.Notef("hubbench: and %d more\n", more)
	}
	return code
}
