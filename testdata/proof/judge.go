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
					Reason: fmt.Sprintf("%s reports it, but claims.yaml does not list it", c.Run),
				})
			}
		}
	}
	return list
}

func judgeOne(claim Claim, set Set, commands []Command) Judged {
	j := Judged{Claim: claim, Findings: []evidence.Finding{}, Commands: []string{}}
	var wrong []string
	var left leftOut
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
			left.add("interrupted before it was measured", "")
			continue
		case c.Wrong == interrupted:
			cut = true
			left.add("interrupted while it was measured", "")
			continue
		case c.Wrong != "":
			wrong = append(wrong, c.Run+": "+c.Wrong)
		case len(c.Failed)+len(c.Skipped) == 0 && len(j.Findings) == before:
			wrong = append(wrong, c.Run+" reported nothing")
		}
		wrong = append(wrong, c.Failed...)
		for _, text := range c.Skipped {
			if what, why, ok := strings.Cut(text, ": "); ok { // a test, and why it was skipped
				left.add(why, what)
			} else {
				left.add(text, "")
			}
		}
	}
	for _, f := range j.Findings {
		switch {
		case f.Left != "":
			left.add(f.Left, f.Case)
		case !f.Pass:
			wrong = append(wrong, fmt.Sprintf("%s: %s; want %s", f.Case, show(f.Measured, f.Unit), f.Limit))
		}
	}
	if len(j.Commands) == 0 && len(j.Findings) == 0 {
		j.Beyond = true
		left.add(fmt.Sprintf("the %s set leaves it out", set), "")
	}
	switch {
	case len(wrong) > 0:
		j.Verdict, j.Reason = Fails, strings.Join(wrong, "; ")
	case cut || tallyOf(j.Findings).held == 0:
		j.Verdict, j.Reason = Unmeasured, left.String()
	default:
		j.Verdict = Holds
		if len(left) > 0 {
			j.Reason = "left out: " + left.String()
		}
	}
	return j
}

// leftOut is what was not measured, by the reason, in the order in which it came up.
type leftOut []struct {
	why  string
	what []string // empty if the reason says it all
}

func (l *leftOut) add(why, what string) {
	at := 0
	for at < len(*l) && (*l)[at].why != why {
		at++
	}
	if at == len(*l) {
		*l = append(*l, leftOut{{why: why}}...)
	}
	if what != "" {
		(*l)[at].what = append((*l)[at].what, what)
	}
}

// String gives each reason once.
func (l leftOut) String() string {
	var parts []string
	for _, one := range l {
		switch what := strings.Join(one.what, ", "); len(one.what) {
		case 0:
			parts = append(parts, one.why)
		case 1:
			parts = append(parts, what+": "+one.why)
		default:
			parts = append(parts, one.why+": "+what)
		}
	}
	return strings.Join(parts, "; ")
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
	was := func(names []string, what string) {
		if n := len(names); n > 0 {
			verb := map[bool]string{true: "was", false: "were"}[n == 1]
			text += fmt.Sprintf(" %d %s %s: %s.", n, verb, what, strings.Join(names, ", "))
		}
	}
	was(p.named(Unmeasured), "not measured here")
	var beyond []string
	for i := range p.Claims {
		if p.Claims[i].Beyond {
			beyond = append(beyond, p.Claims[i].Name)
		}
	}
	was(beyond, fmt.Sprintf("left out of the %s set", p.Set))
	if p.Interrupted {
		text = "Interrupted. " + text
	}
	return text
}
