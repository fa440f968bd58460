package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/hubbench/hubbench/internal/test/evidence"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Command is a test that measures claims, and what it came to.
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

	// While it runs.
	said    map[string][]string // what each running test complains about
	failing []string            // tests that reported a finding which fails
	last    string              // the last line that says something
}

// interrupted is what is wrong with a command that was interrupted.
const interrupted = "interrupted"

// runner runs commands and says so.
type runner struct {
	out      io.Writer
	log      io.Writer     // takes all that they print
	program  string        // go
	building time.Duration // what a command has to be built in, on a fresh clone
}

// measure runs the commands in turn, until it is interrupted.
func (r *runner) measure(ctx context.Context, list []Command) {
	for i := range list {
		c := &list[i]
		if ctx.Err() != nil {
			break
		}
		fmt.Fprintf(r.out, "%d of %d: %s\n  %s\n", i+1, len(list), strings.Join(c.Claims, ", "), c.Run)
		began := time.Now()
		r.run(ctx, c)
		c.Seconds = time.Since(began).Seconds()
		fmt.Fprintf(r.out, "  %s\n", c.outcome())
	}
}

// run carries the command out, with nothing from the cache. It has its time and that to be built; a test
// notices by itself that it takes too long, and says where it stands.
func (r *runner) run(parent context.Context, c *Command) {
	c.Ran, c.said = true, map[string][]string{}
	ctx, cancel := context.WithTimeout(parent, c.most+r.building)
	defer cancel()
	words := strings.Fields(c.Run) // go test ...
	args := append([]string{"test", "-json", "-count=1", "-timeout=" + c.most.String()}, words[2:]...)
	cmd := exec.CommandContext(ctx, r.program, args...)
	group(cmd)
	cmd.WaitDelay = 20 * time.Second // to clean up when interrupted
	cmd.Stderr = r.log
	fmt.Fprintf(r.log, "-- %s\n", c.Run)
	lines, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		c.Wrong = err.Error()
		return
	}
	err = errors.Join(c.read(io.TeeReader(lines, r.log)), cmd.Wait())
	if parent.Err() != nil {
		c.Wrong = interrupted
		return
	}
	open := slices.Sorted(maps.Keys(c.said)) // tests that never ended: their program crashed, or was stopped
	for _, name := range open {
		if !slices.ContainsFunc(open, func(part string) bool { return strings.HasPrefix(part, name+"/") }) {
			c.Failed = append(c.Failed, c.ended(name, name, 3)+" never ended")
		}
	}
	switch {
	case ctx.Err() != nil:
		c.Wrong = "it took longer than " + unit.FormatSeconds((c.most + r.building).Seconds())
	case err != nil && len(c.Failed) == 0 && tallyOf(c.Findings).failed == 0:
		c.Wrong = strings.TrimSuffix(fmt.Sprintf("it ended with %v: %s", err, c.last), ": ")
	}
}

// outcome is the command's in a line.
func (c *Command) outcome() string {
	n := tallyOf(c.Findings)
	var parts []string
	add := func(n int, text string) {
		if n > 0 {
			parts = append(parts, text)
		}
	}
	add(n.held+n.failed, n.String()+" findings hold")
	add(n.left+len(c.Skipped), fmt.Sprintf("%d left out", n.left+len(c.Skipped)))
	add(len(c.Failed), fmt.Sprintf("%d tests fail", len(c.Failed)))
	add(len(c.Wrong), c.Wrong)
	if len(parts) == 0 {
		parts = append(parts, "it reported nothing")
	}
	return strings.Join(parts, ", ") + " (" + unit.FormatSeconds(c.Seconds) + ")"
}

// tally counts findings.
type tally struct{ held, failed, left int }

func tallyOf(list []evidence.Finding) (n tally) {
	for _, f := range list {
		switch {
		case f.Left != "":
			n.left++
		case f.Pass:
			n.held++
		default:
			n.failed++
		}
	}
	return n
}

func (n tally) String() string { return fmt.Sprintf("%d of %d", n.held, n.held+n.failed) }

// event is a line of go test -json.
type event struct {
	Action, Test string
	Key, Value   string // of an attribute
	Output       string
}

var (
	complains = regexp.MustCompile(`^\s+\w+\.go:\d+: (.*\S)`) // what a test says, after the place in the code
	saysNone  = regexp.MustCompile(`^(exit status|FAIL|$)`)
)

// read takes the findings and failures out of the lines of go test -json.
func (c *Command) read(r io.Reader) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var e event
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			e = event{Action: "output", Output: lines.Text()}
		}
		c.follow(&e)
	}
	return lines.Err()
}

func (c *Command) follow(e *event) {
	switch e.Action {
	case "attr":
		var f evidence.Finding
		if e.Key != evidence.Key {
			break
		}
		if err := json.Unmarshal([]byte(e.Value), &f); err != nil {
			c.Failed = append(c.Failed, fmt.Sprintf("finding %q: %v", e.Value, err))
			break
		}
		c.Findings = append(c.Findings, f)
		if f.Left == "" && !f.Pass {
			c.failing = append(c.failing, e.Test)
		}
	case "output", "build-output":
		if text := strings.TrimSpace(e.Output); !saysNone.MatchString(text) {
			c.last = text
		}
		if match := complains.FindStringSubmatch(e.Output); match != nil && e.Test != "" {
			c.said[e.Test] = append(c.said[e.Test], match[1])
		}
	case "run":
		c.said[e.Test] = nil
	case "skip":
		// Parts of one test are mostly left out for one reason.
		if name, _, _ := strings.Cut(e.Test, "/"); name != "" {
			if why := c.ended(e.Test, name, 1); !slices.Contains(c.Skipped, why) {
				c.Skipped = append(c.Skipped, why)
			}
		}
	case "fail":
		// A test fails with its subtests, or with its findings: they have said why.
		part := func(s string) bool { return s == e.Test || strings.HasPrefix(s, e.Test+"/") }
		if e.Test != "" && !slices.ContainsFunc(c.Failed, part) && !slices.ContainsFunc(c.failing, part) {
			c.Failed = append(c.Failed, c.ended(e.Test, e.Test, 3))
		}
		delete(c.said, e.Test)
	case "pass":
		delete(c.said, e.Test)
	}
}

// ended is a test that has ended, by a name to call it, with the last that it said: what it logs comes before.
func (c *Command) ended(test, name string, most int) string {
	said := c.said[test]
	delete(c.said, test)
	if len(said) == 0 {
		return name
	}
	return name + ": " + strings.Join(said[max(0, len(said)-most):], "; ")
}
