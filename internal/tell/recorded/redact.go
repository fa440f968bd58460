package recorded

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hubbench/hubbench/internal/measure/rundir"
	"github.com/hubbench/hubbench/pkg/analysis"
	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/say"
	"github.com/hubbench/hubbench/pkg/scenario"
	"github.com/hubbench/hubbench/pkg/trace"
)

// Redacted returns the run without what identifies its owner: the host's name, users' names, paths, volume labels and
// serial numbers. What people show to others is made from it: pages, pictures and Markdown. The run itself stays.
func (r *Run) Redacted() *Run {
	if r.Trace == nil {
		return r // a page that was written without them
	}
	hide := redactor(r.Loaded)
	redacted := *r
	redacted.Loaded = &rundir.Loaded{Events: r.Events, Trace: redactTrace(r.Trace, hide), Info: redactInfo(r.Info, hide)}
	origin := *r.Analysis.Origin
	origin.Host = ""
	redacted.Analysis = say.Analyze(redacted.Trace, analysis.Options{Origin: &origin})
	redacted.OpenEvents = func() (io.ReadCloser, error) {
		events, err := r.OpenEvents()
		if err != nil {
			return nil, err
		}
		return &redactedEvents{Closer: events, in: trace.NewReader(events, r.Events), hide: hide}, nil
	}
	return &redacted
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
		e.Disks = each(e.Disks, func(d *trace.Disk) { d.Path = "" })
		e.Hardware = redactSetup(e.Hardware, r.hide)
		r.line = trace.AppendEvent(nil, e)
	}
	n := copy(p, r.line)
	r.line = r.line[n:]
	return n, nil
}

func redactTrace(t *trace.Run, hide func(string) string) *trace.Run {
	redacted := *t
	redacted.Hardware = redactSetup(t.Hardware, hide)
	redacted.Disks = each(t.Disks, func(d *trace.Disk) { d.Path = "" })
	redacted.Phases = each(t.Phases, func(phase **trace.Phase) {
		p := **phase
		p.Disks = each(p.Disks, func(disk **trace.DiskRecord) {
			d := **disk
			d.Errors = each(d.Errors, func(f *trace.Failure) { f.Error = hide(f.Error) })
			*disk = &d
		})
		*phase = &p
	})
	return &redacted
}

// each returns a copy of a list with each of its values changed.
func each[V any](list []V, change func(*V)) []V {
	list = slices.Clone(list)
	for i := range list {
		change(&list[i])
	}
	return list
}

