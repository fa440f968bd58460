package scenario_test

import (
	"fmt"

	"github.com/hubbench/hubbench/pkg/scenario"
)

// What a scenario asks of each disk.
func ExampleLoad() {
	scene, err := scenario.Load("two.yaml", []byte(`
version: 1
name: two
disks:
  - {name: A, path: /Volumes/A}
  - {name: B, path: /Volumes/B}
workload: {sizes: [1 GB], files: 10}
phases: [{pattern: WR}, {pattern: W-}]
`))
	if err != nil {
		panic(err)
	}
	plan, err := scene.Plan()
	if err != nil {
		panic(err)
	}
	for _, phase := range plan.Phases {
		for _, job := range phase.Jobs {
			fmt.Println(phase.Name, job.Disk, job.Role, len(job.Sizes), "files")
		}
	}
	// Output:
	// WR A write 10 files
	// WR B read 10 files
	// W- A write 10 files
}
