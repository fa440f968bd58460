package analysis

import (
	"github.com/hubbench/hubbench/pkg/ledger"
	"github.com/hubbench/hubbench/pkg/overlap"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/work"
)

func newPart(d *trace.DiskRecord, gapNS int64) *diskPart {
	return &diskPart{History: ledger.New(d, work.Work{}, gapNS)}
}

// together is a phase of disks that are named A, B and so on.
func together(disks ...*trace.DiskRecord) *phase {
	p := &phase{
		trace: &trace.Phase{}, out: &PhaseResult{Disks: map[string]DiskResult{}},
		run: &run{alpha: alphas{comparisons: 1, perDisk: 0.01, perPhase: 0.01, perRecovery: 0.01}},
	}
	var active [][]overlap.Span
	for i, d := range disks {
		d.Name = string(rune('A' + i))
		p.parts = append(p.parts, newPart(d, 5e8))
		p.parts[i].Settle(1)
		active = append(active, p.parts[i].Active)
	}
	p.stages = overlap.Stages(active)
	p.window = overlap.Window(p.stages, len(p.parts))
	return p
}
