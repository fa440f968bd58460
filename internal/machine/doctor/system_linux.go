package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/machine/device"
	"github.com/hubbench/hubbench/pkg/unit"
)

// factsOf asks sysfs for the disk behind a folder, and the control groups of this process for its limits.
func factsOf(path string) (f facts) {
	disk, err := wholeDisk(path)
	if err != nil {
		return f
	}
	f.virtual = strings.Contains(disk, "/virtual/") || strings.Contains(disk, "/virtio")
	if cache, err := os.ReadFile(filepath.Join(disk, "queue", "write_cache")); err == nil {
		f.volatile, f.known = strings.TrimSpace(string(cache)) == "write back", true
	}
	number, err := os.ReadFile(filepath.Join(disk, "dev"))
	groups, groupsErr := os.ReadFile("/proc/self/cgroup")
	if err == nil && groupsErr == nil {
		f.limits = groupLimits("/sys/fs/cgroup", string(groups), strings.TrimSpace(string(number)))
	}
	return f
}

// wholeDisk is the place in sysfs of the disk behind a folder: limits are of whole disks.
func wholeDisk(path string) (string, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return "", err
	}
	dev := uint64(st.Dev)
	if unix.Major(dev) == 0 { // btrfs numbers its file systems itself; their mounts name a disk
		place, err := device.Inspect(path)
		if err != nil {
			return "", err
		}
		source, _, _ := strings.Cut(place.Source, ":") // the first of several, of bcachefs
		if err := unix.Stat(source, &st); err != nil {
			return "", err
		}
		dev = uint64(st.Rdev) // 0 of what is no device
	}
	disk, err := filepath.EvalSymlinks(fmt.Sprintf("/sys/dev/block/%d:%d", unix.Major(dev), unix.Minor(dev)))
	if _, not := os.Stat(filepath.Join(disk, "partition")); not == nil {
		disk = filepath.Dir(disk)
	}
	return disk, err
}

// groupLimits reads the groups of a process, as in /proc/self/cgroup, and those above them: version 1 has a file for
// each limit (https://docs.kernel.org/admin-guide/cgroup-v1/blkio-controller.html), version 2 has io.max.
func groupLimits(root, groups, number string) (limits []string) {
	for line := range strings.Lines(groups) {
		parts := strings.SplitN(strings.TrimSpace(line), ":", 3)
		if len(parts) < 3 {
			continue
		}
		for group := parts[2]; ; group = filepath.Dir(group) {
			if parts[1] == "" {
				limits = append(limits, limitsIn(filepath.Join(root, group, "io.max"), number, "", group)...)
				limits = append(limits, limitsIn(filepath.Join(root, "unified", group, "io.max"), number, "", group)...)
			}
			if strings.Contains(","+parts[1]+",", ",blkio,") {
				for _, way := range [...]string{"read", "write"} {
					file := filepath.Join(root, "blkio", group, "blkio.throttle."+way)
					limits = append(limits, limitsIn(file+"_bps_device", number, way[:1]+"bps=", group)...)
					limits = append(limits, limitsIn(file+"_iops_device", number, way[:1]+"iops=", group)...)
				}
			}
			if group == "/" || group == "." {
				break
			}
		}
	}
	return limits
}

// limitsIn finds the limits of a disk in a file with a line for each disk, and says them: wbps=1000, with the name
// before the line's value if the file is of one limit.
func limitsIn(file, number, name, group string) (out []string) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	words := map[string]string{"rbps": "reading", "wbps": "writing", "riops": "read requests", "wiops": "write requests"}
	for line := range strings.Lines(string(text)) {
		of, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if of != number {
			continue
		}
		for pair := range strings.FieldsSeq(name + value) {
			what, much, _ := strings.Cut(pair, "=")
			n, err := strconv.ParseInt(much, 10, 64)
			if err != nil || words[what] == "" {
				continue // max: no limit
			}
			amount := unit.FormatRate(float64(n))
			if strings.HasSuffix(what, "iops") {
				amount = much + "/s"
			}
			out = append(out, fmt.Sprintf("control group %s limits %s on this disk to %s", group, words[what], amount))
		}
	}
	return out
}

// The numbers of ioprio_get(2), and the class that waits until nobody else uses the disk.
const (
	ioprioProcess = 1
	ioprioShift   = 13
	ioprioIdle    = 3
)

func measurePriority() (priority, error) {
	raw, err := unix.Getpriority(unix.PRIO_PROCESS, 0)
	if err != nil {
		return priority{}, fmt.Errorf("ask for the priority: %w", err)
	}
	p := priority{nice: 20 - raw} // the system call counts from 40 down
	p.how = fmt.Sprintf("nice %d", p.nice)
	class, _, errno := unix.Syscall(unix.SYS_IOPRIO_GET, ioprioProcess, 0, 0)
	if errno == 0 && class>>ioprioShift == ioprioIdle {
		p.background, p.how = true, p.how+", requests to disks in the idle class"
	}
	return p, nil
}
