package analysis_test

import (
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/internal/test/tracetest"
)

// TestJudge holds the judge against claims of which each is right or wrong in one way.
func TestJudge(t *testing.T) {
	step := truthChange{Kinds: []string{"own_fall"}, Disks: []string{"A"}, AtS: 20,
		To: map[string]float64{"A": 1e9}}
	rise := truthChange{Kinds: []string{"own_rise"}, Disks: []string{"A"}, AtS: 30,
		To: map[string]float64{"A": 2e9}}
	swing := truthChange{Kinds: []string{"swing"}, Disks: []string{"A", "B"}, EndS: 60, PeriodS: 8,
		One: true}
	drift := truthChange{Kinds: []string{"drift"}, Disks: []string{"A"}, EndS: 60,
		Curve: func(s float64) float64 { return 2e9 - s*20e6 }}
	stall := truthChange{Kinds: []string{"stall"}, Disks: []string{"A"}, AtS: 20, EndS: 22}
	a, ab := []string{"A"}, []string{"A", "B"}
	for _, c := range []struct {
		name   string
		truths []truthChange
		got    []change
		claims []claim
		want   string // missing, wrong or cause, as far as they are
	}{
		{"right", []truthChange{step}, []change{{StartS: 20, EndS: 20, Disks: a, Kind: "own_fall",
			ToRate: 1e9}}, nil, ""},
		{"not told", []truthChange{step}, nil, nil, "missing"},
		{"another kind", []truthChange{step},
			[]change{{StartS: 20, EndS: 20, Disks: a, Kind: "start",
				By: "B", ToRate: 1e9}}, nil, "cause"},
		{"a rate nobody had", []truthChange{step}, []change{{StartS: 20, EndS: 20, Disks: a,
			Kind: "own_fall", ToRate: 1.5e9}}, nil, "missing wrong"},
		{"there is none", nil, []change{{StartS: 20, EndS: 20, Disks: a, Kind: "own_fall"}}, nil,
			"wrong"},
		{"until it was undone", []truthChange{step, rise},
			[]change{{StartS: 20, EndS: 30, Disks: a, Kind: "own_fall", FromRate: 2e9,
				ToRate: 1e9}}, nil,
			""},
		{"a swing of both", []truthChange{swing}, []change{{EndS: 60, Disks: ab, Kind: "swing",
			PeriodS: 8}}, nil, ""},
		{"a swing of each", []truthChange{swing}, []change{{EndS: 60, Disks: a, Kind: "swing",
			PeriodS: 8}, {EndS: 60, Disks: []string{"B"}, Kind: "swing", PeriodS: 8}}, nil,
			"missing"},
		{"a swing of another period", []truthChange{swing},
			[]change{{EndS: 60, Disks: ab, Kind: "swing", PeriodS: 4}}, nil, "missing wrong"},
		{"a drift", []truthChange{drift},
			[]change{{EndS: 60, Disks: a, Kind: "drift", FromRate: 2e9,
				ToRate: 0.8e9}}, nil, ""},
		{"a drift beyond what was seen", []truthChange{drift},
			[]change{{EndS: 60, Disks: a, Kind: "drift", FromRate: 2.4e9, ToRate: 0.8e9}}, nil,
			"missing wrong"},
		{"a stall of half the length", []truthChange{stall},
			[]change{{StartS: 20, EndS: 21, Disks: a, Kind: "stall"}}, nil, "missing"},
		{"slowed", nil, nil, []claim{{Code: codeLoses, Disk: "B"}, {Code: codeCrowds, Disk: "A"},
			{Code: codeMove, Disk: "A"}}, ""},
		{"not slowed", nil, nil, []claim{{Code: codeLoses, Disk: "A"}}, "wrong"},
		{"crowds out nobody", nil, nil, []claim{{Code: codeCrowds, Disk: "B"}}, "wrong"},
		{"the wrong move", nil, nil, []claim{{Code: codeMove, Disk: "B"}}, "wrong"},
		{"not even", nil, nil, []claim{{Code: codeEven}}, "wrong"},
		{"kept too much", nil, nil, []claim{{Code: codeRetention, Disk: "A", Value: 1.08}},
			"wrong"},
		{"kept as much", nil, nil, []claim{{Code: codeRetention, Disk: "B", Value: 0.52,
			Other: "solo"}},
			""},
		{"kept less", nil, nil, []claim{{Code: codeRetention, Disk: "B", Value: 0.35,
			Other: "solo"}},
			"wrong"},
		{"a full cache", []truthChange{step},
			[]change{{StartS: 20, EndS: 20, Disks: a, Kind: "own_fall",
				ToRate: 1e9}}, []claim{{Code: codeThrottle, Disk: "A"}}, ""},
		{"a full cache that no fall shows", nil, nil, []claim{{Code: codeThrottle, Disk: "A"}},
			"wrong"},
	} {
		s := newScene(random(1, 5), 0.02)
		h := tracetest.Hub{Capacity: 3e9, Weights: map[string]float64{"A": 50}}
		s.phase("WW", h, works("A", 60, 2), works("B", 60, 2)) // A has 2 and B 1.
		for _, truth := range c.truths {
			truth.Phase = "WW"
			s.changes(truth)
		}
		s.done()
		r := &reading{}
		for _, got := range c.got {
			got.Phase = "WW"
			r.changes = append(r.changes, got)
		}
		for _, claim := range c.claims {
			claim.Phase = "WW"
			r.claims = append(r.claims, claim)
		}
		v := s.judge(r, 0.02)
		var got []string
		for what, list := range map[string][]string{"missing": v.missing, "wrong": v.wrong,
			"cause": v.uncause} {
			if len(list) > 0 {
				got = append(got, what)
			}
		}
		check.Same(t, c.name, len(strings.Fields(c.want)), len(got))
		for what := range strings.FieldsSeq(c.want) {
			check.Same(t, c.name+": "+what, true, strings.Contains(strings.Join(got, " "), what))
		}
	}
}
