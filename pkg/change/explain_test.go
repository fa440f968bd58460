package change_test

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/hubbench/hubbench/pkg/change"
	"github.com/hubbench/hubbench/pkg/ledger"
)

// TestExplainChangesNothing explains the disks of each kind of phase, and wants their histories to be
// what they are when nobody explains them: other stages have read them, or will.
func TestExplainChangesNothing(t *testing.T) {
	for _, r := range rows() {
		play := func() []*ledger.History {
			rnd := rand.New(rand.NewPCG(1, 2))
			return histories(rnd, 0.05, r.draw(draw{rnd}).disks)
		}
		disks := play()
		change.Explain(disks)
		if !reflect.DeepEqual(disks, play()) {
			t.Errorf("%s: explaining has changed the histories", r.name)
		}
	}
}
