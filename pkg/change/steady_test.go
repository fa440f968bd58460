package change_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/hubbench/hubbench/internal/test/tracetest"
	"github.com/hubbench/hubbench/pkg/change"
	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

// TestSteady plays three disks with each kind of noise: nothing may be told of them.
func TestSteady(t *testing.T) {
	var all score
	for k, class := range tracetest.Classes() {
		if *tune && !class.Tuned {
			continue
		}
		t.Run(class.Name, func(t *testing.T) {
			var sum score
			for i := range *traces {
				rnd := rand.New(rand.NewPCG(seed()+uint64(i), 10_000+uint64(k)))
				var disks []*ledger.History
				for _, name := range []string{"A", "B", "C"} {
					d := tracetest.Disk{Name: name, Levels: []tracetest.Level{{UntilS: 60, Rate: 1e9}},
						Noise: class.Noise, Sizes: class.Sizes}
					h := ledger.New(d.Play(rnd), work.Work{Op: trace.Write}, 500_000_000)
					h.Settle(3)
					h.Trim(h.LongestBurstS)
					disks = append(disks, &h)
				}
				events, _ := change.Explain(disks)
				sum.played++
				events = slices.DeleteFunc(events, func(e change.Event) bool {
					return isTrueOf(class, &e)
				})
				if text := told(events); text != "" {
					sum.wrong++
					t.Logf("    %d: %s", i, text)
				} else {
					sum.right++
				}
			}
			t.Log(&sum)
			all.played += sum.played
			all.right += sum.right
			all.wrong += sum.wrong
		})
	}
	t.Logf("all: %s", &all)
	if 20*all.wrong > max(all.played, 20) {
		t.Error("want at most 5% with anything told")
	}
}

// isTrueOf reports whether an event is what the class is: each disk by itself has bursts or dips, or
// drifts.
func isTrueOf(class tracetest.Class, e *change.Event) bool {
	switch e.Kind {
	case change.Swing, change.OwnFall, change.OwnRise:
		return class.Noise.EveryS > 0 && len(e.Disks) == 1
	case change.Drift:
		return class.Noise.Drift > 0
	}
	return false
}
