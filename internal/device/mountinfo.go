package device

import (
	"bytes"
	"strconv"
	"strings"
)

// mount is one line of Linux's /proc/self/mountinfo.
type mount struct{ point, kind, source string }

// findMount finds a mount by its number. The form of a line: https://docs.kernel.org/filesystems/proc.html, 3.5.
func findMount(mountinfo []byte, id uint64) (mount, bool) {
	for line := range bytes.Lines(mountinfo) {
		before, after, ok := strings.Cut(string(line), " - ")
		head, tail := strings.Fields(before), strings.Fields(after)
		if !ok || len(head) < 5 || len(tail) < 2 || head[0] != strconv.FormatUint(id, 10) {
			continue
		}
		return mount{point: unescape(head[4]), kind: tail[0], source: unescape(tail[1])}, true
	}
	return mount{}, false
}

// unescape undoes the octal escapes of blanks and backslashes.
func unescape(s string) string {
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}
