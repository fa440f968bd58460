package scenario

import "github.com/hubbench/hubbench/pkg/work"

// Who says which disks do what in the phase: "C writes; A, B read", "A plays 4 streams; B writes at up to 200 MB/s".
func (p Phase) Who() string {
	disks := make([]string, len(p.Jobs))
	for i, j := range p.Jobs {
		disks[i] = j.Disk
	}
	return work.Who(disks, p.Works())
}
