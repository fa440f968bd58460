package analysis_test

import (
	"encoding/json"
	"slices"

	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/trace"
)

// claim is something that an analysis says of a disk, by one of the codes below. As a pattern it
// stands for all such claims: of any disk if it names none, and of values above Above.
type claim struct {
	Code, Disk string
	Phase      string  // The claim is about this phase.
	Other      string  // A baseline's kind, solo or later; who takes; or a cause.
	Value      float64 // The claim's number, of those that have one.
	Above      float64 // Of a pattern: lower values are no such claim.
}

// The codes of claims.
const (
	// The advice is to move the disk, or one of several, to its own port.
	codeMove      = "move"
	codeTakes     = "takes"     // A finding has the disk take bandwidth from another.
	codeRobbed    = "robbed"    // A finding has another disk take from this one.
	codeWins      = "wins"      // The disk crowds out others, takes from one, or recovers.
	codeRecovers  = "recovers"  // A finding has the disk recover after another's end.
	codeCrowds    = "crowds"    // The answer has the disk crowd out others.
	codeLoses     = "loses"     // The answer has the disk slowed.
	codeSlowed    = "slowed"    // Anything has the disk slowed.
	codeKept      = "kept"      // The disk is as fast as without the others.
	codeEven      = "even"      // The disks of a phase share evenly.
	codeThrottle  = "throttle"  // The disk fell by itself for good.
	codeFalls     = "falls"     // The disk fell from one level to a lower one.
	codeKnee      = "size_knee" // Speed depends on file size.
	codeModes     = "bimodal"   // The files fall into two groups.
	codeRepeat    = "repeat"    // The phase repeats another one.
	codeBaseline  = "baseline"  // The disk has this speed without the others, in bytes per second.
	codeRetention = "retention" // The disk keeps this share of its baseline.
)

// matches reports whether a claim is one that the pattern stands for.
func (c claim) matches(pattern claim) bool {
	return c.Code == pattern.Code && (pattern.Disk == "" || c.Disk == pattern.Disk) &&
		c.Value >= pattern.Above
}

// change is an entry of a phase's changes.
type change struct {
	Phase    string
	StartS   float64  `json:"start_s"`
	EndS     float64  `json:"end_s"`
	Disks    []string `json:"disks"`
	Kind     string   `json:"kind"`
	Cause    string   `json:"cause"`
	By       string   `json:"by"`
	FromRate float64  `json:"from_rate"`
	ToRate   float64  `json:"to_rate"`
	CountOf  int      `json:"count"`
	PeriodS  float64  `json:"period_s"`
	Each     []shift  `json:"each"`
}

// shift is what one disk of several did.
type shift struct {
	Disk     string  `json:"disk"`
	FromRate float64 `json:"from_rate"`
	ToRate   float64 `json:"to_rate"`
}

// finding is one of a run's findings.
type finding struct {
	Code  string   `json:"code"`
	Phase string   `json:"phase"`
	Disk  string   `json:"disk"`
	Disks []string `json:"disks"`
}

// reading is what analysis.json says, without its sentences.
type reading struct {
	Phases []struct {
		Name       string   `json:"phase"`
		Repeats    string   `json:"repeats"`
		Changes    []change `json:"changes"`
		Contention *struct {
			Even  bool `json:"even"`
			Disks map[string]struct {
				Held          bool     `json:"held"`
				Kept          bool     `json:"kept"`
				Reference     string   `json:"reference"`
				ReferenceRate *float64 `json:"reference_rate"`
				Retention     *float64 `json:"retention"`
			} `json:"disks"`
		} `json:"contention"`
		Disks map[string]struct {
			Quote *struct {
				Rate float64 `json:"rate"`
			} `json:"quote"`
			Throttle *struct {
				Cause string `json:"cause"`
			} `json:"throttle"`
			SizeKnee *struct{}   `json:"size_knee"`
			Modes    *[2]float64 `json:"modes"`
		} `json:"disks"`
	} `json:"phases"`
	Answer struct {
		Wins   []outcomeOf `json:"wins"`
		Loses  []outcomeOf `json:"loses"`
		Advice []struct {
			Kind  string   `json:"kind"`
			Disks []string `json:"disks"`
		} `json:"advice"`
	} `json:"answer"`
	Findings []finding `json:"findings"`
	Effects  []struct {
		Victim    string      `json:"victim"`
		Neighbour string      `json:"neighbour"`
		CI        *[2]float64 `json:"ci"`
		Phases    []string    `json:"phases"`
	} `json:"effects"`

	changes []change
	quotes  map[string]float64 // by phase/disk
	claims  []claim
}

// outcomeOf is who crowds out, or who is slowed.
type outcomeOf struct {
	Disk   string   `json:"disk"`
	Phases []string `json:"phases"`
}

