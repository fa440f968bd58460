package capture

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// secret is something that identifies a device or a person, and where it stands in the answers of
// the systems' tools: in property lists, JSON, and lines. The last group of the expression is the
// secret itself.
type secret struct {
	kind  string
	place string
}

// The words that stand for each kind of secret.
const (
	serialWord  = "SERIALNO%04d" // base64 too, as data of property lists has to be
	numberWord  = "9000000%04d"
	labelWord   = "Volume%d"
	hostWord    = "host%d"
	shareWord   = "share%d"
	userWord    = "user%d"
	uuidWord    = "00000000-0000-4000-8000-%012d"
	addressWord = "02:00:00:00:00:%02d"
)

// secrets are looked for in this order.
var secrets = [...]secret{
	{uuidWord, `[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`},
	{addressWord, `\b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b`},
	{serialWord, `<key>[^<]*(?:serial|mac[-_ ]?address)[^<]*</key>\s*<(?:string|data)>([^<]+)<`},
	{numberWord, `<key>[^<]*serial[^<]*</key>\s*<integer>(\d{4,})<`},
	{serialWord, `"[^"]*(?:serial|mac[-_ ]?address)[^"]*"\s*:\s*"([^"]+)"`},
	{serialWord, `(?m)^\s*(?:E:)?(?:ID|MD)_\w*(?:SERIAL|WWN|UUID)\w*=(.+)$`},
	{serialWord, `(?m)^\s*\S*(?:serial|wwid|unique_id|nguid|eui|vpd_pg8\d)\s*: (.+)$`},
	// What LVM and dm-crypt call a device by: a UUID in another form, and for LVM two of them.
	{serialWord, `\bLVM-(\w{64})`},
	{serialWord, `\bCRYPT-\w+-([0-9a-f]{32})`},
	{serialWord, `\blvm-pv-uuid-(\S+)`},
	{serialWord, `\bmd-uuid-([0-9a-f:]+)`},
	// Windows calls a device by its bus, its kind and its serial number. Where there is none, it
	// makes one up with an &.
	{serialWord, `\b(?:USB|USBSTOR|SCSI)\\\\[^\\"]+\\\\([^\\"&]{4,})(?:&\d+)?"`},
	// The registry's root of macOS has who is logged in, and a disk image the path of its file.
	{userWord, `<key>kCGSS?ession(?:Long)?UserNameKey</key>\s*<string>([^<]+)<`},
	{serialWord, `<key>(?:image-path|DiskImageURL)</key>\s*<(?:string|data)>([^<]+)<`},
	{hostWord, `<key>(?:local_host_name|user_name)</key>\s*<string>([^<]+)<`},
	{hostWord, `"(?:local_host_name|user_name)"\s*:\s*"([^"]+)"`},
	{hostWord, `(?m)^\S*hostname: (.+)$`},
	{hostWord, `"Computer"\s*:\s*\[?\s*\{\s*"Name"\s*:\s*"([^"]+)"`},
	// What a network's folder is called, as mount and mountinfo have it.
	{shareWord, `(?m)^(//\S+|[^\s:]+:/[^/\s]\S*) on /`},
	{shareWord, `(?m) - (?:cifs|smb3|nfs4?|fuse\.\w+|9p) (\S+)`},
	{shareWord, `\b(?:domain|addr|clientaddr|mountaddr|unc)=([^,\s]+)`},
	{userWord, `\b(?:username|user)=([^,\s]+)`},
	{userWord, `(?:/Users|/@?home|/media|\\Users)[/\\]+([^/\\\s"<>]+)`},
	{labelWord, `(?:[>"]| on )/Volumes/([^<>"/\n]+?)(?:[<"/\n]| \()`},
	{labelWord, `(?m)^usage (?:/run)?/media/[^/\n]+/([^/\n]+): `},
	{labelWord, `/media/[^/\s]+/([^/\s:]+)\s`},
	{labelWord, `://disk\w+/([^\n]+?) on /`},
	{labelWord, `"FileSystemLabel"\s*:\s*"([^"]+)"`},
	{labelWord, `(?m)^\s*(?:E:)?ID_(?:FS_LABEL|PART_ENTRY_NAME)\w*=(.+)$`},
	{labelWord, `\bby-(?:part)?label/(\S+)`},
	{labelWord, `(?m)^/sys/fs/btrfs/\S+/label: (.+)$`},
	{labelWord, `(?m) - zfs ([^/\s]+)`},
}

// labelPlaces are where a label stands that is known already.
var labelPlaces = [...]string{
	`<key>(?:VolumeName|Name|FullName|IORegistryEntryName)</key>\s*<string>([^<]+)<`,
	`"_name"\s*:\s*"([^"]+)"`,
}

// namePlaces are the lines of Linux's answers that hold names which people give, in which those of
// the computer, of users and of labels turn up again: mounts, the size of what is mounted there,
// device files, and what the device mapper, loop devices and udev know.
const namePlaces = `(?m)^(?:\t\d+ \d+ \d+:\d+ |usage |/dev/|\tS:|\tE:DEVLINKS=|` +
	`\tE:(?:DM|MD)_\w+=|\S*/(?:dm/name: |dm/uuid: [A-Z]+-|loop/backing_file: |mountinfo: ))(.*)$`

// deviceFolders are folders of /dev, which keep their names whatever people call their disks.
var deviceFolders = [...]string{"disk", "mapper"}

// minName is the least length of a name that is looked for in those places: /usr and /dev stay.
const minName = 4

// minSpread is the least length of a secret that is looked for everywhere. A shorter one may be
// part of anything.
const minSpread = 6

