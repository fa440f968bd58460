package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/internal/test/evidence"
)

// Proof is everything that was measured.
type Proof struct {
	Tool        string    `json:"tool"`
	Date        string    `json:"date"`
	Machine     string    `json:"machine"`
	Set         Set       `json:"set"`
	Seconds     float64   `json:"seconds"`
	Interrupted bool      `json:"interrupted,omitempty"`
	Claims      []Judged  `json:"claims"`
	Commands    []Command `json:"commands"`
}

// Judged is a claim with what was measured of it.
type Judged struct {
	Claim

	Verdict  Verdict            `json:"verdict"`
	Reason   string             `json:"reason,omitempty"` // why it fails or was not measured, or what was left out of it
	Findings []evidence.Finding `json:"findings"`
	Commands []string           `json:"commands"`
	Seconds  float64            `json:"seconds"`          // of these
	Beyond   bool               `json:"beyond,omitempty"` // the set does not measure it
}

// Verdict is the verdict on a claim.
type Verdict string

// The verdicts.
const (
	Holds      Verdict = "holds"
	Fails      Verdict = "fails"
	Unmeasured Verdict = "not measured"
)

// judge holds each claim to what the commands reported. With all of them at hand, a finding of a claim that is
// not listed fails too: a result that is measured but not reported.
func judge(claims []Claim, set Set, commands []Command, all bool) []Judged {
	var list []Judged
	for _, claim := range claims {
		list = append(list, judgeOne(claim, set, commands))
	}
	for _, c := range commands {
		for _, f := range c.Findings {
			if all && !slices.ContainsFunc(list, func(j Judged) bool { return j.Name == f.Claim }) {
				list = append(list, Judged{
					Claim:   Claim{Name: f.Claim, Title: f.Claim, Method: "unknown"},
					Verdict: Fails, Findings: []evidence.Finding{f}, Commands: []string{c.Run},
					Reason: c.Run + " reports it, but claims.yaml does not list it",
				})
			}
		}
	}
	return list
}

func judgeOne(claim Claim, set Set, commands []Command) Judged {
	j := Judged{Claim: claim, Findings: []evidence.Finding{}, Commands: []string{}}
	var wrong []string
	var reasons []string          // why things were left out, in the order in which they came up
	left := map[string][]string{} // by the reason, what was, unless the reason says it all
	leave := func(why string, what ...string) {
		if !slices.Contains(reasons, why) {
			reasons = append(reasons, why)
		}
		left[why] = append(left[why], what...)
	}
	cut := false // an interrupt came before all was measured
	for i := range commands {
		c, before := &commands[i], len(j.Findings)
		for _, f := range c.Findings {
			if f.Claim == claim.Name {
				j.Findings = append(j.Findings, f)
			}
		}
		if !slices.Contains(c.Claims, claim.Name) {
			continue
		}
		j.Commands, j.Seconds = append(j.Commands, c.Run), j.Seconds+c.Seconds
		switch {
		case !c.Ran:
			cut = true
			leave("interrupted before it was measured")
			continue
		case c.Wrong == interrupted:
			cut = true
			leave("interrupted while it was measured")
			continue
		case c.Wrong != "":
			wrong = append(wrong, c.Run+": "+c.Wrong)
		case len(c.Failed)+len(c.Skipped) == 0 && len(j.Findings) == before:
			wrong = append(wrong, c.Run+" reported nothing")
		}
		wrong = append(wrong, c.Failed...)
		for _, text := range c.Skipped {
			if what, why, ok := strings.Cut(text, ": "); ok { // a test, and why it was skipped
				leave(why, what)
			} else {
				leave(text)
			}
		}
	}
	for _, f := range j.Findings {
		switch {
		case f.Left != "":
			leave(f.Left, f.Case)
		case !f.Pass:
			wrong = append(wrong, fmt.Sprintf("%s: %s; want %s", f.Case, show(f.Measured, f.Unit), f.Limit))
		}
	}
	if len(j.Commands) == 0 && len(j.Findings) == 0 {
		j.Beyond = true
		leave(fmt.Sprintf("the %s set leaves it out", set))
	}
	for i, why := range reasons {
		switch what := left[why]; len(what) {
		case 0:
		case 1:
			reasons[i] = what[0] + ": " + why
		default:
			reasons[i] = why + ": " + strings.Join(what, ", ")
		}
	}
	leftOut := strings.Join(reasons, "; ")
	switch {
	case len(wrong) > 0:
		j.Verdict, j.Reason = Fails, strings.Join(wrong, "; ")
	case cut || tallyOf(j.Findings).held == 0:
		j.Verdict, j.Reason = Unmeasured, leftOut
	default:
		j.Verdict = Holds
		if leftOut != "" {
			j.Reason = "left out: " + leftOut
		}
	}
	return j
}

// named are the claims with a verdict that the set measures.
func (p *Proof) named(v Verdict) (names []string) {
	for i := range p.Claims {
		if c := &p.Claims[i]; c.Verdict == v && !c.Beyond {
			names = append(names, c.Name)
		}
	}
	return names
}

// verdict is all of it in a sentence or two.
func (p *Proof) verdict() string {
	holds, fails := len(p.named(Holds)), p.named(Fails)
	text := fmt.Sprintf("%d of %d claims hold.", holds, holds+len(fails))
	if len(fails) > 0 {
		text = fmt.Sprintf("%d of %d claims fail: %s.", len(fails), holds+len(fails), strings.Join(fails, ", "))
	}
	var beyond []string
	for i := range p.Claims {
		if p.Claims[i].Beyond {
			beyond = append(beyond, p.Claims[i].Name)
		}
	}
	for _, rest := range []struct {
		names []string
		what  string
	}{{p.named(Unmeasured), "not measured here"}, {beyond, fmt.Sprintf("left out of the %s set", p.Set)}} {
		if n := len(rest.names); n > 0 {
			verb := map[bool]string{true: "was", false: "were"}[n == 1]
			text += fmt.Sprintf(" %d %s %s: %s.", n, verb, rest.what, strings.Join(rest.names, ", "))
		}
	}
	if p.Interrupted {
		text = "Interrupted. " + text
	}
	return text
}
