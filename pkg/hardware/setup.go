package hardware

// Setup is what a run was measured on: the part of an inventory that its disks' paths touch, under the scenario's names.
// It stands in the run line of a trace.
type Setup struct {
	Host        *Host           `json:"host,omitempty"`
	Hub         *Hub            `json:"hub,omitempty"`   // the one that the disks share
	About       string          `json:"about,omitempty"` // what the scenario says of the hub: port, cable
	Disks       map[string]Unit `json:"disks,omitempty"` // by the scenario's names
	Competitors []Attached      `json:"competitors,omitempty"`
}

// Unit is a disk under test.
type Unit struct {
	Disk
	Volume *Volume `json:"volume,omitempty"` // that holds the folder under test
	About  string  `json:"about,omitempty"`  // what the scenario says of it: cable, enclosure
}
