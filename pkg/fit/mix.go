package fit

import (
	"slices"

	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/trace"
)

// mix is disks at work together, in the order they were named.
type mix []use

type use struct {
	disk string
	op   trace.Role
}

// mixes lists every mix of the disks, the smaller first.
func mixes(disks []string) []mix {
	list := []mix{nil}
	for _, disk := range disks {
		for _, m := range slices.Clone(list) {
			for _, op := range []trace.Role{trace.Write, trace.Read} {
				list = append(list, append(slices.Clone(m), use{disk, op}))
			}
		}
	}
	slices.SortStableFunc(list, func(a, b mix) int { return len(a) - len(b) })
	return list[1:]
}

// rates are what the mix's disks get.
func (m mix) rates(p *hub.Profile) []float64 {
	claims := make([]hub.Claim, len(m))
	for i, use := range m {
		side := p.Disk(use.disk).Side(use.op)
		claims[i] = hub.Claim{Op: use.op, Cap: side.Hub, Weight: side.Weight}
	}
	return hub.Share(p.Capacity, claims)
}

func (m mix) pattern(disks []string) string {
	letters := make([]byte, len(disks))
	for i := range letters {
		letters[i] = trace.Idle.Letter()
	}
	for _, use := range m {
		letters[slices.Index(disks, use.disk)] = use.op.Letter()
	}
	return string(letters)
}

// observation is the mix as one would observe it on the hub, without rates.
func (m mix) observation() *hub.Observation {
	o := &hub.Observation{}
	for _, use := range m {
		o.Disks = append(o.Disks, hub.Observed{Disk: use.disk, Op: use.op, Rate: 1, Error: 1})
	}
	return o
}

// mixOf is the mix of an observation.
func mixOf(o *hub.Observation) mix {
	m := make(mix, len(o.Disks))
	for i, d := range o.Disks {
		m[i] = use{d.Disk, d.Op}
	}
	return m
}
