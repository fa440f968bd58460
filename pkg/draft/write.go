package draft

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/unit"
)

// What a first test takes. A recovery takes ten seconds, and so does a phase at least.
const (
	phaseTime = 10 * time.Second
	restPart  = 5 // share of a phase's time
	// studyTime is what the pairs may fill. Five minutes hold it, the measurement of each disk's
	// speed before it, and the start of each phase.
	studyTime = 4 * time.Minute
	// pairsAnswer is the most disks of which the time holds every pair.
	pairsAnswer = 3
)

// Limits of its files, in bytes.
const (
	fewestFiles = 5 // minimum number of files of any disk
	largestFile = 1e9
	smallest    = 1e6
	mostSpace   = 10e9 // maximum space on a disk at a time
	unknown     = 5e8  // speed assumed if unknown: a slow disk also fills it in a phase
	usedOfFree  = 0.9
	keptFree    = 100e6 // for the file system itself
)

// Write writes the scenario for the disks. file is what it is called, and phase how long each phase
// takes; 0 is the usual.
func Write(inv *hardware.Inventory, disks []Target, file string, phase time.Duration) []byte {
	phase = cmp.Or(phase, phaseTime)
	hub := Hub(inv, disks)
	size, files := sizes(disks, phase)
	return fmt.Appendf(nil, `# yaml-language-server: $schema=%[1]s
# Written by hubbench from what was plugged in. It is ready to run:
#
#     hubbench plan %[2]s          shows what would be written where; touches nothing
#     hubbench run %[2]s --open    runs it and opens the report
#
# Close other programs and pause backups: whatever else uses these disks is measured as well.
version: 1
name: %[3]s

%[4]s
workload:
  sizes: [%[5]s]
  flush: full    # wait until the data is on the medium

%[6]s%[7]s`, scenario.SchemaURL, clean(file), quote(name(hub)), setup(inv, hub, disks),
		unit.FormatBytes(size), studyOf(disks, files, phase), allowed(disks))
}

func setup(inv *hardware.Inventory, hub *hardware.Hub, disks []Target) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	if hub != nil {
		line("# What the disks are connected to. Add what the system cannot know, such as the " +
			"cable, for the report.\nhub:")
		if title := title(hub); title != "" {
			line("  name: %s", quote(title))
		}
		line("  about: %s\n", quote(aboutHub(inv, hub)))
	}
	line("# A folder on each disk: hubbench creates a folder of its own in it and touches " +
		"nothing else.\ndisks:")
	for _, d := range disks {
		line("  - name: %s%s\n    path: %s\n    %s", d.key(), d.note, quote(d.Folder),
			connection(inv, d.Found))
		if about := d.About(); about != "" {
			line("    about: %s", quote(about))
		}
		if least := min(d.Speed.Read, d.Speed.Write); least > 0 {
			line("    speed: {read: %s, write: %s}    # alone, measured for a second each",
				unit.FormatRate(d.Speed.Read), unit.FormatRate(d.Speed.Write))
		}
	}
	return b.String()
}

// key returns the disk's name as YAML: only a letter is sure to be a text without quotes.
func (d Target) key() string {
	if len(d.Name) == 1 && unicode.IsLetter(rune(d.Name[0])) &&
		!strings.ContainsAny(d.Name, "nNyY") {
		return d.Name
	}
	return quote(d.Name)
}

// allowed returns what lets the disk be tested that the system runs from, if it is one of them.
func allowed(disks []Target) string {
	if !slices.ContainsFunc(disks, func(d Target) bool { return d.Found.System }) {
		return ""
	}
	return "\n# One of the disks holds the operating system and was asked for by name. Without " +
		"this line it is refused.\n" +
		"allow_system_disk: true\n"
}

// hubAndDisks are these keys of a scenario, one after the other, up to the next key.
var hubAndDisks = regexp.MustCompile(`(?m)^(hub:.*\n)?disks:.*\n( .*\n)+`)

// Fill puts disks into a scenario in the place of its own, whose names and notes they take over,
// and the hub that they hang on. They come in the order in which they were asked for, as the first
// may play and the second be copied. A demonstration, whose clock runs faster than ours, is
// refused.
func Fill(text []byte, inv *hardware.Inventory, disks []Target, asked []string) ([]byte, error) {
	s, err := scenario.Load("", text)
	if err != nil {
		return nil, err
	}
	if s.Hub != nil && s.Hub.Speedup > 1 {
		return nil,
			errors.New("it is a demonstration on simulated disks; leave out --disks, or choose " +
				"another")
	}
	at := hubAndDisks.FindIndex(text)
	if at == nil {
		return nil, errors.New("its disks are not where they are expected")
	}
	notes := noted.FindAllSubmatch(text[at[0]:at[1]], -1)
	filled := slices.SortedStableFunc(slices.Values(disks), func(a, b Target) int {
		return cmp.Compare(slices.Index(asked, asWhat(asked, a.Found, a.Volume)),
			slices.Index(asked, asWhat(asked, b.Found, b.Volume)))
	})
	for i := range filled {
		if i < min(len(s.Disks), len(notes)) {
			filled[i].Name = s.Disks[i].Name
			filled[i].note = string(notes[i][1])
		} else {
			filled[i].Name = nameOf(filled[:i])
		}
	}
	out := slices.Concat(text[:at[0]], []byte(setup(inv, Hub(inv, disks), filled)), text[at[1]:],
		[]byte(allowed(disks)))
	if _, err := scenario.Load("", out); err != nil {
		return nil, fmt.Errorf("it is written for %s, and cannot be used for %d",
			unit.Plural(len(s.Disks), "disk"), len(disks))
	}
	return out, nil
}

