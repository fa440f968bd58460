package diskio

import "fmt"

// priorityOf judges what macOS says of a process: whether it is in the background, and its policy for disk requests.
func priorityOf(background bool, policy string) (name, doubt string) {
	const try = "run hubbench from a terminal window, not by taskpolicy or as a background job"
	switch {
	case background:
		return "background", "macOS runs hubbench in the background: on efficiency cores, and with its disk requests held back; " + try
	case policy == "throttle" || policy == "utility":
		return policy, fmt.Sprintf("macOS holds back hubbench's disk requests (I/O policy %s); %s", policy, try)
	default:
		return policy, ""
	}
}
