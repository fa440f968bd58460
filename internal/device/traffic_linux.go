package device

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Traffic is what the disk behind the folder path has moved since it was plugged in: 512-byte sectors, by the
// kernel's own count, whoever moved them. ok is false where there is no such count (a network, a memory disk).
func Traffic(path string) (sectors int64, ok bool) {
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil {
		return 0, false
	}
	data, err := os.ReadFile(fmt.Sprintf("/sys/dev/block/%d:%d/stat", unix.Major(st.Dev), unix.Minor(st.Dev)))
	if err != nil {
		return 0, false
	}
	// https://docs.kernel.org/block/stat.html: field 3 is sectors read, 7 sectors written, 14 sectors discarded.
	fields := strings.Fields(string(data))
	for _, i := range []int{2, 6, 13} {
		if i >= len(fields) {
			continue
		}
		n, err := strconv.ParseInt(fields[i], 10, 64)
		if err != nil {
			return 0, false
		}
		sectors += n
	}
	return sectors, len(fields) > 6
}
