package analysis

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/unit"
)

// Caveat is a reason not to trust a run's numbers.
type Caveat struct {
	Code    string  `json:"code"`
	Phase   string  `json:"phase,omitempty"` // Phase shows it first; it is empty for the run.
	Disk    string  `json:"disk,omitempty"`
	Cause   string  `json:"cause,omitempty"` // Cause is the error of a failure.
	Percent float64 `json:"percent,omitempty"`
	Text    string  `json:"text"`
}

// The codes of caveats.
const (
	CaveatFailed    = "failed"  // A disk failed.
	CaveatPartial   = "partial" // The run or a phase ended early.
	CaveatShared    = "shared_disk"
	CaveatSkipped   = "skipped_checks"
	CaveatHostBound = "host_bound"    // The computer's cores were busy, by so many percent.
	CaveatCached    = "cached"        // So much of what was read came from a cache.
	CaveatWrites    = "cached_writes" // Small writes went through this computer's cache.
	CaveatImprecise = "imprecise"     // A rate's 95 % interval is as wide as this to either side.
	CaveatModel     = "model"         // Simulated requests are too small for the model.
)

// stands reports whether the answer rests on nothing that a caveat puts in doubt: its number is
// significant, and comes from whole phases. What other programs or a busy computer may have done to
// it belongs beside it.
func (a *Analysis) stands() bool {
	for _, c := range a.Answer.Caveats {
		switch c.Code {
		case CaveatSkipped, CaveatHostBound:
		case CaveatImprecise:
			if len(a.Answer.Loses) == 0 {
				return false
			}
		case CaveatFailed, CaveatPartial:
			if len(a.Answer.Loses) == 0 || !a.restsOnWholePhases() {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// restsOnWholePhases reports whether no phase ended early that shows who wins or loses.
func (a *Analysis) restsOnWholePhases() bool {
	for _, o := range slices.Concat(a.Answer.Wins, a.Answer.Loses) {
		for i := range a.Phases {
			if p := &a.Phases[i]; slices.Contains(o.Phases, p.Name) && p.EndedEarly() {
				return false
			}
		}
	}
	return true
}

// EndedEarly reports whether the phase did not end as planned.
func (p *PhaseResult) EndedEarly() bool {
	for _, w := range p.Warnings {
		if w.Code == "partial" {
			return true
		}
	}
	return false
}

// caveats returns the reasons not to trust the numbers, each once, the worst first.
func (a *Analysis) caveats() (out []Caveat) {
	add := func(d Caveat, text string, args ...any) {
		d.Text = fmt.Sprintf(text, args...)
		out = append(out, d)
	}
	var early, small *PhaseResult // the first that ended early, and with small requests
	for i := range a.Phases {
		p := &a.Phases[i]
		for _, w := range p.Warnings {
			switch {
			case w.Code != "partial":
			case w.Other != "":
				add(Caveat{Code: CaveatFailed, Phase: p.Name, Disk: w.Disk, Cause: w.Other},
					"Disk %s failed (%s): %s.", w.Disk, a.Title(p.Name),
					strings.TrimSuffix(withoutDisk(w.Other, w.Disk), "."))
			case early == nil:
				early = p
			}
		}
		for _, w := range p.Work {
			if small == nil && w.Block > 0 && w.Block < wholeRequest && !w.HasNoFiles() {
				small = p
			}
		}
	}
	partial := func(w Warning) bool { return w.Code == "partial" }
	switch {
	case len(out) > 0: // The failure explains an early end.
	case early != nil:
		add(Caveat{Code: CaveatPartial, Phase: early.Name}, "Partial run: one phase (%s) ended "+
			"early, and the results cover only what was recorded.", a.Title(early.Name))
	case slices.ContainsFunc(a.Warnings, partial):
		add(Caveat{Code: CaveatPartial},
			"Partial run: it stopped before its end, and the results cover only what was recorded.")
	}
	if a.Origin != nil && a.SharedDisk {
		add(Caveat{Code: CaveatShared}, "Disks of this run share one physical disk, or were not "+
			"checked for that: it may slow them, not the hub, so nothing is said of who crowds out "+
			"whom.")
	}
	if a.Origin != nil && len(a.Skipped) > 0 {
		add(Caveat{Code: CaveatSkipped, Cause: strings.Join(a.Skipped, ", ")},
			"Not checked (--allow): %s. What these checks look for may explain the rates.",
			unit.List(a.Skipped))
	}
	if small != nil && a.modelled {
		add(Caveat{Code: CaveatModel, Phase: small.Name}, "The model covers only large requests: "+
			"only a run on real disks shows how fast small ones are (%s).", a.Title(small.Name))
	}
	if text, phase := a.cachedWrites(); text != "" {
		add(Caveat{Code: CaveatWrites, Phase: phase}, "%s", text)
	}
	for _, f := range a.Findings {
		switch v := f.Values.(type) {
		case CachedValues:
			add(Caveat{Code: CaveatCached, Phase: f.Phase, Disk: f.Disk, Percent: 100 * v.Share},
				"%.0f%% of what %s read (%s) came from a cache: its rate is not the disk's.",
				100*v.Share, unit.List(f.Disks), a.Title(f.Phase))
		case PercentValues:
			if len(f.Disks) > 0 {
				add(Caveat{Code: CaveatHostBound, Phase: f.Phase, Disk: f.Disk, Percent: v.Percent},
					"Your CPU may be the bottleneck, not %s: what moves its files used %.0f%% "+
						"of a core (%s).", unit.List(f.Disks), v.Percent, a.Title(f.Phase))
				continue
			}
			add(Caveat{Code: CaveatHostBound, Phase: f.Phase, Percent: v.Percent},
				"Your CPU may be the bottleneck, not the disks: its cores were %.0f%% busy (%s). "+
					"Close other programs and measure again.", v.Percent, a.Title(f.Phase))
		}
	}
	if sure := &a.Answer.Sure; sure.Widest >= minImprecise {
		percent := 100 * sure.Widest
		add(Caveat{Code: CaveatImprecise, Phase: sure.Phase, Disk: sure.Disk, Percent: percent},
			"Too uncertain to say who is slowed: %s's margin of error is ±%.0f%% (95%% "+
				"confidence, %s). Measure for longer.", sure.Disk, percent, a.Title(sure.Phase))
	}
	return out
}

// cachedWrites says which disks wrote blocks so small that they went through this computer's cache,
// and names the first phase in which one did; nothing if none did.
func (a *Analysis) cachedWrites() (text, phase string) {
	var disks []string
	phases := 0
	block := int64(0)
	for _, p := range a.Phases {
		cached := false
		for _, name := range a.Order {
			d := p.Disks[name]
			if d.CachedWrites == 0 {
				continue
			}
			cached = true
			block = max(block, d.CachedWrites)
			if !slices.Contains(disks, name) {
				disks = append(disks, name)
			}
		}
		if cached {
			phase = cmp.Or(phase, p.Name)
			phases++
		}
	}
	if phases == 0 {
		return "", ""
	}
	text = fmt.Sprintf("Writes of %s to %s (%s) went through this computer's cache: those rates "+
		"are the cache's, not the %s.", unit.FormatBlock(block), unit.List(disks),
		unit.Plural(phases, "phase"), pick(len(disks) > 1, "disks'", "disk's"))
	return text, phase
}
