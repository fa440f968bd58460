package device

import (
	"slices"
	"time"

	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/unit"
)

// nearlyFull is how much of a volume may be used before it is said. A fuller SSD has fewer free blocks for its
// cache and for collecting garbage, and its file system has fewer long stretches to give.
const nearlyFull = 0.9

// judgeVolume asks whether something between the files and the disk changes what is measured.
func judgeVolume(e *evidence, disk scenario.Disk, place Place, found *findings) {
	if where := notDisk(place.Filesystem); where != "" {
		found.warn("not_disk", disk.Name, "%s is no folder on a disk: what lies there (%s) lies %s; give a folder on the disk under test", disk.Path, place.Filesystem, where)
	}
	for _, under := range e.beneath(place) {
		if under.Memory {
			found.warn("not_disk", disk.Name, "%s is no folder on a disk: what lies there lies in memory (%s); give a folder on the disk under test", disk.Path, described(under))
		}
	}
	if why, try := noDirect(place.Filesystem); why != "" && asksDirect(e.plan, disk.Name) {
		found.warn("no_direct", disk.Name, "the file system of %s (%s) has no direct I/O: %s; the cache is measured with the disk. %s, or set `io: app` to measure as programs see it", disk.Path, place.Filesystem, why, try)
	}
	if place.Size > 0 && float64(place.Used)/float64(place.Size) > nearlyFull {
		found.warn("nearly_full", disk.Name, "the volume of %s is %.0f %% full, %s of %s: a full SSD writes slower; free some space, and let it trim, to measure the disk at its usual", disk.Path,
			100*float64(place.Used)/float64(place.Size), unit.FormatBytes(place.Used), unit.FormatBytes(place.Size))
	}
	_, volume := e.at(place)
	if volume == nil {
		return
	}
	if volume.Compressed != nil && *volume.Compressed {
		found.warn("compressed", disk.Name, "the volume of %s compresses what is written: the processor works for each byte, and direct I/O may pass through the cache; use a folder or volume without compression", disk.Path)
	}
	if volume.Encrypted != nil && *volume.Encrypted {
		found.warn("encrypted", disk.Name, "the volume of %s is encrypted by the computer: its rates include that work, so compare them only with those of encrypted volumes", disk.Path)
	}
}

func asksDirect(plan *scenario.Plan, disk string) bool {
	return slices.ContainsFunc(plan.Phases, func(p scenario.Phase) bool {
		return slices.ContainsFunc(p.Jobs, func(j scenario.Job) bool { return j.Disk == disk && j.IO.Mode == scenario.ModeDirect })
	})
}

// An SSD folds what its fast cache took into slower cells when it is left alone, which takes minutes for the tens of
// gigabytes that such a cache holds. A run that comes too soon finds less of it than the first.
const (
	muchWritten = 10e9 // bytes
	lately      = 10 * time.Minute
)

// Lately is how old a run may be to matter to the next one.
const Lately = lately

// judgeHistory asks whether an earlier run has left its write cache to empty.
func judgeHistory(e *evidence, disk scenario.Disk, found *findings) {
	w, ok := e.wrote[disk.Name]
	if !ok || w.Bytes < muchWritten || w.Ago > lately {
		return
	}
	found.warn("wrote_lately", disk.Name, "a run that ended %s ago (%s) wrote %s to it, which its write cache may still hold; wait until %s have passed, or give the first phase `cooldown: {until: idle, most: 10 min}`",
		unit.FormatSeconds(w.Ago.Round(time.Second).Seconds()), w.Run, unit.FormatBytes(w.Bytes), unit.FormatSeconds(lately.Seconds()))
}
