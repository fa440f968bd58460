package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"testing"
	"time"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/evidence"
)

// fake is the environment's variable that has this program do as a command that measures.
const fake = "HUBBENCH_PROOF_FAKE"

func TestMain(m *testing.M) {
	if what := os.Getenv(fake); what != "" {
		pretend(what)
		return
	}
	os.Exit(m.Run())
}

func finding(pass bool) evidence.Finding {
	return evidence.Finding{Claim: "a", Case: "a case", Unit: "s", Measured: 1, Limit: "2 s at most", Pass: pass}
}

// line is one of go test -json.
func line(e event) {
	text, _ := json.Marshal(e)
	fmt.Println(string(text))
}

// tells is a test that reports a finding.
func tells(f evidence.Finding) {
	value, _ := json.Marshal(f)
	line(event{Action: "attr", Test: "TestX", Key: evidence.Key, Value: string(value)})
}

func pretend(what string) {
	out := func(text string) { line(event{Action: "output", Test: "TestX", Output: text + "\n"}) }
	if what != "does not build" {
		line(event{Action: "run", Test: "TestX"})
	}
	code := 0
	switch what {
	case "holds":
		tells(finding(true))
		line(event{Action: "pass", Test: "TestX"})
	case "fails":
		tells(finding(false))
		out("    x_test.go:1: a, a case: 1 s where 0 is true")
		line(event{Action: "fail", Test: "TestX"})
		code = 1
	case "fails otherwise":
		tells(finding(true))
		out("    x_test.go:1: it leaked")
		line(event{Action: "fail", Test: "TestX"})
		code = 1
	case "skips":
		for _, part := range []string{"TestX/a", "TestX/b"} {
			line(event{Action: "run", Test: part})
			line(event{Action: "output", Test: part, Output: "    x_test.go:1: looking\n"})
			line(event{Action: "output", Test: part, Output: "    disk.go:1: needs root\n"})
			line(event{Action: "skip", Test: part})
		}
		line(event{Action: "pass", Test: "TestX"})
	case "crashes":
		out("panic: out of luck")
		code = 2
	case "does not build":
		line(event{Action: "build-output", Output: "x.go:1:1: undefined: y\n"})
		line(event{Action: "fail"})
		code = 1
	case "says nothing":
		line(event{Action: "pass", Test: "TestX"})
	case "half a finding":
		line(event{Action: "attr", Test: "TestX", Key: evidence.Key, Value: `{"claim":"a",`})
		line(event{Action: "pass", Test: "TestX"})
	case "leaves out":
		f := finding(false)
		f.Left = "no FUSE here"
		tells(f)
		line(event{Action: "pass", Test: "TestX"})
	case "another claim":
		f := finding(true)
		f.Claim = "z"
		tells(f)
		tells(finding(true))
		line(event{Action: "pass", Test: "TestX"})
	case "hangs":
		ended := make(chan os.Signal, 1)
		signal.Notify(ended, os.Interrupt)
		tells(finding(true))
		<-ended
		code = 2
	}
	os.Exit(code)
}

