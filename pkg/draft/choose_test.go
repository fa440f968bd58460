package draft

import (
	"strings"
	"testing"

	"github.com/hubbench/hubbench/internal/test/check"
)

func TestChoose(t *testing.T) {
	disks := []Target{{Name: "A"}, {Name: "B"}, {Name: "C"}}
	for answer, want := range map[string]string{
		"b\n": "B", "\n": "A B C", "": "A B C", "c, a\n": "A C", "a a": "A",
	} {
		chosen, err := Choose(disks, answer)
		check.Must(t, err)
		var names []string
		for _, d := range chosen {
			names = append(names, d.Name)
		}
		check.Same(t, answer, want, strings.Join(names, " "))
	}
	_, err := Choose(disks, "a d\n")
	check.Refused(t, "a disk that is not there", err, `disk "D" is not in the list; try A`)
}

func TestAdapt(t *testing.T) {
	got := Adapt([]byte("# $schema=../scenario.schema.json\n# hubbench run configs/x.yaml\n"), "x",
		"'my file.yaml'")
	if text := string(got); !strings.HasSuffix(text, "\n# hubbench run 'my file.yaml'\n") ||
		!strings.HasPrefix(text, "# $schema=https://") {
		t.Errorf("got %q", text)
	}
}
