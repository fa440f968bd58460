package hardware_test

import (
	"encoding/json"
	"fmt"

	"github.com/hubbench/hubbench/pkg/hardware"
)

// Which hub the disk hangs on that holds a folder, from what hubbench devices --json printed.
func ExampleInventory() {
	var inv hardware.Inventory
	err := json.Unmarshal([]byte(`{
		"hubs": [{"id": "h1", "name": "TS4"}],
		"disks": [{"name": "A", "hub": "h1", "volumes": [{"mount": "/Volumes/A"}]}]
	}`), &inv)
	if err != nil {
		panic(err)
	}
	disk, volume := inv.Holding("/Volumes/A/clips")
	for _, hub := range inv.Above(disk) {
		fmt.Println(volume.Mount, "is on", disk.Name, "behind", hub.Name)
	}
	// Output:
	// /Volumes/A is on A behind TS4
}
