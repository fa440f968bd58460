package say

import (
	"strings"
	"testing"

	"github.com/hubbench/hubbench/pkg/analysis"
)

func TestChangeLabel(t *testing.T) {
	c := "C"
	ab := []string{"A", "B"}
	each := func(a, aTo, b, bTo float64) []analysis.Shift {
		return []analysis.Shift{{Disk: "A", FromRate: a, ToRate: aTo}, {Disk: "B", FromRate: b, ToRate: bTo}}
	}
	for _, test := range []struct {
		change      analysis.Change
		want, cause string
	}{
		{analysis.Change{Kind: analysis.KindStart, Disks: []string{"C"}, ToRate: 2, Cause: "unknown"}, "C starts", ""},
		{analysis.Change{Kind: analysis.KindStart, Disks: ab, By: &c, Each: each(1.5, 0.7, 1.5, 0.7), Cause: "neighbour"}, "A and B fall", "C started"},
		{analysis.Change{Kind: analysis.KindEnd, Disks: []string{"C"}, FromRate: 2, Cause: "unknown"}, "C ends", ""},
		{analysis.Change{Kind: analysis.KindRecovery, Disks: ab, By: &c, FromRate: 0.7, ToRate: 1.4, Cause: "neighbour"}, "A and B recover", "C ended"},
		{analysis.Change{Kind: analysis.KindOwnFall, Disks: []string{"A"}, FromRate: 2, ToRate: 1, Cause: "cache_full"}, "A falls", "full write cache"},
		{analysis.Change{Kind: analysis.KindSharedFall, Disks: []string{"A", "B", "C"}, FromRate: 3, ToRate: 1.5, Cause: "link"}, "all fall to 50 %", "the link changed its speed"},
		{analysis.Change{Kind: analysis.KindSharedFall, Disks: ab, FromRate: 3, ToRate: 1.5, Cause: "unknown"}, "A and B fall to 50 %", "not known"},
		{analysis.Change{Kind: analysis.KindRedistribution, Disks: ab, Each: each(1.8, 0.8, 0.8, 1.8), Cause: "unknown"}, "A and B swap rates", "not known"},
		{analysis.Change{Kind: analysis.KindRedistribution, Disks: ab, Each: each(1.8, 1.2, 0.8, 1.4), Cause: "unknown"}, "A falls, B rises", "not known"},
		{analysis.Change{Kind: analysis.KindRedistribution, Disks: []string{"A"}, By: &c, FromRate: 0.8, ToRate: 1.4, Cause: "neighbour"}, "A rises", "C changed"},
		{analysis.Change{Kind: analysis.KindStall, Disks: []string{"A"}, FromRate: 1.5, Cause: "unknown"}, "A stands still", "not known"},
		{analysis.Change{Kind: analysis.KindStall, Disks: []string{"A", "B", "C"}, FromRate: 4.5, Cause: "host"}, "all stand still", "the computer"},
		{analysis.Change{Kind: analysis.KindWarmUp, Disks: []string{"A"}, FromRate: 1, ToRate: 2, Cause: "unknown"}, "A warms up", "not known"},
		{analysis.Change{Kind: analysis.KindSwing, Disks: ab, FromRate: 2, ToRate: 1, Cause: "unknown"}, "A and B swing", "not known"},
		{analysis.Change{Kind: analysis.KindDrift, Disks: []string{"A"}, FromRate: 2, ToRate: 1, Cause: "heat"}, "A drifts", "heat"},
		{analysis.Change{Kind: analysis.KindUnknown, Disks: []string{"A"}, FromRate: 1, ToRate: 2, Cause: "unknown"}, "A rises", "not known"},
	} {
		if got := ChangeLabel(&test.change, 3, strings.Clone); got != test.want {
			t.Errorf("%s is called %q, want %q", test.change.Kind, got, test.want)
		}
		if got := ChangeCause(&test.change, strings.Clone); got != test.cause {
			t.Errorf("%s has the cause %q, want %q", test.want, got, test.cause)
		}
	}
}