func redactInfo(info *rundir.Info, hide func(string) string) *rundir.Info {
	if info == nil {
		return nil
	}
	redacted := *info
	sum := sha256.Sum256([]byte(info.Host.Name))
	redacted.Host.Name = "host " + hex.EncodeToString(sum[:2]) // by which two runs show that their hosts differ
	redacted.Hardware = nil                                    // the trace has it
	redacted.Warnings = each(info.Warnings, func(text *string) { *text = hide(*text) })
	redacted.Failures = each(info.Failures, func(f *trace.RunFailure) { f.Cause = hide(f.Cause) })
	if info.Doctor != nil {
		doctor := *info.Doctor
		doctor.Checks = each(doctor.Checks, func(c *trace.Check) {
			c.Path, c.Measured, c.Text, c.Advice = hide(c.Path), hide(c.Measured), hide(c.Text), hide(c.Advice)
		})
		redacted.Doctor = &doctor
	}
	if info.Plan == nil {
		return &redacted
	}
	plan := *info.Plan
	if plan.Hub != nil {
		hub := *plan.Hub
		hub.Profile = hub.Profile[strings.LastIndexAny(hub.Profile, `/\`)+1:]
		hub.About = hide(hub.About)
		plan.Hub = &hub
	}
	plan.Disks = each(plan.Disks, func(d *scenario.Disk) { d.Path, d.About = "", hide(d.About) })
	redacted.Plan = &plan
	return &redacted
}

var (
	// homes match users' folders, with the name, which may hold spaces.
	homes = regexp.MustCompile(`(?i)(/(?:Users|home|media|run/media)/|[A-Z]:\\Users\\)[^/\\:"',;()]+`)
	// paths match other absolute paths, of which the last part stays.
	paths = regexp.MustCompile(`(^|[\s"'(=])(?:~[^\s/\\]*|[A-Za-z]:|\\)?[/\\](?:[^/\\:"',;()]*[/\\])*([^/\\\s"':;,()]+)`)
	// adapters are network adapters that Linux names by their address, which is unique.
	adapters = regexp.MustCompile(`\benx[0-9a-f]{12}\b`)
	// images are disks that are a file, in the words of their models.
	images = regexp.MustCompile(`\bfile /.*`)
)

// redactor replaces in text what identifies a person: the host's name, serial numbers, paths and users' folders.
func redactor(l *rundir.Loaded) func(string) string {
	become := map[string]string{}
	addPath := func(path, by string) {
		// "/" stands in every path, and a folder may be called "out".
		if len(path) > 1 && strings.ContainsAny(path, `/\\`) {
			become[path] = cmp.Or(become[path], by)
		}
	}
	addPath(l.Folder, "(path of the run)")
	for _, d := range l.Trace.Disks {
		addPath(d.Path, "(path of disk "+d.Name+")")
	}
	if l.Info != nil {
		become[l.Info.Host.Name] = "(host)"
	}
	if setup := l.Trace.Hardware; setup != nil {
		for name, unit := range setup.Disks {
			become[unit.Serial] = "(serial number)"
			if v := unit.Volume; v != nil {
				for _, mount := range append(slices.Clip(v.Mounts), v.Mount) {
					addPath(mount, "(path of disk "+name+")")
				}
			}
		}
	}
	delete(become, "")
	known := slices.SortedFunc(maps.Keys(become), func(a, b string) int {
		return cmp.Or(len(b)-len(a), cmp.Compare(a, b)) // /Volumes/A stands in /Volumes/A2
	})
	return func(text string) string {
		for _, secret := range known {
			text = replaceWord(text, secret, become[secret])
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

// redactSetup leaves out of a setup, if there is one, what identifies its owner.
func redactSetup(setup *hardware.Setup, hide func(string) string) *hardware.Setup {
	if setup == nil {
		return nil
	}
	s := *setup
	if s.Host != nil {
		host := *s.Host
		host.Name = ""
		s.Host = &host
	}
	ids := map[string]string{"": ""} // a hub's is unique in the world
	id := func(is string) string {
		if _, known := ids[is]; !known {
			ids[is] = "hub " + strconv.Itoa(len(ids))
		}
		return ids[is]
	}
	if s.Hub != nil {
		hub := *s.Hub
		ids[hub.ID] = "hub 1" // be it named by the scenario only
		hub.ID, hub.Devices, hub.Upstream = "hub 1", nil, id(hub.Upstream)
		if hub.Link != nil {
			link := *hub.Link
			link.Hub = id(link.Hub)
			hub.Link = &link
		}
		s.Hub = &hub
	}
	s.About = hide(s.About)
	s.Competitors = each(s.Competitors, func(c *hardware.Attached) { c.ID, c.Name = "", hide(c.Name) })
	s.Disks = maps.Clone(s.Disks)
	for _, name := range slices.Sorted(maps.Keys(s.Disks)) {
		unit := s.Disks[name]
		if unit.Hub != nil {
			hub := id(*unit.Hub)
			unit.Hub = &hub
		}
		unit.Path.Links = each(unit.Path.Links, func(l *hardware.Link) { l.Hub = id(l.Hub) })
		unit.About, unit.Model = hide(unit.About), hide(unit.Model)
		unit.Serial, unit.Volumes = "", nil
		if unit.Volume != nil {
			volume := *unit.Volume
			volume.Mount, volume.Mounts, volume.Label, volume.Container = "(path)", nil, "", ""
			unit.Volume = &volume
		}
		s.Disks[name] = unit
	}
	return &s
}
