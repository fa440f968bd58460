package hub_test

import (
	"fmt"

	"github.com/hubbench/hubbench/configs"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// A scenario on a simulated hub, in virtual time: what each disk moved, and when it was done.
func ExampleSimulate() {
	data, _ := configs.Hub("goshen-ridge")
	profile, err := hub.Load("goshen-ridge.yaml", data)
	if err != nil {
		panic(err)
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
		panic(err)
	}
	plan, err := scene.Plan()
	if err != nil {
		panic(err)
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
		panic(err)
	}
	for _, disk := range []string{"A", "C"} {
		fmt.Printf("%s: %d GB in %.1f s\n", disk, moved[disk]/1e9, done[disk])
	}
	// Output:
	// A: 10 GB in 10.6 s
	// C: 10 GB in 4.1 s
}
