// Package devicetest checks inventories that are made of captured machines: what is expected of one can be written by
// hand beside it, in few words. Start at Match.
package devicetest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/hubbench/hubbench/pkg/hardware"
)

// Match compares an inventory with the outline that is expected, or if there is none with a golden file of JSON, which
// update rewrites.
func Match(t *testing.T, inv *hardware.Inventory, outline, golden string, update bool) {
	t.Helper()
	if outline != "" {
		if diff := cmp.Diff(outline, outlineOf(inv)); diff != "" {
			t.Errorf("not what the machine is (-want +got):\n%s", diff)
		}
		return
	}
	got, err := json.MarshalIndent(inv, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	if update {
		if err := os.WriteFile(golden, append(got, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	var want bytes.Buffer
	if err := json.Indent(&want, bytes.TrimSpace(text), "", "\t"); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.String(), string(got)); diff != "" {
		t.Errorf("go test -update accepts this (-want +got):\n%s", diff)
	}
}

// Sound holds an inventory to what is true of every machine, whatever it was read from: names are unique, what is
// referred to exists, and what is asked of it has an answer.
func Sound(t *testing.T, inv *hardware.Inventory) {
	t.Helper()
	hubs, disks := map[string]bool{"": true}, map[string]bool{"": true}
	for _, hub := range inv.Hubs {
		if hubs[hub.ID] {
			t.Errorf("two hubs are %q", hub.ID)
		}
		if !hubs[hub.Upstream] {
			t.Errorf("%q is connected to %q, which does not stand before it", hub.ID, hub.Upstream)
		}
		hubs[hub.ID] = true
	}
	for i := range inv.Disks {
		d := &inv.Disks[i]
		if disks[d.Name] {
			t.Errorf("two disks are %q, or it has no name", d.Name)
		}
		disks[d.Name] = true
		if d.Hub != nil && !hubs[*d.Hub] {
			t.Errorf("disk %s is connected to %q, which there is not", d.Name, *d.Hub)
		}
		for _, link := range d.Path.Links {
			slow := link.Kind == hardware.PCIe && link.RxBps <= 2.5e9*int64(link.Lanes)
			if link.RxBps < 0 || link.TxBps < 0 || slow || link.MaxBps != 0 && link.MaxBps < link.RxBps {
				t.Errorf("disk %s has a link of %+v", d.Name, link)
			}
		}
		inv.Above(d)
		inv.Physical(d, nil)
		for j := range d.Volumes {
			inv.Physical(d, &d.Volumes[j])
		}
	}
	inv.Holding("/mnt/a")
	if _, err := json.Marshal(inv); err != nil {
		t.Error(err)
	}
}

// Secret wants none of the serial numbers that one inventory has in the other, made without being asked for them, and
// counts them.
func Secret(t *testing.T, asked, plain *hardware.Inventory) (serials int) {
	t.Helper()
	text, err := json.Marshal(plain)
	if err != nil {
		t.Fatal(err)
	}
	for _, disk := range asked.Disks {
		if disk.Serial != "" {
			serials++
			if bytes.Contains(text, []byte(disk.Serial)) {
				t.Errorf("the serial number %q, for which nobody asked", disk.Serial)
			}
		}
	}
	return serials
}

// outlineOf has a line for each disk, with those of its links and volumes below it, and one for each hub. What is not
// known is left out.
func outlineOf(inv *hardware.Inventory) string {
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
