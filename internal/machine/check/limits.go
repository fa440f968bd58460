package check

import (
	"context"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/unit"
)

// tryLimits asks Linux for the limits that it sets to this process, and moves files to find others.
func (f *facts) tryLimits(ctx context.Context) error {
	groups, _ := os.ReadFile("/proc/self/cgroup") // Other systems have no control groups.
	f.limits = nil
	for _, disk := range append([]*hardware.Drive{f.own}, f.under...) {
		if disk == nil {
			continue
		}
		number, err := os.ReadFile(filepath.Join("/sys/class/block", disk.Name, "dev"))
		if err != nil {
			continue
		}
		for _, limit := range groupLimits("/sys/fs/cgroup", string(groups),
			strings.TrimSpace(string(number)), disk.Name) {
			if !slices.Contains(f.limits, limit) {
				f.limits = append(f.limits, limit)
			}
		}
	}
	return f.moveFiles(ctx)
}

// groupLimits reads what the groups of a process, as in /proc/self/cgroup, and those above them
// allow of the device with that number: version 1 has a file for each limit
// (https://docs.kernel.org/admin-guide/cgroup-v1/blkio-controller.html), version 2 has io.max.
func groupLimits(root, groups, number, disk string) (limits []string) {
	for line := range strings.Lines(groups) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 {
			continue
		}
		files := map[string]string{} // files is what stands before the values in each.
		switch {
		case parts[1] == "":
			files["%s/io.max"], files["unified/%s/io.max"] = "", ""
		case slices.Contains(strings.Split(parts[1], ","), "blkio"):
			for _, way := range []string{"read", "write"} {
				files["blkio/%s/blkio.throttle."+way+"_bps_device"] = way[:1] + "bps="
				files["blkio/%s/blkio.throttle."+way+"_iops_device"] = way[:1] + "iops="
			}
		}
		for group := parts[2]; ; group = path.Dir(group) {
			for file, before := range files {
				text, _ := os.ReadFile(filepath.Join(root, fmt.Sprintf(file, group)))
				for _, limit := range limitsIn(string(text), number, before) {
					limits = append(limits,
						fmt.Sprintf("control group %s limits %s on %s", group, limit, disk))
				}
			}
			if group == "/" || group == "." {
				break
			}
		}
	}
	slices.Sort(limits)
	return limits
}

// limitsIn finds the limits of a device in a file with a line for each: 8:0 rbps=1000 wiops=max.
func limitsIn(text, number, before string) (limits []string) {
	words := map[string]string{"rbps": "reading", "wbps": "writing",
		"riops": "read requests", "wiops": "write requests"}
	for line := range strings.Lines(text) {
		device, values, _ := strings.Cut(strings.TrimSpace(line), " ")
		if device != number {
			continue
		}
		for pair := range strings.FieldsSeq(before + values) {
			key, value, _ := strings.Cut(pair, "=")
			limit, err := strconv.ParseInt(value, 10, 64)
			if err != nil || words[key] == "" {
				continue // "max" is no limit.
			}
			amount := unit.FormatRate(float64(limit))
			if strings.HasSuffix(key, "iops") {
				amount = value + "/s"
			}
			limits = append(limits, words[key]+" to "+amount)
		}
	}
	return limits
}
