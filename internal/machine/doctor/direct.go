package doctor

import (
	"fmt"
	"strings"

	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

const (
	// cachedPart is the share of a file that other requests may leave in the system's cache.
	cachedPart = 0.01
	// countedPart of the bytes must have been moved by the device if the system does not report what it caches.
	countedPart = 0.9
)

// judgeDirect asks whether a file went past the system's cache, when it was written and when it was read again.
func judgeDirect(files []moved) trace.Check {
	var how []string
	for _, m := range files {
		switch m.Effective.Cache {
		case "direct":
		case "cached writes":
			return warn(strings.Join(m.Effective.Warnings, "; "), "Reads go past the cache; writes in such small blocks do not, and are measured including their flush.", "compare small writes with those of the same system only")
		default:
			return fail(fmt.Sprintf("%s in blocks of %s went through the cache: %s", m.role, blockText(m.block), strings.Join(m.Effective.Warnings, "; ")),
				"Rates are those of memory and disk together.", fileSystemAdvice)
		}
		part := float64(m.Cached) / float64(m.Bytes)
		counted := float64(m.counted) / float64(m.Bytes)
		switch {
		case m.Cached >= 0 && part > cachedPart:
			return fail(fmt.Sprintf("%.0f %% of %s are in the system's cache after a direct %s", 100*part, unit.FormatBytes(m.Bytes), m.role),
				"Requests that claim to be direct pass through memory: a rate may be that of memory.", fileSystemAdvice)
		case m.Cached < 0 && m.counted >= 0 && counted < countedPart:
			return fail(fmt.Sprintf("the disk moved %.0f %% of the %s of a direct %s", 100*counted, unit.FormatBytes(m.Bytes), m.role),
				"The rest came from memory, and so may rates.", fileSystemAdvice)
		case m.Cached < 0 && m.counted < 0:
			return skip("this system reports neither what it caches nor what the disk moves", "It is not known.", "treat rates above the link's limit as those of memory")
		case m.Cached >= 0:
			how = append(how, fmt.Sprintf("%s %s, %.1f %% cached", m.role, unit.FormatRate(m.rate()), 100*part))
		default:
			how = append(how, fmt.Sprintf("%s %s, %.0f %% moved by the disk", m.role, unit.FormatRate(m.rate()), 100*counted))
		}
	}
	return pass(fmt.Sprintf("%s in blocks of %s: %s", unit.FormatBytes(files[0].Bytes), blockText(files[0].block), strings.Join(how, "; ")),
		"Rates are the disk's, not those of memory.")
}

const fileSystemAdvice = "use a folder on a disk with APFS, exFAT, NTFS, ext4 or XFS, served by the system itself and not by a program such as ntfs-3g: not in memory, on a network or in an encrypted container"

func blockText(bytes int64) string {
	if bytes%(1<<20) == 0 {
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%d KiB", bytes>>10)
}