// Redact takes out of answers what identifies a device or a person: serial numbers, UUIDs, hardware
// addresses, the names of hosts and users, and the labels of volumes that people see.
// The same words stand for one secret wherever it is, so that what is said of one device can still
// be put together.
func Redact(text string) string {
	words := map[string]string{} // words is by the secret in lower case.
	count := map[string]int{}
	made := map[string]bool{}
	word := func(kind, value string) string {
		key := plain(value)
		if made[key] || key == "" || key == "not provided" {
			return value
		}
		if words[key] == "" {
			count[kind]++
			words[key] = fmt.Sprintf(kind, count[kind])
			made[plain(words[key])] = true
		}
		return words[key]
	}
	text = redactRouters(text)
	for _, s := range secrets {
		text = replaceGroup(text, s.place, func(value string) string { return word(s.kind, value) })
	}
	for _, place := range labelPlaces {
		text = replaceGroup(text, place, func(value string) string {
			return cmp.Or(words[plain(value)], value)
		})
	}
	for key, word := range maps.Clone(words) {
		if first, _, domain := strings.Cut(key, "."); domain && isOf(word, hostWord) {
			words[first] = cmp.Or(words[first], word)
		}
	}
	// The longest comes first: it may hold another.
	keys := slices.SortedFunc(maps.Keys(words), func(a, b string) int {
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	for _, key := range keys {
		word := words[key]
		switch {
		case isOf(word, serialWord) && len(key) >= minSpread:
			text = regexp.MustCompile(anyForm(key)).ReplaceAllLiteralString(text, word)
		case isOf(word, hostWord) || isOf(word, userWord) || isOf(word, labelWord):
			if len(key) >= minName && !slices.Contains(deviceFolders[:], key) {
				text = replaceName(text, key, word)
			}
		}
	}
	return text
}

// isOf reports whether a word stands for a secret of a kind.
func isOf(word, kind string) bool {
	before, _, _ := strings.Cut(kind, "%")
	return strings.HasPrefix(word, before)
}

// escape is how the kernel (\040) and udev (\x20) have what would break a line or a name.
const escape = `\\x[0-9a-f]{2}|\\[0-3][0-7]{2}`

// plain returns a secret by which all its forms are known: udev also has _ for a space, and
// property lists have &amp; for an &.
func plain(value string) string {
	value = strings.ReplaceAll(value, "&amp;", "&")
	value = replaceGroup(value, escape, func(escaped string) string {
		c, _, _, err := strconv.UnquoteChar(escaped, 0)
		if err != nil {
			return escaped
		}
		return string(c)
	})
	return strings.ToLower(strings.TrimSpace(strings.ReplaceAll(value, "_", " ")))
}

// anyForm returns an expression for a plain secret as the device mapper (it doubles a -), the
// kernel, udev and the secret's owner write it.
func anyForm(key string) string {
	var expression strings.Builder
	expression.WriteString("(?i)")
	for _, c := range key {
		part := regexp.QuoteMeta(string(c))
		switch {
		case c == '-':
			part = `(?:--?|\\x2d)`
		case c < unicode.MaxASCII && !unicode.IsLetter(c) && !unicode.IsDigit(c):
			part = fmt.Sprintf(`(?:%s|_|\\x%02x|\\%03o)`, part, c, c)
		}
		expression.WriteString(part)
	}
	return expression.String()
}

// replaceName replaces a name in the places that hold names, where it is a whole part of a path or
// another name: what is a part of a longer word is another word.
func replaceName(text, key, word string) string {
	name := regexp.MustCompile(anyForm(key))
	return replaceGroup(text, namePlaces, func(line string) string {
		var out strings.Builder
		last := 0
		for _, at := range name.FindAllStringIndex(line, -1) {
			before, after := line[:at[0]], line[at[1]:]
			begins := before == "" || strings.ContainsAny(before[len(before)-1:], "/@:_-")
			if begins && (after == "" || strings.ContainsAny(after[:1], "/@:._- \t\\")) {
				out.WriteString(line[last:at[0]] + word)
				last = at[1]
			}
		}
		return out.String() + line[last:]
	})
}

// replaceGroup replaces what the last group of an expression matches, or all that it matches if it
// has none.
func replaceGroup(text, expression string, with func(string) string) string {
	var out strings.Builder
	last := 0
	for _, at := range regexp.MustCompile(`(?i)`+expression).FindAllStringSubmatchIndex(text, -1) {
		from, to := at[len(at)-2], at[len(at)-1]
		out.WriteString(text[last:from])
		out.WriteString(with(text[from:to]))
		last = to
	}
	out.WriteString(text[last:])
	return out.String()
}

// minRouter is below any number that a maker gives a router of Thunderbolt.
const minRouter = 1 << 32

// redactRouters replaces the numbers of Thunderbolt routers, of which each is its own: ioreg has
// them in decimal and system_profiler in hexadecimal.
func redactRouters(text string) string {
	numbers := map[uint64]uint64{}
	number := func(n uint64) uint64 {
		if n >= minRouter && numbers[n] == 0 {
			numbers[n] = minRouter + uint64(len(numbers))
		}
		return cmp.Or(numbers[n], n)
	}
	decimal := `<key>[^<]*\bUID</key>\s*<integer>([^<]+)<`
	text = replaceGroup(text, decimal, func(value string) string {
		n, err := strconv.ParseInt(value, 0, 64)
		unsigned, unsignedErr := strconv.ParseUint(value, 0, 64)
		if err == nil {
			unsigned = uint64(n)
		} else if unsignedErr != nil {
			return value
		}
		return strconv.FormatUint(number(unsigned), 10)
	})
	return replaceGroup(text, `"switch_uid_key"\s*:\s*"0x([0-9a-f]+)"`, func(value string) string {
		n, err := strconv.ParseUint(value, 16, 64)
		if err != nil {
			return value
		}
		return fmt.Sprintf("%016X", number(n))
	})
}