// What a command does decides about its claim: nothing that goes wrong is passed over.
func TestVerdicts(t *testing.T) {
	self, err := os.Executable()
	check.Must(t, err)
	claims := []Claim{{Name: "a", Title: "A", Method: "m", Sentence: "s"}}
	for _, tt := range []struct {
		what    string
		verdict Verdict
		reason  string // a part of it
	}{
		{"holds", Holds, ""},
		{"fails", Fails, "a case: 1 s; want 2 s at most"},
		{"fails otherwise", Fails, "TestX: it leaked"},
		{"skips", Unmeasured, "TestX: needs root"},
		{"crashes", Fails, "TestX never ended"},
		{"does not build", Fails, "undefined: y"},
		{"says nothing", Fails, "reported nothing"},
		{"half a finding", Fails, "unexpected end of JSON input"},
		{"leaves out", Unmeasured, "a case: no FUSE here"},
		{"another claim", Holds, ""},
		{"hangs", Fails, "took longer than"},
	} {
		t.Run(tt.what, func(t *testing.T) {
			t.Setenv(fake, tt.what)
			c := Command{Run: "go test ./x -run TestX", Claims: []string{"a"}, most: time.Minute}
			if tt.what == "hangs" {
				c.most = time.Second
			}
			r := &runner{out: io.Discard, log: io.Discard, program: self}
			p := &Proof{Commands: []Command{c}}
			r.measure(t.Context(), p.Commands)
			p.Claims = judge(claims, Short, p.Commands, true)
			got := p.Claims[0]
			if got.Verdict != tt.verdict || !strings.Contains(got.Reason, tt.reason) || tt.reason == "" && got.Reason != "" {
				t.Errorf("%s, %q; want %s, %q", got.Verdict, got.Reason, tt.verdict, tt.reason)
			}
			if tt.what == "another claim" && (len(p.Claims) != 2 || p.Claims[1].Verdict != Fails || p.Claims[1].Name != "z") {
				t.Errorf("%+v, want a claim that nobody lists to fail", p.Claims)
			}
			if tt.what == "skips" && got.Reason != tt.reason {
				t.Errorf("%q says it more than once", got.Reason)
			}
			if tt.what == "fails" && strings.Contains(got.Reason, "TestX") {
				t.Errorf("%q says it twice", got.Reason)
			}
		})
	}
}

// An interrupt ends the command that runs, and keeps what was measured before.
func TestInterrupt(t *testing.T) {
	self, err := os.Executable()
	check.Must(t, err)
	t.Setenv(fake, "hangs")
	ctx, cancel := context.WithCancel(t.Context())
	read, write := io.Pipe()
	go func() { // once the finding is there
		scan := bufio.NewScanner(read)
		for scan.Scan() {
			if strings.Contains(scan.Text(), "hubbench-finding") {
				cancel()
			}
		}
	}()
	list := []Command{{Run: "go test ./x -run X", Claims: []string{"a"}, most: time.Minute}, {Run: "go test ./x -run Y", Claims: []string{"b"}, most: time.Minute}}
	(&runner{out: io.Discard, log: write, program: self}).measure(ctx, list)
	p := &Proof{Set: Usual, Commands: list, Interrupted: true}
	p.Claims = judge([]Claim{{Name: "a"}, {Name: "b"}}, Usual, p.Commands, true)
	if a := p.Claims[0]; a.Verdict != Unmeasured || !strings.Contains(a.Reason, "interrupted while") || len(a.Findings) != 1 {
		t.Errorf("%s, %q, %v: want it not measured, but with what was found before the interrupt", a.Verdict, a.Reason, a.Findings)
	}
	if b := p.Claims[1]; b.Verdict != Unmeasured || !strings.Contains(b.Reason, "interrupted before") {
		t.Errorf("%s, %q: want it not measured", b.Verdict, b.Reason)
	}
	if got, want := p.verdict(), "Interrupted. 0 of 0 claims hold. 2 were not measured here: a, b."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestLeftOutByReason tells each reason once, in the order in which they came up.
func TestLeftOutByReason(t *testing.T) {
	c := Command{Ran: true, Claims: []string{"faults"}, Skipped: []string{"TestA: needs root", "TestB: needs minutes", "TestC: needs root", "interrupted"}}
	c.Findings = []evidence.Finding{{Claim: "faults", Case: "a fault: under load", Left: "not tried"}, {Claim: "faults", Case: "a pass", Pass: true}}
	got := judgeOne(Claim{Name: "faults"}, Usual, []Command{c})
	want := "left out: needs root: TestA, TestC; TestB: needs minutes; interrupted; a fault: under load: not tried"
	if got.Verdict != Holds || got.Reason != want {
		t.Errorf("got %s, %q; want %s, %q", got.Verdict, got.Reason, Holds, want)
	}
}
