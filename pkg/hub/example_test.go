package hub_test

import (
	"fmt"
	"os"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// A scenario on a simulated hub, in virtual time: what each disk moved, and when it was done.
func ExampleSimulate() {
	data, err := os.ReadFile("../../configs/hubs/goshen-ridge.yaml")
	if err != nil {
		fmt.Println(err)
		return
	}
	profile, err := hub.Load("goshen-ridge.yaml", data)
	if err != nil {
		fmt.Println(err)
		return
	}
	scene, err := scenario.Load("two.yaml", []byte(`
version: 1
name: two
hub: {profile: goshen-ridge}
disks:
  - {name: A, connection: hub, simulate: {profile: A}}
  - {name: C, connection: hub, simulate: {profile: C}}
workload: {sizes: [1 GB], files: 10}
phases: [{pattern: WW}]
`))
	if err != nil {
		fmt.Println(err)
		return
	}
	plan, err := scene.Plan()
	if err != nil {
		fmt.Println(err)
		return
	}
	moved, done := map[string]int64{}, map[string]float64{}
	err = hub.Simulate(plan, profile, func(e *trace.Event) error {
		if e.Type == trace.FileType {
			moved[e.Disk] += e.Bytes
			done[e.Disk] = float64(e.EndNS) / 1e9
		}
		return nil
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Printf("A: %d GB in %.1f s\n", moved["A"]/1e9, done["A"])
	fmt.Printf("C: %d GB in %.1f s\n", moved["C"]/1e9, done["C"])
	// Output:
	// A: 10 GB in 10.6 s
	// C: 10 GB in 4.1 s
}
