package diskio

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/hubbench/hubbench/internal/machine/libsystem"
)

// prioDarwinProcess asks getpriority(2) whether the process is in the background: PRIO_DARWIN_PROCESS of
// <sys/resource.h>.
const prioDarwinProcess = 4

// ioPolicies are the names that getiopolicy_np(3) has for what it returns.
var ioPolicies = [...]string{"default", "important", "passive", "throttle", "utility", "standard"}

// Priority says how the system treats the process's requests, and why its numbers are too low if it holds them back. A
// process in the background runs on efficiency cores and waits with its requests for everybody else's (setpriority(2)).
func Priority() (name, doubt string) {
	background, bgErr := unix.Getpriority(prioDarwinProcess, 0)
	policy, policyErr := libsystem.DiskPolicy()
	return priorityOf(bgErr == nil && background != 0, policyName(policy, policyErr))
}

func policyName(policy int, err error) string {
	switch {
	case err != nil:
		return ""
	case policy < 0 || policy >= len(ioPolicies):
		return fmt.Sprint(policy)
	default:
		return ioPolicies[policy]
	}
}
