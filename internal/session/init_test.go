package session

import (
	"bytes"
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
	"github.com/hubbench/hubbench/pkg/draft"
	"github.com/hubbench/hubbench/pkg/hardware"
)

// The disks are shown by their letters, and asked for until the answer names some of them.
func TestChoose(t *testing.T) {
	var disks []draft.Target
	for _, name := range []string{"A", "B"} {
		disks = append(disks, draft.Target{Name: name, Folder: "/" + name,
			Found: &hardware.Drive{Model: "T7"}, Volume: &hardware.Volume{Filesystem: "exfat"}})
	}
	for answer, want := range map[string]struct {
		chosen int
		says   string
	}{
		"b\n":      {1, ""},
		"":         {2, ""},
		"d\na,b\n": {2, "disk \"D\" is not in the list; try A\n" + which},
		"d":        {0, ""}, // Nobody is there to answer again.
	} {
		var asked bytes.Buffer
		o := Init{}
		o.Stdin = strings.NewReader(answer)
		o.Stderr = &asked
		chosen, err := o.choose(t.Context(), disks)
		if len(chosen) != want.chosen || (err != nil) != (want.chosen == 0) {
			t.Errorf("%q chooses %v, %v", answer, chosen, err)
		}
		list := "\nDisks to test:\n  A  /A, T7, exfat\n  B  /B, T7, exfat\n"
		check.Same(t, answer, list+which+want.says, asked.String())
	}
}

const which = "Which of them, such as A? Enter for all: "
