package rundir

import (
	"bytes"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/trace"
)

// homes match users' folders, up to the end of the name.
var homes = regexp.MustCompile(`(?i)(/(?:Users|home|media|run/media)/|[A-Z]:\\Users\\)[^/\\:"' ]+`)

// adapters are network adapters that Linux names by their address, which is unique.
var adapters = regexp.MustCompile(`\benx[0-9a-f]{12}\b`)

// images are disks that are a file, in the words of their models.
var images = regexp.MustCompile(`\bfile /.*`)

// Anonymous leaves out of a run what identifies its owner: the host's name, users' names, paths, volume labels and
// serial numbers. It changes what was loaded, takes the run's events and returns them without it; the folder stays as
// it is.
func (l *Loaded) Anonymous(events io.Reader) ([]byte, error) {
	hide := l.redactor()
	var out []byte
	in := trace.NewReader(events, l.Events)
	for in.Next() {
		e := *in.Event()
		e.Error = hide(e.Error)
		e.Disks = slices.Clone(e.Disks)
		for i := range e.Disks {
			e.Disks[i].Path = ""
		}
		if e.Hardware != nil {
			e.Hardware = anonymousSetup(*e.Hardware, hide)
		}
		out = trace.AppendEvent(out, &e)
	}
	if err := in.Err(); err != nil {
		return nil, fmt.Errorf("leave out names: %w", err)
	}
	var err error
	if l.Trace, err = trace.Load(bytes.NewReader(out), l.Events); err != nil {
		return nil, fmt.Errorf("leave out names: %w", err)
	}
	l.Folder = ""
	if info := l.Info; info != nil {
		info.Host.Name = ""
		if info.Hardware != nil {
			info.Hardware = anonymousSetup(*info.Hardware, hide)
		}
		for i := range info.Warnings {
			info.Warnings[i] = hide(info.Warnings[i])
		}
		for i := range info.Failures {
			info.Failures[i].Cause = hide(info.Failures[i].Cause)
		}
		if info.Doctor != nil {
			for i := range info.Doctor.Checks {
				c := &info.Doctor.Checks[i]
				c.Path, c.Measured, c.Text, c.Advice = hide(c.Path), hide(c.Measured), hide(c.Text), hide(c.Advice)
			}
		}
		if info.Plan != nil {
			if hub := info.Plan.Hub; hub != nil {
				hub.Profile = hub.Profile[strings.LastIndexAny(hub.Profile, `/\`)+1:]
				hub.About = hide(hub.About)
			}
			for i := range info.Plan.Disks {
				info.Plan.Disks[i].Path = ""
				info.Plan.Disks[i].About = hide(info.Plan.Disks[i].About)
			}
		}
	}
	return out, nil
}

// redactor replaces in text what identifies a person: the paths of the disks, the run's own folder, users' folders and
// the name of the host.
func (l *Loaded) redactor() func(string) string {
	type pair struct{ is, becomes string }
	var list []pair
	for _, d := range l.Trace.Disks {
		if len(d.Path) > 1 { // "/" stands in every path
			list = append(list, pair{d.Path, "(path of disk " + d.Name + ")"})
		}
	}
	if len(l.Folder) > 1 {
		list = append(list, pair{l.Folder, "(run folder)"})
	}
	if l.Info != nil && l.Info.Host.Name != "" {
		list = append(list, pair{l.Info.Host.Name, "(host)"})
	}
	slices.SortStableFunc(list, func(a, b pair) int { return len(b.is) - len(a.is) }) // /Volumes/A stands in /Volumes/A2
	var pairs []string
	for _, p := range list {
		pairs = append(pairs, p.is, p.becomes)
	}
	known := strings.NewReplacer(pairs...)
	return func(text string) string {
		text = images.ReplaceAllString(known.Replace(text), "file")
		return adapters.ReplaceAllString(homes.ReplaceAllString(text, "${1}…"), "enx…")
	}
}

func anonymousSetup(s hardware.Setup, hide func(string) string) *hardware.Setup {
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
	linked := func(link hardware.Link) hardware.Link {
		link.Hub = id(link.Hub)
		return link
	}
	if s.Hub != nil {
		hub := *s.Hub
		ids[hub.ID] = "hub 1" // be it named by the scenario only
		hub.ID, hub.Upstream, hub.Devices = "hub 1", id(hub.Upstream), nil
		if hub.Link != nil {
			hub.Link = new(linked(*hub.Link))
		}
		s.Hub = &hub
	}
	s.About = hide(s.About)
	s.Competitors = slices.Clone(s.Competitors)
	for i := range s.Competitors {
		s.Competitors[i].ID, s.Competitors[i].Name = "", hide(s.Competitors[i].Name)
	}
	disks := map[string]hardware.Unit{}
	for _, name := range slices.Sorted(maps.Keys(s.Disks)) {
		unit := s.Disks[name]
		if unit.Hub != nil {
			hub := id(*unit.Hub)
			unit.Hub = &hub
		}
		unit.Path.Links = slices.Clone(unit.Path.Links)
		for i := range unit.Path.Links {
			unit.Path.Links[i] = linked(unit.Path.Links[i])
		}
		unit.About = hide(unit.About)
		unit.Model = hide(unit.Model)
		unit.Serial, unit.Volumes = "", nil
		if unit.Volume != nil {
			v := *unit.Volume
			v.Mount, v.Mounts, v.Label, v.Container = "(path)", nil, "", ""
			unit.Volume = &v
		}
		disks[name] = unit
	}
	s.Disks = disks
	return &s
}
