package report

import (
	"fmt"
	"strings"

	"github.com/hubbench/hubbench/pkg/hardware"
	"github.com/hubbench/hubbench/pkg/unit"
)

// hubName is a hub as people call it: CalDigit Element Hub, firmware 30.2.
func hubName(hub *hardware.Hub) string {
	name := hub.Product()
	if hub.Firmware != "" {
		name += ", firmware " + hub.Firmware
	}
	return name
}

// setupFacts are what is known of the machine and the hub.
func setupFacts(setup *hardware.Setup) [][2]string {
	if setup == nil {
		return nil
	}
	var facts [][2]string
	if host := setup.Host; host != nil {
		facts = append(facts, [2]string{"Computer", host.Model}, [2]string{"Operating system", host.OS}, [2]string{"Processor", host.CPU}, [2]string{"Power source", string(host.Power)})
	}
	return append(facts, [2]string{"Port", setup.Port}, [2]string{"Hub described as", setup.About})
}

// setupTable is which disks were measured, by all that is known of them; nil where nothing is.
func setupTable(keys []Key, setup *hardware.Setup) *Table {
	if setup == nil || len(setup.Disks) == 0 {
		return nil
	}
	t := &Table{Title: "Which disks were measured", Columns: []Column{
		{Head: "Disk"}, {Head: "Model"}, {Head: "Firmware", Drop: 2}, {Head: "Serial", Drop: 4}, {Head: "Size", Numbers: true, Drop: 3}, {Head: "Links"}, {Head: "File system", Drop: 1},
		{Head: "Full", Numbers: true, Drop: 3}, {Head: "Described as", Drop: 5},
	}}
	for i := range keys {
		u, known := setup.Disks[keys[i].Name]
		if !known {
			continue
		}
		filesystem, full := "", ""
		if v := u.Volume; v != nil {
			filesystem = volumeKind(v)
			if v.SizeBytes > 0 && v.Mount != "" {
				full = percent(v.Fill())
			}
		}
		t.Rows = append(t.Rows, []Cell{
			{Disk: &keys[i]}, {Text: productOf(&u)}, {Text: u.Firmware}, {Text: u.Serial}, {Text: sizeOf(u.SizeBytes)},
			{Text: u.Path.String()}, {Text: filesystem}, {Text: full}, {Text: u.About},
		})
	}
	return t
}

// productOf is a disk by the name on its case and the one of the disk inside.
func productOf(u *hardware.Unit) string {
	model := hardware.WithVendor(u.Vendor, u.Model)
	switch {
	case u.Enclosure == "" || u.Enclosure == model:
		return model
	case model == "":
		return u.Enclosure
	}
	return u.Enclosure + " (" + model + ")"
}

func sizeOf(bytes int64) string {
	if bytes <= 0 {
		return ""
	}
	return unit.FormatBytes(bytes)
}

// volumeKind is a volume's file system and what there is about it that bears on speed.
func volumeKind(v *hardware.Volume) string {
	parts := []string{v.Filesystem}
	if v.Encrypted != nil && *v.Encrypted {
		parts = append(parts, "encrypted")
	}
	if v.Compressed != nil && *v.Compressed {
		parts = append(parts, "compressed")
	}
	return strings.TrimPrefix(strings.Join(append(parts, v.Options...), ", "), ", ")
}

// linksTable is what went over each link of the disks' paths, against what such links can carry; nil where that is not
// known.
func (v *phaseView) linksTable() *Table {
	if len(v.found.Links) == 0 {
		return nil
	}
	t := &Table{
		ID: "links", Title: "What the links carried", Note: "All disks at work. What a link can carry is what links of its kind have been seen to carry one way.",
		Columns: []Column{
			{Head: "Link"}, {Head: "Disks"}, {Head: "Direction"}, {Head: "Carried, " + v.scale.Unit, Numbers: true},
			{Head: "Can carry", Numbers: true}, {Head: "Used", Numbers: true},
		},
	}
	for i := range v.found.Links {
		u := &v.found.Links[i]
		var names []string
		for _, name := range u.Disks {
			names = append(names, v.key(name).Label)
		}
		link := fmt.Sprintf("%s, %s", u.Segment, u.Link)
		if u.Could != "" {
			link += " (fell back from " + u.Could + ")"
		}
		t.Rows = append(t.Rows, []Cell{
			{Text: link}, {Text: unit.List(names)}, {Text: string(u.Op)}, {Text: v.scale.Number(u.Rate)}, {Text: v.scale.Number(u.Capacity)}, {Text: percent(u.Share)},
		})
	}
	return t
}

// linkLimits are the lines of the links that all working disks share, where all traffic goes one way.
func (v *phaseView) linkLimits(top *float64) []Mark {
	var marks []Mark
	for i := range v.found.Links {
		u := &v.found.Links[i]
		if len(u.Disks) < len(v.found.Overlap.Disks) || len(u.Disks) < 2 || u.Segment == hardware.HostPort && len(marks) > 0 {
			continue
		}
		*top = max(*top, u.Capacity)
		marks = []Mark{{
			Shape: Rule, Style: Limit, Key: None, Text: fmt.Sprintf("%s: what the %s (%s) can carry", v.scale.Rate(u.Capacity), u.Segment, u.Link),
			Rows: [][]float64{{0, v.seconds(v.endS), v.rate(u.Capacity)}},
		}}
	}
	return marks
}
