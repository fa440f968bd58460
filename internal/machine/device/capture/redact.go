package capture

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// secret is what identifies a device or a person, and where it stands in the answers of the
// systems' tools: in property lists, JSON, and lines. The last group of the expression is the
// secret itself.
type secret struct {
	kind  string
	place string
}

// The words that stand for each kind of secret.
const (
	serialWord  = "SERIALNO%04d" // which is base64 too, as data of property lists has to be
	numberWord  = "9000000%04d"
	labelWord   = "Volume%d"
	hostWord    = "host%d"
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
	{serialWord, `(?m)^\s*(?:E:)?ID_\w*(?:SERIAL|WWN|UUID)\w*=(.+)$`},
	{serialWord, `(?m)^\s*\S*(?:serial|wwid|unique_id|nguid|eui)\s*: (.+)$`},
	// Windows calls a device by its bus, its kind and its serial number. Where there is none, it
	// makes one up with an &.
	{serialWord, `\b(?:USB|USBSTOR|SCSI)\\\\[^\\"]+\\\\([^\\"&]{4,})(?:&\d+)?"`},
	{hostWord, `<key>(?:local_host_name|user_name)</key>\s*<string>([^<]+)<`},
	{hostWord, `"(?:local_host_name|user_name)"\s*:\s*"([^"]+)"`},
	{hostWord, `(?m)^\S*hostname: (.+)$`},
	{hostWord, `"Computer"\s*:\s*\[?\s*\{\s*"Name"\s*:\s*"([^"]+)"`},
	// What a network's folder is called, as mount and mountinfo have it.
	{hostWord, `(?m)^(//\S+|[^\s:]+:/[^/\s]\S*) on /`},
	{hostWord, `(?m) - (?:cifs|smb3|nfs4?|fuse\.\w+|9p) (\S+)`},
	{userWord, `(?:/Users|/home|/media|\\Users)[/\\]+([^/\\\s"<>]+)`},
	{labelWord, `(?:[>"]| on )/Volumes/([^<>"/\n]+?)(?:[<"/\n]| \()`},
	{labelWord, `(?m)^usage (?:/run)?/media/[^/\n]+/([^/\n]+): `},
	{labelWord, `/media/[^/\s]+/([^/\s:]+)\s`},
	{labelWord, `://disk\w+/([^\n]+?) on /`},
	{labelWord, `"FileSystemLabel"\s*:\s*"([^"]+)"`},
}

// labelPlaces are where a label stands that is known already.
var labelPlaces = [...]string{
	`<key>(?:VolumeName|Name)</key>\s*<string>([^<]+)<`,
	`"_name"\s*:\s*"([^"]+)"`,
	`(?m)^\s*(?:E:)?ID_FS_LABEL\w*=(.+)$`,
}

// minSpread is the least length of a secret that is looked for everywhere. A shorter one may be
// part of anything.
const minSpread = 6

// Redact takes out of answers what identifies a device or a person: serial numbers, UUIDs, hardware
// addresses, the names of hosts and users, and the labels of volumes mounted where people see them.
// The same words stand for one secret wherever it is, so that what is said of one device can still
// be put together.
func Redact(text string) string {
	words := map[string]string{} // by the secret in lower case
	count := map[string]int{}
	made := map[string]bool{}
	word := func(kind, value string) string {
		spaced := strings.ReplaceAll(value, `\040`, " ") // as mountinfo has spaces
		key := strings.ToLower(strings.TrimSpace(spaced))
		if made[key] || key == "" || key == "not provided" {
			return value
		}
		if words[key] == "" {
			count[kind]++
			words[key] = fmt.Sprintf(kind, count[kind])
			made[strings.ToLower(words[key])] = true
		}
		return words[key]
	}
	text = redactRouters(text)
	for _, s := range secrets {
		text = replaceGroup(text, s.place, func(value string) string { return word(s.kind, value) })
	}
	for _, place := range labelPlaces {
		text = replaceGroup(text, place, func(value string) string {
			return cmp.Or(words[strings.ToLower(strings.TrimSpace(value))], value)
		})
	}
	var spread []string
	for key, word := range words {
		if len(key) >= minSpread && strings.HasPrefix(word, "SERIALNO") {
			spread = append(spread, key)
		}
	}
	slices.SortFunc(spread, func(a, b string) int { // the longest first: it may hold another
		return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b))
	})
	for _, key := range spread {
		everywhere := regexp.MustCompile(`(?i)` + regexp.QuoteMeta(key))
		text = everywhere.ReplaceAllLiteralString(text, words[key])
	}
	return text
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
