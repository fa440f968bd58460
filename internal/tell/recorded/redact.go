package recorded

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Redact removes from a loaded run what identifies its owner: the host's name, users' names, paths,
// volume labels and serial numbers. What people show to others is made from what is left: pages,
// pictures and Markdown. The files that it was loaded from stay as they are. A page that carries no
// events was written without them.
func (r *Run) Redact() {
	if r.Trace == nil {
		return
	}
	hide := redactor(r.Loaded)
	redactTrace(r.Trace, hide)
	if r.Info != nil {
		redactInfo(r.Info, hide)
	}
	openEvents := r.OpenEvents
	r.OpenEvents = func() (io.ReadCloser, error) {
		events, err := openEvents()
		if err != nil {
			return nil, err
		}
		return &redactedEvents{Closer: events, in: trace.NewReader(events, r.Events), hide: hide},
			nil
	}
	r.Analysis.Origin.Host = ""
	r.analyze() // Its sentences quote what is hidden now.
}

// hash is Redact for tables, in which the runs of one host stay together.
func (r *Run) hash() {
	host := ""
	if o := r.Analysis.Origin; o != nil {
		host = o.Host
	}
	r.Redact()
	if r.Analysis.Origin != nil {
		r.Analysis.Origin.Host = Pseudonym("host", host)
	}
}

// redactedEvents reads events.jsonl without what identifies the run's owner.
type redactedEvents struct {
	io.Closer
	in   *trace.Reader
	hide func(string) string
	line []byte // what is not read yet of the last line
}

// Read reads no further than to the end of a line.
func (r *redactedEvents) Read(p []byte) (int, error) {
	for len(r.line) == 0 {
		if !r.in.Next() {
			return 0, cmp.Or(r.in.Err(), io.EOF)
		}
		e := r.in.Event()
		e.Error = r.hide(e.Error)
		removePaths(e.Disks)
		redactSetup(e.Hardware, r.hide)
		r.line = trace.AppendEvent(nil, e)
	}
	n := copy(p, r.line)
	r.line = r.line[n:]
	return n, nil
}

func redactTrace(t *trace.Run, hide func(string) string) {
	removePaths(t.Disks)
	redactSetup(t.Hardware, hide)
	for _, p := range t.Phases {
		for _, d := range p.Disks {
			for i := range d.Errors {
				d.Errors[i].Error = hide(d.Errors[i].Error)
			}
		}
	}
}

func removePaths(disks []trace.Disk) {
	for i := range disks {
		disks[i].Path = ""
	}
}

