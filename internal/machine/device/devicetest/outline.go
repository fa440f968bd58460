// Package devicetest writes inventories in few words, so that what is expected of a captured machine can be written
// by hand beside it. Start at Outline.
package devicetest

import (
	"fmt"
	"strings"

	"github.com/hubbench/hubbench/pkg/hardware"
)

// Outline has a line for each disk, with those of its links and volumes below it, and one for each hub. What is not
// known is left out.
func Outline(inv *hardware.Inventory) string {
	var b strings.Builder
	line := func(parts ...string) {
		b.WriteString(strings.Join(strings.Fields(strings.Join(parts, " ")), " ") + "\n")
	}
	for i := range inv.Disks {
		d := &inv.Disks[i]
		hub := ""
		if d.Hub != nil {
			hub = *d.Hub
		}
		line("disk", d.Name, string(d.Bus), quoted(hardware.WithVendor(d.Vendor, d.Model)), fmt.Sprint(d.SizeBytes),
			either(d.External, "outside", "inside"), either(&d.System, "system", ""), either(d.UASP, "uasp", "bot"),
			either(d.Trim, "trim", "no-trim"), named("hub", hub), named("port", d.Port),
			named("backing", strings.Join(d.Backing, "+")), either(&d.Memory, "memory", ""))
		for k := range d.Path.Links {
			l := &d.Path.Links[k]
			fell := l.FellBack()
			line("link", string(l.Segment)+":", l.String(), named("hub", l.Hub),
				either(&fell, "of "+hardware.Speed(l.MaxBps), ""))
		}
		for k := range d.Volumes {
			v := &d.Volumes[k]
			line("volume", v.Device, v.Filesystem, strings.Join(append([]string{v.Mount}, v.Mounts...), " "), quoted(v.Label),
				either(v.Encrypted, "encrypted", ""), either(&v.ReadOnly, "read-only", ""), named("container", v.Container))
		}
	}
	for i := range inv.Hubs {
		h := &inv.Hubs[i]
		link := ""
		if h.Link != nil {
			link = h.Link.String()
		}
		line("hub", h.ID, quoted(h.Product()), h.Protocol+":", link, named("upstream", h.Upstream), named("port", h.Port))
		for _, d := range h.Devices {
			line("has", string(d.Kind), d.ID, quoted(d.Name))
		}
	}
	for _, w := range inv.Warnings {
		line("warning:", w)
	}
	return b.String()
}

func quoted(text string) string {
	if text == "" {
		return ""
	}
	return "'" + text + "'"
}

func named(key, value string) string {
	if value == "" {
		return ""
	}
	return key + "=" + value
}

func either(known *bool, yes, no string) string {
	switch {
	case known == nil:
		return ""
	case *known:
		return yes
	}
	return no
}
