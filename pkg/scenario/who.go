package scenario

import (
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/work"
)

// Who says which disks do what in the phase: "A and B read, C writes", "A plays 4 streams, B writes at up to 200 MB/s".
func (p *Phase) Who() string { return work.Who(p.disks(), p.Works()) }

// Title is what to call the phase in what people read: its name or, if that is only a pattern, who does what.
func (p *Phase) Title() string { return work.Title(p.Name, p.disks(), p.Works()) }

// Label is the title and, unless that says it, who does what: "race: all write".
func (p *Phase) Label() string {
	title, who := p.Title(), p.Who()
	if strings.HasPrefix(title, who) {
		return title
	}
	return title + ": " + who
}

// disks are those at work, in the scenario's order, and then the idle ones.
func (p *Phase) disks() []string {
	var disks, idle []string
	for _, j := range p.Jobs {
		disks = append(disks, j.Disk)
	}
	for disk := range p.Roles {
		if !slices.Contains(disks, disk) {
			idle = append(idle, disk)
		}
	}
	slices.Sort(idle)
	return append(disks, idle...)
}