func redactInfo(info *rundir.Info, hide func(string) string) {
	info.Host.Name = Pseudonym("host", info.Host.Name)
	info.Hardware = nil // the trace has it
	for i, text := range info.Warnings {
		info.Warnings[i] = hide(text)
	}
	for i := range info.Failures {
		info.Failures[i].Cause = hide(info.Failures[i].Cause)
	}
	if info.Doctor != nil {
		for i := range info.Doctor.Checks {
			c := &info.Doctor.Checks[i]
			c.Path, c.Measured, c.Text, c.Advice = hide(c.Path), hide(c.Measured), hide(c.Text),
				hide(c.Advice)
		}
	}
	if info.Plan == nil {
		return
	}
	if hub := info.Plan.Hub; hub != nil {
		hub.Profile = hub.Profile[strings.LastIndexAny(hub.Profile, `/\`)+1:]
		hub.About = hide(hub.About)
	}
	for i := range info.Plan.Disks {
		d := &info.Plan.Disks[i]
		d.Path = ""
		d.About = hide(d.About)
	}
}

// Pseudonym stands for a name that identifies its owner: two that differ are seen to. That of a
// pseudonym is itself.
func Pseudonym(kind, name string) string {
	digits, ok := strings.CutPrefix(name, kind+" ")
	if name == "" || ok && pseudonyms.MatchString(digits) {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	return kind + " " + hex.EncodeToString(sum[:4])
}

var (
	pseudonyms = regexp.MustCompile(`^[0-9a-f]{8}$`)
	// homes match users' folders, with the name, which may hold spaces.
	homes = regexp.MustCompile(`(?i)(/(?:Users|home|media|run/media)/|[A-Z]:\\Users\\)[^/\\:"',;()]+`)
	// paths match other absolute paths, of which the last part stays.
	paths = regexp.MustCompile(`(^|[\s"'(=])(?:~[^\s/\\]*|[A-Za-z]:|\\)?[/\\](?:[^/\\:"',;()]*[/\\])*([^/\\\s"':;,()]+)`)
	// adapters are network adapters that Linux names by their address, which is unique.
	adapters = regexp.MustCompile(`\benx[0-9a-f]{12}\b`)
	// images match disks that are a file, in the words of their models, as far as a name goes that
	// is not known.
	images = regexp.MustCompile(`\bfile /[^,;()"]*`)
)

// secret is a text that identifies its owner, and what stands for it.
type secret struct{ text, becomes string }

// redactor replaces in text what identifies a person: the host's name, serial numbers, paths and
// users' folders.
func redactor(l *rundir.Loaded) func(string) string {
	var secrets []secret
	word := func(text, becomes string) {
		if text != "" {
			secrets = append(secrets, secret{text, becomes})
		}
	}
	path := func(text, of string) {
		// "/" stands in every path, and a folder may be called "out".
		if len(text) > 1 && strings.ContainsAny(text, `/\`) {
			word(text, "(path of "+of+")")
		}
	}
	path(l.Folder, "the run")
	for _, d := range l.Trace.Disks {
		path(d.Path, "disk "+d.Name)
	}
	if l.Info != nil {
		word(l.Info.Host.Name, "(host)")
	}
	if setup := l.Trace.Hardware; setup != nil {
		if setup.Host != nil {
			word(setup.Host.Name, "(host)")
		}
		for name, unit := range setup.Disks {
			word(unit.Serial, "(serial number)")
			if images.MatchString(unit.Model) {
				word(unit.Model, "file")
			}
			if v := unit.Volume; v != nil {
				path(v.Mount, "disk "+name)
				for _, mount := range v.Mounts {
					path(mount, "disk "+name)
				}
			}
		}
	}
	slices.SortStableFunc(secrets, func(a, b secret) int {
		return len(b.text) - len(a.text) // /Volumes/A stands in /Volumes/A2
	})
	return func(text string) string {
		for _, s := range secrets {
			text = replaceWord(text, s.text, s.becomes)
		}
		text = homes.ReplaceAllString(images.ReplaceAllString(text, "file"), "${1}…")
		return adapters.ReplaceAllString(paths.ReplaceAllString(text, "${1}…/${2}"), "enx…")
	}
}

// replaceWord replaces a word that is no part of another one.
func replaceWord(text, word, by string) string {
	inWord := func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }
	parts := strings.Split(text, word)
	for i := range len(parts) - 1 {
		before, _ := utf8.DecodeLastRuneInString(parts[i])
		after, _ := utf8.DecodeRuneInString(parts[i+1])
		if inWord(before) || inWord(after) {
			parts[i] += word
		} else {
			parts[i] += by
		}
	}
	return strings.Join(parts, "")
}

// redactSetup removes from a setup, if there is one, what identifies its owner. A hub's id is
// unique in the world.
func redactSetup(setup *hardware.Setup, hide func(string) string) {
	if setup == nil {
		return
	}
	if setup.Host != nil {
		setup.Host.Name = ""
	}
	if hub := setup.Hub; hub != nil {
		hub.ID, hub.Upstream, hub.Devices = Pseudonym("hub", hub.ID),
			Pseudonym("hub", hub.Upstream), nil
		if hub.Link != nil {
			hub.Link.Hub = Pseudonym("hub", hub.Link.Hub)
		}
	}
	setup.About = hide(setup.About)
	for i := range setup.Competitors {
		c := &setup.Competitors[i]
		c.ID = ""
		c.Name = hide(c.Name)
	}
	for name, unit := range setup.Disks {
		if unit.Hub != nil {
			*unit.Hub = Pseudonym("hub", *unit.Hub)
		}
		for i := range unit.Path.Links {
			unit.Path.Links[i].Hub = Pseudonym("hub", unit.Path.Links[i].Hub)
		}
		unit.About, unit.Model = hide(unit.About), hide(unit.Model)
		unit.Serial = ""
		unit.Volumes = nil
		if v := unit.Volume; v != nil {
			v.Mount, v.Mounts, v.Label, v.Container = "(path)", nil, "", ""
		}
		setup.Disks[name] = unit
	}
}
