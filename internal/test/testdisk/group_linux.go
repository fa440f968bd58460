package testdisk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

// Where control groups that limit I/O are: of the first version (https://docs.kernel.org/admin-guide/cgroup-v1/blkio-controller.html)
// or the second (https://docs.kernel.org/admin-guide/cgroup-v2.html#io-interface-files).
const (
	first  = "/sys/fs/cgroup/blkio"
	second = "/sys/fs/cgroup"
)

// ErrNoLimits is of a system whose control groups limit no I/O.
var ErrNoLimits = errors.New("this system has no control groups that limit I/O: neither blkio (version 1) nor io (version 2)")

type group struct {
	dir     string
	version int
}

func newGroup(name string) (*group, error) {
	if _, err := os.Stat(filepath.Join(first, "blkio.throttle.read_bps_device")); err == nil {
		g := &group{dir: filepath.Join(first, name), version: 1}
		return g, os.Mkdir(g.dir, 0o755)
	}
	has, err := os.ReadFile(filepath.Join(second, "cgroup.controllers"))
	if err != nil || !slices.Contains(strings.Fields(string(has)), "io") {
		return nil, ErrNoLimits
	}
	if err := os.WriteFile(filepath.Join(second, "cgroup.subtree_control"), []byte("+io"), 0o644); err != nil {
		return nil, err
	}
	g := &group{dir: filepath.Join(second, name), version: 2}
	return g, os.Mkdir(g.dir, 0o755)
}

func (g *group) limit(number string, readRate, writeRate float64) error {
	rules := map[string]string{
		"blkio.throttle.read_bps_device":  fmt.Sprintf("%s %.0f", number, readRate),
		"blkio.throttle.write_bps_device": fmt.Sprintf("%s %.0f", number, writeRate),
	}
	if g.version == 2 {
		limitOf := func(rate float64) string {
			if rate == 0 {
				return "max"
			}
			return fmt.Sprintf("%.0f", rate)
		}
		rules = map[string]string{"io.max": fmt.Sprintf("%s rbps=%s wbps=%s", number, limitOf(readRate), limitOf(writeRate))}
	}
	for file, rule := range rules {
		if err := os.WriteFile(filepath.Join(g.dir, file), []byte(rule), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// removeGroup ends the processes of a disk's control group, and removes it when they have gone.
func removeGroup(name string) error {
	for _, root := range []string{first, second} {
		dir := filepath.Join(root, name)
		if _, err := os.Stat(dir); err != nil {
			continue
		}
		gone := func() bool {
			procs, _ := os.ReadFile(filepath.Join(dir, "cgroup.procs")) // no group, no processes
			for text := range strings.FieldsSeq(string(procs)) {
				if pid, err := strconv.Atoi(text); err == nil && pid > 0 {
					_ = syscall.Kill(pid, syscall.SIGKILL) // it may have ended by itself
				}
			}
			err := os.Remove(dir)
			return err == nil || errors.Is(err, os.ErrNotExist)
		}
		if !await(gone) {
			return fmt.Errorf("control group %s stays %w", dir, errInUse)
		}
	}
	return nil
}
