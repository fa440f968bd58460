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
	number, ok := wholeDisk(path)
	if !ok {
		return f
	}
	at := filepath.Join("/sys/dev/block", number)
	if groups, err := os.ReadFile("/proc/self/cgroup"); err == nil {
		f.limits = groupLimits("/sys/fs/cgroup", string(groups), number)
	}
	if cache, err := os.ReadFile(filepath.Join(at, "queue", "write_cache")); err == nil {
		f.volatile, f.known = strings.TrimSpace(string(cache)) == "write back", true
	}
	if at, err := filepath.EvalSymlinks(at); err == nil {
		f.virtual = strings.Contains(at, "/virtual/") || strings.Contains(at, "/virtio")
	}
	return f
}

// wholeDisk is the number of the disk behind a folder, as in 8:0: limits are of whole disks.
func wholeDisk(path string) (string, bool) {
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil {
		return "", false
	}
	dev := uint64(st.Dev)
	if unix.Major(dev) == 0 { // btrfs numbers its file systems itself; their mounts name a disk
		place, err := device.Inspect(path)
		source, _, _ := strings.Cut(place.Source, ":") // the first of several, of bcachefs
		if err != nil || unix.Stat(source, &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFBLK {
			return "", false
		}
		dev = uint64(st.Rdev)
	}
	number := fmt.Sprintf("%d:%d", unix.Major(dev), unix.Minor(dev))
	link := "/sys/dev/block/" + number
	if _, err := os.Stat(filepath.Join(link, "partition")); err == nil {
		target, err := filepath.EvalSymlinks(link)
		if err != nil {
			return "", false
		}
		text, err := os.ReadFile(filepath.Join(filepath.Dir(target), "dev"))
		return strings.TrimSpace(string(text)), err == nil
	}
	return number, true
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
			switch {
			case strings.Contains(","+parts[1]+",", ",blkio,"):
				folder := filepath.Join(root, "blkio", group)
				for _, l := range [...]struct{ file, what string }{
					{"read_bps", "rbps="}, {"write_bps", "wbps="}, {"read_iops", "riops="}, {"write_iops", "wiops="},
				} {
					file := filepath.Join(folder, "blkio.throttle."+l.file+"_device")
					limits = append(limits, limitsIn(file, number, l.what, group)...)
				}
			case parts[1] == "":
				for _, at := range [...]string{root, filepath.Join(root, "unified")} {
					limits = append(limits, limitsIn(filepath.Join(at, group, "io.max"), number, "", group)...)
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
