package advise

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/hubbench/hubbench/pkg/fit"
	"github.com/hubbench/hubbench/pkg/hub"
	"github.com/hubbench/hubbench/pkg/strictyaml"
	"github.com/hubbench/hubbench/pkg/trace"
	"github.com/hubbench/hubbench/pkg/unit"
)

// dataSheet describes a disk that was never measured.
const dataSheet = "by its data sheet"

// ParseDisk reads a disk by its data sheet: "X=2.8/2.5GB/s" reads 2.8 and writes 2.5 GB/s; "X=2.8GB/s" does both;
// "X=2.8/2.5GB/s,cache=24GB@0.65GB/s" writes at 0.65 GB/s once it has written 24 GB.
func ParseDisk(text string) (hub.Disk, error) {
	fail := func(why string) (hub.Disk, error) {
		return hub.Disk{}, fmt.Errorf("disk %s: %s; try X=2.8/2.5GB/s, or X=2.8/2.5GB/s,cache=24GB@0.65GB/s",
			strictyaml.Quote(text), why)
	}
	name, sheet, ok := strings.Cut(text, "=")
	name = strings.TrimSpace(name)
	if !ok || name == "" {
		return fail("no name and rates")
	}
	sheet, cache, cached := strings.Cut(sheet, ",")
	read, write, err := rates(sheet)
	if err != nil {
		return fail(err.Error())
	}
	d := hub.Disk{Name: name, About: dataSheet, Read: hub.Side{Direct: read, Weight: 1},
		Write: hub.Side{Direct: write, Weight: 1}}
	if !cached {
		return d, nil
	}
	size, after, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(cache), "cache="), "@")
	if !ok {
		return fail("a cache has a size and a rate after it")
	}
	bytes, err := unit.ParseBytes(size)
	if err != nil {
		return fail(err.Error())
	}
	rate, err := unit.ParseRate(after)
	switch {
	case err != nil:
		return fail(err.Error())
	case bytes <= 0 || rate < minRate || rate > write:
		return fail(fmt.Sprintf("a cache of %s, then %s", unit.FormatBytes(bytes), unit.FormatRate(rate)))
	}
	d.Cache = &hub.Cache{Bytes: bytes, After: rate}
	return d, nil
}

// rates reads "2.8/2.5GB/s": the first may leave out its unit.
func rates(text string) (read, write float64, err error) {
	first, second, both := strings.Cut(strings.ReplaceAll(strings.TrimSpace(text), "/s", ""), "/")
	if !both {
		second = first
	}
	number := func(r rune) bool { return r == '.' || r >= '0' && r <= '9' || r == ' ' }
	first, second = strings.TrimSpace(first), strings.TrimSpace(second)
	if strings.TrimLeftFunc(first, number) == "" {
		first += strings.TrimLeftFunc(second, number)
	}
	for _, side := range []struct {
		text string
		to   *float64
	}{{first, &read}, {second, &write}} {
		if *side.to, err = unit.ParseRate(side.text + "/s"); err != nil {
			return 0, 0, err
		}
		if *side.to < minRate || *side.to > maxRate {
			return 0, 0, fmt.Errorf("%s cannot be a disk's rate", unit.FormatRate(*side.to))
		}
	}
	return read, write, nil
}

// WithDisk is the profile with one more disk on its hub: as fast there as its data sheet says and the hub can
// carry, and with a pull that is the geometric mean of the other disks'.
func WithDisk(p *hub.Profile, d hub.Disk) (*hub.Profile, error) {
	if p.Disk(d.Name) != nil {
		return nil, fmt.Errorf("disk %s: profile %s has one of that name; give the new one another", d.Name, p.Name)
	}
	out := *p
	for op, carries := range map[trace.Role]float64{trace.Read: p.Capacity.Read, trace.Write: p.Capacity.Write} {
		side := d.Side(op)
		side.Hub = min(side.Direct, carries)
		logs := 0.0
		for i := range p.Disks {
			logs += math.Log(p.Disks[i].Side(op).Weight)
		}
		side.Weight = math.Exp(logs / float64(max(1, len(p.Disks))))
	}
	out.Disks = append(slices.Clone(p.Disks), d)
	return &out, nil
}

// sheetAssumption says what is assumed of a disk that was not measured.
func sheetAssumption(d *hub.Disk) string {
	return fmt.Sprintf("%s was not measured: it is assumed to read %s and write %s as its data sheet says, ±%.0f "+
		"%%, as far as the hub allows, and to compete like the other disks on average.",
		d.Name, unit.FormatRate(d.Read.Direct), unit.FormatRate(d.Write.Direct), 100*fit.FigureError)
}
