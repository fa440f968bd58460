package analysis

import (
	"testing"

	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/trace"
)

func TestAdvice(t *testing.T) {
	gain := func(disk string, by, off float64, gaining ...string) Removal {
		c := RemovalCase{Disks: map[string]RemovalFor{}}
		for _, name := range gaining {
			c.Disks[name] = RemovalFor{}
		}
		return Removal{Disk: disk, Gain: by, Error: off, Cases: []RemovalCase{c}}
	}
	keeps := func(kept float64) Contest {
		each := ContestDisk{Op: trace.Write, Rate: 1, Kept: kept}
		return Contest{
			Phases: []string{"WWW"}, Disks: map[string]ContestDisk{"A": each, "B": each, "C": each},
		}
	}
	without := func(disk string) MissingPhase {
		roles := map[string]trace.Role{"A": trace.Write, "B": trace.Write, "C": trace.Write}
		delete(roles, disk)
		return MissingPhase{disk, roles}
	}
	most := []Removal{gain("A", 0.04, 0), gain("B", 0.04, 0)}
	half := []Contest{keeps(0.5)}
	none := Advice{Kind: AdviceNone, Disks: []string{}}
	unclear := none
	unclear.Gain = 0.5
	within := unclear
	within.Error = 0.2
	unmeasured := func(missing ...MissingPhase) []Advice {
		return []Advice{{Kind: AdviceUnmeasured, Disks: []string{}, Missing: missing}}
	}
	for _, tt := range []struct {
		name string
		s    Summary
		want []Advice
	}{
		{"nothing together", Summary{}, []Advice{}},
		{"all keep their rates", Summary{Contests: []Contest{keeps(0.95)}},
			[]Advice{{Kind: AdviceShare, Disks: []string{}}}},
		{"no phase without a disk", Summary{Contests: half},
			unmeasured(without("A"), without("B"), without("C"))},
		{"one that could tell", Summary{half, most}, unmeasured(without("C"))},
		{"too little to gain", Summary{half, append([]Removal{gain("C", 0.09, 0, "A")}, most...)},
			[]Advice{none}},
		{"no disk shown to gain", Summary{half, append([]Removal{gain("C", 0.5, 0)}, most...)},
			[]Advice{unclear}},
		{"one", Summary{half, []Removal{
			gain("C", 0.5, 0.1, "A"), gain("B", 0.3, 0.1, "A"), gain("A", 0, 0),
		}}, []Advice{{Kind: AdviceOwnPort, Disks: []string{"C"}, Gain: 0.5, Error: 0.1}}},
		{"any of three", Summary{half, []Removal{
			gain("C", 0.5, 0, "A"), gain("B", 0.48, 0, "A"), gain("A", 0.46, 0, "B"),
		}}, []Advice{{Kind: AdviceAnyOwnPort, Disks: []string{"C", "A", "B"}, Gain: 0.5}}},
		{"within the errors", Summary{half, []Removal{
			gain("C", 0.5, 0.2, "A"), gain("B", 0.3, 0.1, "A"), gain("A", 0, 0),
		}}, []Advice{within}},
	} {
		a := &Analysis{Order: []string{"A", "B", "C"}, Summary: tt.s}
		a.Answer = a.Decide()
		check.Same(t, tt.name, tt.want, a.Answer.Advice,
			cmpopts.IgnoreFields(Advice{}, "Title", "Detail", "Text"))
	}
}
