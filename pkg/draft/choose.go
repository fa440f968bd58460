package draft

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/strictyaml"
)

// Choose picks the disks whose names a person has typed, with spaces or commas between them; all
// if there are none.
func Choose(disks []Target, answer string) ([]Target, error) {
	names := strings.Fields(strings.ToUpper(strings.ReplaceAll(answer, ",", " ")))
	if len(names) == 0 {
		return disks, nil
	}
	known := map[string]bool{}
	var chosen []Target
	for _, d := range disks {
		known[d.Name] = true
		if slices.Contains(names, d.Name) {
			chosen = append(chosen, d)
		}
	}
	for _, name := range names {
		if !known[name] {
			return nil, fmt.Errorf("disk %s is not in the list; try %s",
				strictyaml.Quote(name), disks[0].Name)
		}
	}
	return chosen, nil
}

// Adapt adapts a scenario that comes with hubbench to the file that it is written to: where its
// schema is, and the file's name in its commands, quoted as a shell needs it.
func Adapt(source []byte, name, quotedFile string) []byte {
	schema := "$schema=" + scenario.SchemaURL
	adapt := strings.NewReplacer(
		"$schema=scenario.schema.json", schema,
		"$schema=../scenario.schema.json", schema,
		"configs/"+name+".yaml", quotedFile,
	)
	return []byte(adapt.Replace(string(source)))
}
