package device

import (
	"fmt"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/unit"
)

// Beside the test files themselves, a file system needs room for its own records, and one filled to the
// last byte is slower than the disk: this much must stay free.
const (
	marginPart  = 50 // a fiftieth of what is written, and
	marginBytes = 64 << 20
)

// judgeSpace finds the phase that needs most on each file system. Disks that share one share its space.
func judgeSpace(plan *scenario.Plan, places map[string]Place) []Problem {
	var problems []Problem
	var judged []string
	for _, disk := range plan.Disks {
		place, ok := places[disk.Name]
		if !ok || slices.Contains(judged, disk.Name) {
			continue
		}
		var sharers []string
		for _, other := range plan.Disks {
			if q, ok := places[other.Name]; ok && (other.Name == disk.Name || place.sameVolume(q)) {
				sharers = append(sharers, other.Name)
			}
		}
		judged = append(judged, sharers...)
		need, phase := maxSpace(plan, sharers)
		margin := need/marginPart + marginBytes
		if need == 0 || need+margin <= place.Free {
			continue
		}
		who := "disk " + disk.Name
		if len(sharers) > 1 {
			who = "disks " + strings.Join(sharers, ", ")
		}
		problems = append(problems, Problem{Code: "space", Disk: disk.Name, Fatal: true, Text: fmt.Sprintf(
			"%s: phase %s needs %s plus a margin of %s, but only %s is free; free some space, use fewer or smaller files, or set a footprint",
			who, phase, unit.FormatBytes(need), unit.FormatBytes(margin), unit.FormatBytes(place.Free))})
	}
	return problems
}

// maxSpace is the most that the disks' test files take up at one time, and the phase that does it.
func maxSpace(plan *scenario.Plan, disks []string) (largest int64, phase string) {
	total := make([]int64, len(plan.Phases))
	for _, disk := range disks {
		for i, stock := range plan.Stock(disk) {
			total[i] += stock.Space
		}
	}
	for i, p := range plan.Phases {
		if total[i] > largest {
			largest, phase = total[i], p.Name
		}
	}
	return largest, phase
}
