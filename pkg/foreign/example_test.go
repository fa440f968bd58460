package foreign_test

import (
	"fmt"
	"strings"

	"github.com/hubbench/hubbench/pkg/foreign"
	"github.com/hubbench/hubbench/pkg/trace"
)

// A table that another tool wrote becomes a run.
func ExampleImport() {
	table := "second,rate\n1,900e6\n2,880e6\n3,910e6\n"
	in, err := foreign.Import([]foreign.InputFile{{Name: "rates.csv", Data: []byte(table)}},
		foreign.Options{
			Disks: map[string]string{"rates.csv": "A"},
			Map:   map[string]string{"time_s": "second", "rate": "rate"},
		})
	if err != nil {
		panic(err)
	}
	run, err := trace.Load(strings.NewReader(string(in.Events)), "rates.csv")
	if err != nil {
		panic(err)
	}
	for _, phase := range run.Phases {
		for _, disk := range phase.Disks {
			fmt.Println(disk.Name, disk.Op, disk.Files[0].Bytes/1e6, "MB")
		}
	}
	// Output:
	// A write 1790 MB
}