// phase returns the first phase that shows the outcome.
func (o *outcomeOf) phase() string {
	if len(o.Phases) == 0 {
		return ""
	}
	return o.Phases[0]
}

// read analyses a run and collects what is claimed.
func read(run *trace.Run) *reading {
	a := analysis.Analyze(run, analysis.Options{})
	for i := range a.Phases {
		a.Phases[i].Series = nil // It is large, and claims nothing.
	}
	data, err := json.Marshal(a)
	if err != nil {
		panic(err)
	}
	r := &reading{quotes: map[string]float64{}}
	if err := json.Unmarshal(data, r); err != nil {
		panic(err)
	}
	r.readPhases()
	r.readAnswer()
	return r
}

func (r *reading) claim(c claim) { r.claims = append(r.claims, c) }

// readPhases collects what is claimed of phases.
func (r *reading) readPhases() {
	for _, p := range r.Phases {
		if p.Repeats != "" {
			r.claim(claim{Code: codeRepeat, Phase: p.Name})
		}
		for _, c := range p.Changes {
			c.Phase = p.Name
			r.changes = append(r.changes, c)
			if slices.Contains([]string{"own_fall", "unknown", "redistribution"}, c.Kind) {
				r.falls(&c)
			}
		}
		for name, d := range p.Disks {
			if d.Quote != nil {
				r.quotes[p.Name+"/"+name] = d.Quote.Rate
			}
			if d.Throttle != nil {
				r.claim(claim{
					Code: codeThrottle, Disk: name, Phase: p.Name, Other: d.Throttle.Cause,
				})
				r.claim(claim{Code: codeFalls, Disk: name, Phase: p.Name})
			}
			if d.SizeKnee != nil {
				r.claim(claim{Code: codeKnee, Disk: name, Phase: p.Name})
			}
			if d.Modes != nil {
				r.claim(claim{Code: codeModes, Disk: name, Phase: p.Name})
			}
		}
		if p.Contention == nil {
			continue
		}
		if p.Contention.Even {
			r.claim(claim{Code: codeEven, Phase: p.Name})
		}
		for name, d := range p.Contention.Disks {
			if d.Held {
				r.claim(claim{Code: codeSlowed, Disk: name, Phase: p.Name})
			}
			if d.Kept && !p.Contention.Even {
				r.claim(claim{Code: codeKept, Disk: name, Phase: p.Name})
			}
			if d.ReferenceRate != nil {
				r.claim(claim{Code: codeBaseline, Disk: name, Phase: p.Name,
					Value: *d.ReferenceRate,
					Other: d.Reference})
			}
			if d.Retention != nil {
				r.claim(claim{Code: codeRetention, Disk: name, Phase: p.Name, Value: *d.Retention,
					Other: d.Reference})
			}
		}
	}
}

// falls collects who fell in a change.
func (r *reading) falls(c *change) {
	for _, each := range c.Each {
		if each.ToRate < each.FromRate {
			r.claim(claim{Code: codeFalls, Disk: each.Disk, Phase: c.Phase})
		}
	}
	if len(c.Each) == 0 && c.ToRate < c.FromRate {
		r.claim(claim{Code: codeFalls, Disk: c.Disks[0], Phase: c.Phase})
	}
}

// readAnswer collects what is claimed of the run.
func (r *reading) readAnswer() {
	for _, o := range r.Answer.Wins {
		r.claim(claim{Code: codeWins, Disk: o.Disk, Phase: o.phase()})
		r.claim(claim{Code: codeCrowds, Disk: o.Disk, Phase: o.phase()})
	}
	for _, o := range r.Answer.Loses {
		r.claim(claim{Code: codeLoses, Disk: o.Disk, Phase: o.phase()})
		r.claim(claim{Code: codeSlowed, Disk: o.Disk, Phase: o.phase()})
	}
	for _, advice := range r.Answer.Advice {
		if advice.Kind == analysis.AdviceOwnPort || advice.Kind == analysis.AdviceAnyOwnPort {
			for _, disk := range advice.Disks {
				r.claim(claim{Code: codeMove, Disk: disk})
			}
		}
	}
	for _, f := range r.Findings {
		switch f.Code {
		case "steal":
			r.claim(claim{Code: codeTakes, Disk: f.Disk, Phase: f.Phase})
			r.claim(claim{Code: codeWins, Disk: f.Disk, Phase: f.Phase})
			for _, disk := range f.Disks {
				r.claim(claim{Code: codeRobbed, Disk: disk, Phase: f.Phase, Other: f.Disk})
				r.claim(claim{Code: codeSlowed, Disk: disk, Phase: f.Phase})
			}
		case "recovery":
			for _, disk := range f.Disks {
				r.claim(claim{Code: codeRecovers, Disk: disk, Phase: f.Phase})
				r.claim(claim{Code: codeWins, Disk: disk, Phase: f.Phase})
			}
		}
	}
}
