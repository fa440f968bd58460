package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"time"

	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Command is a test or a program that measures claims, and what it came to.
type Command struct {
	Run      string             `json:"run"`
	Claims   []string           `json:"claims"`
	Seconds  float64            `json:"seconds"`
	Wrong    string             `json:"wrong,omitempty"`   // what went wrong with the command as a whole
	Failed   []string           `json:"failed,omitempty"`  // tests, with what they say
	Skipped  []string           `json:"skipped,omitempty"` // why tests did not run
	Findings []evidence.Finding `json:"-"`                 // they stand with their claims
	Ran      bool               `json:"ran"`

	most time.Duration
}

// interrupted is what is wrong with a command that was interrupted.
const interrupted = "interrupted"

// ending is the time that an interrupted command has to clean up.
const ending = 20 * time.Second

// runner runs commands and says so.
type runner struct {
	out      io.Writer
	log      io.Writer     // takes all that they print
	program  string        // go
	building time.Duration // what a command has to be built in, on a fresh clone
}

// measure runs the commands in turn, until it is interrupted.
func measure(ctx context.Context, list []Command, r *runner) []Command {
	for i := range list {
		c := &list[i]
		if ctx.Err() != nil {
			break
		}
		fmt.Fprintf(r.out, "%d of %d: %s\n  %s\n", i+1, len(list), strings.Join(c.Claims, ", "), c.Run)
		r.run(ctx, c)
		fmt.Fprintf(r.out, "  %s\n", c.outcome())
	}
	return list
}

// arguments are those that the command is run with: of tests, what they report as JSON, and nothing from the cache.
func (c *Command) arguments() []string {
	args := strings.Fields(c.Run)[1:]
	if args[0] == "test" {
		args = append([]string{"test", "-json", "-count=1", "-timeout=" + c.most.String()}, args[1:]...)
	}
	return args
}

// run carries the command out. It has its time and that to be built; a test notices by itself that it takes too long, and
// says where it stands.
func (r *runner) run(parent context.Context, c *Command) {
	c.Ran = true
	began := time.Now()
	defer func() { c.Seconds = time.Since(began).Seconds() }()
	ctx, cancel := context.WithTimeout(parent, c.most+r.building)
	defer cancel()
	cmd := exec.CommandContext(ctx, r.program, c.arguments()...)
	group(cmd)
	cmd.WaitDelay = ending
	lines, err := cmd.StdoutPipe()
	if err != nil {
		c.Wrong = err.Error()
		return
	}
	cmd.Stderr = r.log
	fmt.Fprintf(r.log, "-- %s\n", c.Run)
	if err := cmd.Start(); err != nil {
		c.Wrong = err.Error()
		return
	}
	tests := newTests(c)
	err = tests.read(io.TeeReader(lines, r.log))
	err = errors.Join(err, cmd.Wait())
	if parent.Err() != nil {
		c.Wrong = interrupted
		return
	}
	tests.end()
	switch {
	case ctx.Err() != nil:
		c.Wrong = fmt.Sprintf("it took longer than %s", unit.FormatSeconds((c.most + r.building).Seconds()))
	case err != nil && len(c.Failed) == 0 && c.fails() == 0:
		c.Wrong = fmt.Sprintf("it ended with %v", err)
		if tests.last != "" {
			c.Wrong += ": " + tests.last
		}
	}
}

// fails counts the findings that fail.
func (c *Command) fails() int {
	n := 0
	for _, f := range c.Findings {
		if f.Left == "" && !f.Pass {
			n++
		}
	}
	return n
}

// outcome is the command's in a line.
func (c *Command) outcome() string {
	took := unit.FormatSeconds(c.Seconds)
	checked, left := 0, 0
	for _, f := range c.Findings {
		if f.Left == "" {
			checked++
		} else {
			left++
		}
	}
	var parts []string
	if checked > 0 {
		parts = append(parts, fmt.Sprintf("%d of %d findings hold", checked-c.fails(), checked))
	}
	if n := left + len(c.Skipped); n > 0 {
		parts = append(parts, fmt.Sprintf("%d left out", n))
	}
	if n := len(c.Failed); n > 0 {
		parts = append(parts, fmt.Sprintf("%d tests fail", n))
	}
	if c.Wrong != "" {
		parts = append(parts, c.Wrong)
	}
	if len(parts) == 0 {
		parts = append(parts, "it reported nothing")
	}
	return strings.Join(parts, ", ") + " (" + took + ")"
}

// longestLine is what a line of output has at most.
const longestLine = 4 << 20

func scanner(r io.Reader) *bufio.Scanner {
	s := bufio.NewScanner(r)
	s.Buffer(nil, longestLine)
	return s
}