// noted is a disk's line in a built-in scenario, and the note at its end.
var noted = regexp.MustCompile(`(?m)^  - \{.*\}( #.*)?$`)

// studyOf returns the study that answers who slows whom: what each disk does alone, all together,
// and every two of them as far as the time goes. files are how many of them each disk has.
func studyOf(disks []Target, files []int, phase time.Duration) string {
	head := `# Each disk alone, all together, and then parts of them, writing and reading: this shows who slows whom.
study:
  include: [%s]
  within: %s    # fewer pairs if that is too long
`
	if len(disks) == 1 {
		head = `# The disk alone, writing and then reading. For the size of its write cache, replace the study by
# workload: {preset: saturation}. With a second disk, hubbench init writes a study of both.
study:
  include: solo
`
	} else {
		include := "solo, all, pairs"
		// One phase without a disk says what it costs each of the others.
		if len(disks) > pairsAnswer {
			include = "solo, all, all_but_one, pairs"
		}
		always := time.Duration(2*len(disks)+2) * (phase + phase/restPart)
		head = fmt.Sprintf(head, include, unit.FormatDuration(max(studyTime, always)))
	}
	counts := make([]string, len(disks))
	for i, d := range disks {
		counts[i] = fmt.Sprintf("%s: %d", d.key(), files[i])
	}
	return head + fmt.Sprintf(`  stop: %s       # each phase; 60 s gives narrower intervals
  cooldown: %s
  files: {%s}    # which are written and read over and over
`, unit.FormatDuration(phase), unit.FormatDuration(phase/restPart),
		strings.Join(counts, ", "))
}

// connection returns the line that says how a disk is connected, or asks for it.
func connection(inv *hardware.Inventory, d *hardware.Drive) string {
	enclosure, hubs := inv.Way(d)
	inside := d.External != nil && !*d.External
	switch {
	case len(hubs) > 0:
		return "connection: hub"
	case inside || enclosure != nil || d.Port != "" || d.Bus == hardware.USB:
		// Every system reports the hubs of USB.
		return "connection: direct"
	}
	return "# connection: hub    # or direct: the system does not report it"
}

// sizes returns the size of a file, in round figures, and how many of them each disk has: as much
// as it writes in half a phase, so that all are there to be read even if its writing was slowed.
func sizes(disks []Target, phase time.Duration) (size int64, files []int) {
	space := make([]int64, len(disks))
	size = largestFile
	for i, d := range disks {
		space[i] = unknown
		if d.Speed.Write > 0 {
			space[i] = int64(d.Speed.Write * phase.Seconds() / 2)
		}
		space[i] = min(space[i], mostSpace,
			int64(usedOfFree*(float64(d.Volume.FreeBytes)-keptFree)))
		size = min(size, space[i]/fewestFiles)
	}
	round := int64(1)
	for size >= 100*round {
		round *= 10
	}
	size = max(size/round*round, smallest)
	for _, bytes := range space {
		files = append(files, max(1, int(bytes/size)))
	}
	return size, files
}

// name is that of the scenario, which becomes part of folders' names.
func name(hub *hardware.Hub) string {
	if hub == nil {
		return "disks"
	}
	plain := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|.`, r) {
			return -1
		}
		return r
	}, title(hub))
	if plain = strings.ToLower(strings.Join(strings.Fields(plain), "-")); plain != "" {
		return plain
	}
	return "hub"
}

// title returns a hub's name with its maker's, fit for a line.
func title(h *hardware.Hub) string { return clean(h.Product()) }

func aboutHub(inv *hardware.Inventory, h *hardware.Hub) string {
	about := ""
	add := func(before, text string) {
		if text = clean(text); text != "" {
			about += before + text + ", "
		}
	}
	for _, host := range inv.Hosts {
		for _, port := range host.Ports {
			if port.ID == h.Port {
				add("on ", port.Name)
			}
		}
	}
	if h.Link != nil {
		add("", h.Link.String())
	} else {
		add("", h.Protocol)
	}
	add("firmware ", h.Firmware)
	return about + "cable not said"
}

// quote writes a text in single quotes, in which YAML knows nothing special but the quote itself.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", "''") + "'" }
