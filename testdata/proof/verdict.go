package main

import (
	"encoding/json"
	"fmt"
	"io"
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

// judge holds each claim to what the commands reported. With all of them at hand, a finding of a claim that is not listed
// fails too: a result that is measured but not reported.
func judge(claims []Claim, set Set, commands []Command, all bool) []Judged {
	var list []Judged
	for _, claim := range claims {
		list = append(list, judgeOne(claim, set, commands))
	}
	if !all {
		return list
	}
	listed := func(name string) bool {
		return slices.ContainsFunc(claims, func(c Claim) bool { return c.Name == name })
	}
	for _, c := range commands {
		for _, f := range c.Findings {
			if !listed(f.Claim) && !slices.ContainsFunc(list, func(j Judged) bool { return j.Name == f.Claim }) {
				list = append(list, Judged{
					Claim: Claim{Name: f.Claim, Title: f.Claim, Method: "unknown"}, Verdict: Fails, Findings: []evidence.Finding{f}, Commands: []string{c.Run},
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
		c := &commands[i]
		before := len(j.Findings)
		for _, f := range c.Findings {
			if f.Claim == claim.Name {
				j.Findings = append(j.Findings, f)
			}
		}
		if !slices.Contains(c.Claims, claim.Name) {
			continue
		}
		j.Commands = append(j.Commands, c.Run)
		j.Seconds += c.Seconds
		bad, missing := c.against(len(j.Findings) - before)
		wrong = append(wrong, bad...)
		for _, text := range missing {
			if what, why, ok := strings.Cut(text, ": "); ok { // a test, and why it was skipped
				left.add(why, what)
			} else {
				left.add(text)
			}
		}
		cut = cut || !c.Ran || c.Wrong == interrupted
	}
	measured := 0
	for _, f := range j.Findings {
		switch {
		case f.Left != "":
			left.add(f.Left, f.Case)
		case !f.Pass:
			measured++
			wrong = append(wrong, fmt.Sprintf("%s: %s; want %s", f.Case, show(f.Measured, f.Unit), f.Limit))
		default:
			measured++
		}
	}
	if len(j.Commands) == 0 && len(j.Findings) == 0 {
		j.Beyond = true
		left.add(fmt.Sprintf("the %s set leaves it out", set))
	}
	switch {
	case len(wrong) > 0:
		j.Verdict, j.Reason = Fails, strings.Join(wrong, "; ")
	case measured == 0 || cut:
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
type leftOut []reason

type reason struct {
	why  string
	what []string
}

// add adds things that were left out for a reason, or none if the reason says it all.
func (l *leftOut) add(why string, what ...string) {
	at := slices.IndexFunc(*l, func(r reason) bool { return r.why == why })
	if at < 0 {
		at = len(*l)
		*l = append(*l, reason{why: why})
	}
	(*l)[at].what = append((*l)[at].what, what...)
}

// String gives each reason once.
func (l leftOut) String() string {
	var parts []string
	for _, one := range l {
		switch len(one.what) {
		case 0:
			parts = append(parts, one.why)
		case 1:
			parts = append(parts, one.what[0]+": "+one.why)
		default:
			parts = append(parts, one.why+": "+strings.Join(one.what, ", "))
		}
	}
	return strings.Join(parts, "; ")
}

// against is what the command itself says against a claim that it gave that many findings of, and why there are not more.
func (c *Command) against(findings int) (wrong, left []string) {
	switch {
	case !c.Ran:
		return nil, []string{"interrupted before it was measured"}
	case c.Wrong == interrupted:
		return nil, []string{"interrupted while it was measured"}
	case c.Wrong != "":
		wrong = append(wrong, c.Run+": "+c.Wrong)
	}
	wrong = append(wrong, c.Failed...)
	if len(wrong) == 0 && findings == 0 && len(c.Skipped) == 0 {
		wrong = append(wrong, c.Run+" reported nothing")
	}
	return wrong, c.Skipped
}

// count is how many claims have a verdict.
func (p *Proof) count(v Verdict) int {
	n := 0
	for i := range p.Claims {
		if p.Claims[i].Verdict == v {
			n++
		}
	}
	return n
}

// verdict is all of it in a sentence or two.
func (p *Proof) verdict() string {
	measured := len(p.Claims) - p.count(Unmeasured)
	text := fmt.Sprintf("%d of %d claims hold.", p.count(Holds), measured)
	if failed := p.names(func(c *Judged) bool { return c.Verdict == Fails }); len(failed) > 0 {
		text = fmt.Sprintf("%d of %d claims fail: %s.", len(failed), measured, strings.Join(failed, ", "))
	}
	was := func(names []string, what string) {
		if n := len(names); n > 0 {
			text += fmt.Sprintf(" %d %s %s: %s.", n, map[bool]string{true: "was", false: "were"}[n == 1], what, strings.Join(names, ", "))
		}
	}
	was(p.names(func(c *Judged) bool { return c.Verdict == Unmeasured && !c.Beyond }), "not measured here")
	was(p.names(func(c *Judged) bool { return c.Beyond }), fmt.Sprintf("left out of the %s set", p.Set))
	if p.Interrupted {
		text = "Interrupted. " + text
	}
	return text
}

// names are those of some of the claims.
func (p *Proof) names(are func(*Judged) bool) []string {
	var names []string
	for i := range p.Claims {
		if are(&p.Claims[i]) {
			names = append(names, p.Claims[i].Name)
		}
	}
	return names
}

func (p *Proof) write(w io.Writer) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(p)
}
